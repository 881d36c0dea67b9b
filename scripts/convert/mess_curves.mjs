#!/usr/bin/env node
// Loaded latency against bandwidth per read share (Mess) -> measurements.
import { InputError } from "../measure/errors.mjs";
import { numberOf, parseCsv, runConverter } from "./command.mjs";
import { known, variant } from "./machines.mjs";
import { row } from "./measurements.mjs";

// Two files of one system, for two sets of memory modules; curves of both vector widths go into the file they share.
const plus = (modules, size) => () => variant(known("xeon-8480plus"), modules, `16 modules of ${size}`, {});
const MACHINES = [
  { name: "xeon-gold-5218-2s", variants: [""], make: () => known("xeon-gold-5218"), shares: [50, 69, 75, 100] },
  { name: "xeon-8480+-2s", variants: ["avx512 16x16GB", "avx2 16x16GB"], make: plus("16x16gb", "16 GB"),
    shares: [50, 68, 75, 100] },
  { name: "xeon-8480+-2s", variants: ["avx2 16x64GB"], make: plus("16x64gb", "64 GB"), shares: [50, 68, 75, 100] },
];
const CPUS = { "xeon-gold-5218-2s": "Intel Xeon Gold 5218", "xeon-8480+-2s": "Intel Xeon Platinum 8480+" };

const SEEN_BY_MEMORY = { 100: "read", 50: "update" };  // all reads; as many lines written back as read

const nearest = (values, wanted) =>
  values.reduce((best, value) => (Math.abs(value - wanted) < Math.abs(best - wanted) ? value : best));

function rowsOfVariant(points, shares, machine, extension) {
  const cores = machine.datasheet.cores_per_socket;
  const busy = { threads: cores, ...(extension && { extension }) };
  const published = [...new Set(points.map((point) => point.share))];
  const kept = [...new Set(shares.map((share) => nearest(published, share)))];
  const rows = [];
  for (const share of kept) {
    const curve = points.filter((point) => point.share === share && point.bandwidth > 0);
    const shape = { read_percent: share };
    // Only the ends can be named by a kernel: what the memory controllers saw is what the kernel counts.
    const kernel = SEEN_BY_MEMORY[share];
    if (kernel) {
      const most = Math.max(...curve.map((point) => point.bandwidth));
      rows.push(row({ group: "bandwidth", kernel, ...busy, working_set: "1 GB", unit: "GB/s", samples: [most],
        note: `largest bandwidth of the curve of read share ${share} %` }));
    }
    for (const { bandwidth, latency } of curve) {
      rows.push(row({ group: "latency", kernel: "loaded", ...busy, working_set: "1 GB", background: `${bandwidth} GB/s`,
        shape, unit: "ns", samples: [latency], note: `read share ${share} %` }));
    }
  }
  const idle = points.filter((point) => kept.includes(point.share) && point.bandwidth === 0);
  return { idle: idle.map((point) => point.latency), rows };
}

function convert(text) {
  const points = parseCsv(text).map((cells, index) => ({
    machine: cells.machine, variant: cells.variant,
    share: numberOf(cells.read_pct, `row ${index + 1}: read_pct`),
    bandwidth: numberOf(cells.bandwidth_GBps, `row ${index + 1}: bandwidth_GBps`),
    latency: numberOf(cells.latency_ns, `row ${index + 1}: latency_ns`),
  }));
  return MACHINES.map(({ name, variants, make, shares }) => {
    const machine = make();
    const parts = variants.map((label) => {
      const own = points.filter((point) => point.machine === name && point.variant === label);
      if (!own.length) throw new InputError(`no rows of ${name} ${label}`);
      return rowsOfVariant(own, shares, machine, label.startsWith("avx") ? label.split(" ")[0] : undefined);
    });
    const idle = row({ group: "latency", kernel: "chase", threads: 1, working_set: "1 GB", unit: "ns",
      samples: parts.flatMap((part) => part.idle), note: "nothing else running; one sample per curve" });
    const context = {
      source: `Mess 2.0 results, ${name} ${variants.filter(Boolean).join(" and ")}`.trim() + "; figures only",
      cpu: CPUS[name],
      not_measured: ["peak: not published", "threads: not published", "kernels: not published",
        "bandwidth: core counts below the socket, caches and remote memory not published"],
      warnings: [
        "one socket with local memory; bandwidths are what the memory controllers see, line fetches of stores included",
        "threads: all cores of the socket, one of them chasing; the source does not say whether SMT was on",
        "working set: beyond the caches, not stated; 1 GB stands for it",
      ],
    };
    return { context, machine, rows: [idle, ...parts.flatMap((part) => part.rows)] };
  });
}

runConverter(convert);
