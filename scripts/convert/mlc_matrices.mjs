#!/usr/bin/env node
// Latency and bandwidth matrices and loaded latencies (outputs of Intel Memory Latency Checker) -> measurements.
import { InputError } from "../measure/errors.mjs";
import { runConverter } from "./command.mjs";
import { coresPerLastLevelCache, domainsOf, known, lastLevelCachesOf, sheet, variant } from "./machines.mjs";
import { row } from "./measurements.mjs";

const MACHINES = {
  "xeon-8269CY-2x26-SNC2": () => variant(known("xeon-8269cy"), "snc", "sub-NUMA clustering",
    { domains_per_socket: 2, l3: "17.875 MiB", l3_shared_by_cores: 13 }),
  "xeon-8163-2x24": () => sheet("xeon-8163"),
  "xeon-haswell-csit": () => sheet("xeon-e5-2699v3"),
  "xeon-2x16-smt-zstack": () => sheet("xeon-2x16-unnamed"),
  "xeon-silver-4110": () => sheet("xeon-silver-4110"),
};
// Neither CPU nor core count is stated: no machine can be made of them.
const LEFT_OUT = ["xeon-unnamed-2s-SMT-on", "xeon-unnamed-2s-SMT-off"];

// MLC counts what the memory controllers see. These kernels ask for just that; 3:1 has none.
const PEAKS = { all_reads: "read", "2:1": "daxpy", "1:1": "update", stream_triad_like: "triad_nt" };

const placed = (cpu, memory) =>
  ({ cpu_domain: cpu, memory_domain: memory, ...(cpu !== memory && { placement: "remote" }) });

function matrix(values, make) {
  return (values ?? []).flatMap((line, cpu) => line.map((value, memory) => make(cpu, memory, value)));
}

function rowsOf(entry, machine) {
  const { sockets, cores_per_socket: perSocket, domains_per_socket: domains = 1 } = machine.datasheet;
  const perDomain = perSocket / domains;
  const smt = entry.smt === "on" ? 2 : 1;  // MLC loads every hardware thread unless told otherwise
  const team = (cores) => ({ threads: cores * smt, threads_per_core: smt, cores });
  const whole = { ...team(sockets * perSocket), sockets, clusters: lastLevelCachesOf(machine) };
  const inDomain = { ...team(perDomain), clusters: Math.ceil(perDomain / coresPerLastLevelCache(machine)) };
  for (const key of ["latency_matrix_ns", "bandwidth_matrix_GBps"]) {
    if (entry[key] && entry[key].length !== domainsOf(machine)) throw new InputError(`${entry.name}: ${key}: other domains`);
  }
  return [
    ...matrix(entry.latency_matrix_ns, (cpu, memory, value) => row({
      group: "latency", kernel: "chase", threads: 1, ...placed(cpu, memory), working_set: "200 MB", unit: "ns",
      samples: [value],
    })),
    ...matrix(entry.bandwidth_matrix_GBps, (cpu, memory, value) => row({
      group: "bandwidth", kernel: "read", ...inDomain, ...placed(cpu, memory), working_set: "1 GB", unit: "GB/s",
      samples: [value],
    })),
    ...Object.entries(PEAKS).filter(([name]) => entry.peak_GBps?.[name]).map(([name, kernel]) => row({
      group: "bandwidth", kernel, ...whole, working_set: "1 GB", unit: "GB/s", samples: [entry.peak_GBps[name]],
      note: `MLC "${name}"`,
    })),
    ...(entry.loaded ?? []).map(({ inject_delay: delay, latency_ns: latency, bandwidth_GBps: bandwidth }) => row({
      group: "latency", kernel: "loaded", ...whole, working_set: "1 GB", background: `${bandwidth} GB/s`,
      shape: { read_percent: 100 }, unit: "ns", samples: [latency], note: `delay ${delay}`,
    })),
  ];
}

runConverter((text) => {
  const { machines } = JSON.parse(text);
  return machines.filter((entry) => !LEFT_OUT.includes(entry.name)).map((entry) => {
    const make = MACHINES[entry.name];
    if (!make) throw new InputError(`${entry.name}: no machine is known for it`);
    const machine = make();
    const missing = Object.entries({ latency_matrix_ns: "latency: matrix", bandwidth_matrix_GBps: "bandwidth: matrix",
      peak_GBps: "bandwidth: whole machine", loaded: "latency: loaded" }).filter(([key]) => !entry[key]);
    const context = {
      source: `Intel Memory Latency Checker output, ${entry.source} (${entry.name}); figures only`,
      ...(entry.cpu && { cpu: entry.cpu }),
      ...(entry.smt && { smt: entry.smt }),
      not_measured: [
        ...missing.map(([, what]) => `${what} not published`), "bandwidth: core counts below the domain, caches",
        "peak: not published", "threads: not published", "kernels: not published",
      ],
      warnings: [
        ...(entry.cpu_note ? [entry.cpu_note] : []),
        "whole-machine rows (sockets > 1) and background bandwidths are totals of all sockets, each on its own memory",
        "bandwidths are what the memory controllers see, line fetches of stores included",
        entry.smt ? "threads: every hardware thread, the default of the tool; the command line is not published"
          : "the source does not say whether SMT was on: one thread per core is assumed",
        "working set: beyond the caches; 200 MB for latencies, 1 GB stands for the bandwidths'",
      ],
    };
    return { context, machine, rows: rowsOf(entry, machine) };
  });
});
