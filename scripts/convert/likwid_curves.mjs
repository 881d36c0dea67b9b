#!/usr/bin/env node
// Bandwidth over core counts per memory level (kerncraft machine files, made with likwid-bench) -> measurements.
// README.md says which of the points are left out, and why.
import { InputError } from "../measure/errors.mjs";
import { runConverter } from "./command.mjs";
import { coresPerLastLevelCache, known, sheet, variant } from "./machines.mjs";
import { row, sizeText } from "./measurements.mjs";

const halves = (cores, l3) => ({ domains_per_socket: 2, l3, l3_shared_by_cores: cores });
const MACHINES = {
  "SandyBridgeEP_E5-2680": () => sheet("xeon-e5-2680"),
  "IvyBridgeEP_E5-2660v2": () => sheet("xeon-e5-2660v2"),
  "HaswellEP_E5-2695v3": () => known("xeon-e5-2695v3"),
  "HaswellEP_E5-2695v3_CoD": () => variant(known("xeon-e5-2695v3"), "cod", "cluster on die", halves(7, "17.5 MiB")),
  "BroadwellEP_E5-2697v4_CoD": () => variant(known("xeon-e5-2697v4"), "cod", "cluster on die", halves(9, "22.5 MiB")),
  "SkylakeSP_Gold-6148": () => known("xeon-gold-6148"),
  "SkylakeSP_Gold-6148_SNC": () =>
    variant(known("xeon-gold-6148"), "snc", "sub-NUMA clustering", halves(10, "13.75 MiB")),
  "Zen2_EPYC-7452": () => known("epyc-7452"),
};
const KERNELS = { load: "read", copy: "copy", update: "update", triad: "triad", daxpy: "daxpy" };

// likwid's triad is a = b + c * d: one stream more than STREAM's, so its ratio of fetched to counted bytes differs.
const SHAPES = { triad: { read_streams: 3, write_streams: 1 } };

const upTo = (most) => Array.from({ length: most }, (_, index) => index + 1);

/**
 * Core counts that say something: every thread gets the same share of the work, so where one domain (or cache) is
 * occupied more fully than another, the figure is that of the fuller one times a ratio of counts.
 */
const balanced = (cores, unit) => upTo(cores).filter((count) => count <= unit || count % unit === 0);

/** A few of them: the small ones, the full unit, its multiples. */
const few = (counts, unit) => counts.filter((count) => [1, 2, 4, 8, 12, 16].includes(count) || count % unit === 0);
const ends = (counts, unit) => counts.filter((count) => count === 1 || count === unit || count === counts.at(-1));

/** [level, threads per core, kernel] -> core counts to keep. */
function countsFor(level, smt, kernel, { cores, domain, cluster, holds }) {
  const read = kernel === "load";
  if (level === "MEM") {
    const counts = balanced(cores, domain);
    if (smt === 1) return read ? counts : few(counts, domain);
    if (read) return few(counts, domain);
    return kernel === "daxpy" ? [] : ends(counts, domain);
  }
  if (kernel === "daxpy" || (kernel !== "load" && smt > 1)) return [];
  if (level === "L3") {
    const counts = balanced(cores, cluster).filter(holds);
    return read && smt === 1 ? few(counts, cluster) : ends(counts, cluster);
  }
  if (kernel === "triad") return [];
  const counts = upTo(cores);
  return read && smt === 1 ? few(counts, cores).filter((count) => count <= 4 || count === cores) : ends(counts, cores);
}

/** The rule of the tool that made the files: caches two thirds full, memory 15 times one last-level cache. */
function workingSet(level, group, ofOneCore, count) {
  return level === "MEM" ? ofOneCore : ofOneCore * Math.max(1, count / group.cores_per_group);
}

const groupOf = (entry, level) => entry.memory_hierarchy.find((candidate) => candidate.level === level);
const sizeOf = (entry, level) => groupOf(entry, level).ways * groupOf(entry, level).sets * entry.cacheline_B;

/** What the memory modules of a socket can transfer; more than that came out of a cache. */
function theoreticalGBps({ datasheet: { memory_channels: channels, memory_mega_transfers: megaTransfers } }) {
  return (channels * megaTransfers * 8) / 1000;
}

function rowsOf(entry, machine) {
  const cores = entry.cores_per_socket;
  const cluster = coresPerLastLevelCache(machine);
  const group = (level) => groupOf(entry, level);
  const l2 = sizeOf(entry, "L2");
  const most = theoreticalGBps(machine);
  const rows = [];
  for (const [level, bySmt] of Object.entries(entry.measurements)) {
    for (const [smtText, byKernel] of Object.entries(bySmt)) {
      const smt = Number(smtText);
      const bytes = (count) => workingSet(level, group(level), byKernel._size_per_core_B, count);
      // Where the share of a core is hardly more than its L2, the rows of "L3" are mostly L2.
      const holds = (count) => bytes(count) / count >= 2 * l2;
      for (const [name, kernel] of Object.entries(KERNELS)) {
        const curve = byKernel[name];
        if (!curve) throw new InputError(`${entry.name}: ${level}, ${smt} threads per core: no ${name}`);
        const counts = countsFor(level, smt, name, { cores, domain: entry.cores_per_numa, cluster, holds });
        for (const count of counts) {
          const at = curve.cores.indexOf(count);
          if (at < 0) throw new InputError(`${entry.name}: ${level} ${name}: no figure for ${count} cores`);
          const [best, median] = [curve.bandwidth_GBps[at], curve.median_GBps?.[at]];
          if (level === "MEM" && best > most) continue;
          rows.push(row({
            group: "bandwidth", kernel, threads: count * smt, threads_per_core: smt, cores: count,
            clusters: Math.ceil(count / cluster), working_set: sizeText(bytes(count)), shape: SHAPES[name],
            unit: "GB/s", samples: median === undefined || median === best ? [best] : [median, best],
          }));
        }
      }
    }
  }
  return rows;
}

/** Below this many times the caches of all cores, part of a memory row may be answered by them. */
const FEW_TIMES = 6;

function contextOf(entry, source) {
  const cores = entry.cores_per_socket;
  const caches = sizeOf(entry, "L2") * cores + sizeOf(entry, "L3") * (cores / groupOf(entry, "L3").cores_per_group);
  const times = entry.measurements.MEM["1"]._size_per_core_B / caches;
  return {
    source: `${source.replace("*", entry.name)}, likwid-bench; figures only`,
    cpu: entry.model, smt: "on", huge_pages: entry.transparent_hugepage,
    libraries: { "likwid-bench": Object.values(entry.kernels).map((kernel) => kernel.bench).join(", ") },
    not_measured: [
      "peak: not published", "latency: not published", "threads: not published", "kernels: not published",
      "bandwidth: remote memory and the second socket not published",
    ],
    warnings: [
      "samples are the two published figures: median and best of ten repetitions",
      `measured at a fixed clock, taken to be the base clock of ${entry.clock_GHz} GHz: L1 and L2 are faster with turbo`,
      "working sets follow the rule of the tool: two thirds of a cache, memory 15 times the last-level cache",
      "copy and triad do not count the line fetches of their stores; triad has three reads and a write",
      ...(times < FEW_TIMES ? [`memory rows of the whole socket work on ${times.toFixed(1)} times its caches only: ` +
        "a few percent may come from them"] : []),
    ],
  };
}

runConverter((text) => {
  const { source, machines } = JSON.parse(text);
  return machines.map((entry) => {
    const make = MACHINES[entry.name];
    if (!make) throw new InputError(`${entry.name}: no machine is known for it`);
    const machine = make();
    if (machine.datasheet.cores_per_socket !== entry.cores_per_socket) {
      throw new InputError(`${entry.name}: the machine has another core count`);
    }
    return { context: contextOf(entry, source), machine, rows: rowsOf(entry, machine) };
  });
});
