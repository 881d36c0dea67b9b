#!/usr/bin/env node
// GEMM rates over square sizes (BLIS' performance documentation) -> measurements.
import { InputError } from "../measure/errors.mjs";
import { numberOf, parseCsv, runConverter } from "./command.mjs";
import { coresPerLastLevelCache, known } from "./machines.mjs";
import { row } from "./measurements.mjs";

const MACHINES = {
  skx: { make: () => known("xeon-8167m"), cpu: "Intel Xeon Platinum 8167M",
    smt: "on, one thread per core used", libraries: { blis: "0.5.1-54", openblas: "0.3.5", mkl: "2019 update 1" } },
  zen2: { make: () => known("epyc-7742"), cpu: "AMD EPYC 7742" },
};
const TYPES = { sgemm: "fp32", dgemm: "fp64" };

// Of 50 equally spaced sizes per curve, in a geometric progression, as the efficiency is a function of its logarithm.
const KEPT = { sgemm: [1, 2, 3, 4, 6, 8, 11, 15, 20, 28, 38, 50], dgemm: [1, 2, 4, 8, 15, 28, 50] };

function rowsOf(lines, name, machine) {
  const { cores_per_socket: perSocket } = machine.datasheet;
  return lines.filter((line) => line.machine === name && KEPT[line.op]).flatMap((line, index) => {
    const [threads, size, perCore] = ["threads", "n", "gflops_per_core"]
      .map((key) => numberOf(line[key], `${name}, row ${index + 1}: ${key}`));
    const step = lines.find((other) => other.machine === name && other.threads === line.threads).n;
    if (!KEPT[line.op].includes(size / step)) return [];
    return [row({
      group: "kernels", kernel: "gemm", type: TYPES[line.op], library: line.lib.toLowerCase(), threads,
      sockets: Math.ceil(threads / perSocket), clusters: Math.ceil(threads / coresPerLastLevelCache(machine)),
      shape: { m: size, n: size, k: size, batch: 1 }, unit: "Gflop/s",
      samples: [Number((perCore * threads).toFixed(2))],  // no more digits than the source
    })];
  });
}

runConverter((text) => {
  const lines = parseCsv(text);
  return Object.entries(MACHINES).map(([name, { make, ...circumstances }]) => {
    const machine = make();
    const rows = rowsOf(lines, name, machine);
    if (!rows.length) throw new InputError(`no rows of ${name}`);
    const context = {
      source: `BLIS performance documentation (github.com/flame/blis, docs/Performance.md), ${name}; figures only`,
      ...circumstances,
      not_measured: [
        "peak: not published", "bandwidth: not published", "latency: not published", "threads: not published",
        "kernels: other than square gemm not published",
      ],
      warnings: [
        "rates are published per core; samples are those times the threads",
        "repetitions are not published; 12 of 50 sizes of sgemm and 7 of dgemm are kept",
        "OpenBLAS ran unpinned with more than one thread; the others are taken to fill a socket before the next",
      ],
    };
    return { context, machine, rows };
  });
});
