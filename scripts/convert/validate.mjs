// Validation of corecast.measurements/1. calibration/measurements.hpp says what the fields mean,
// calibration/kernel_names.cpp which kernels there are; the tables here must agree with both.
import { domainsOf, lastLevelCachesOf } from "./machines.mjs";

export const SCHEMA = "corecast.measurements/1";

const RATE = ["B/s", "kB/s", "MB/s", "GB/s"];
const FLOP_RATE = ["flop/s", "Mflop/s", "Gflop/s", "Tflop/s"];
const CLOCK = ["Hz", "MHz", "GHz"];
const TIME = ["s", "ms", "us", "ns"];
const CLASSES = ["gemm", "conv", "conv_1x1", "conv_depthwise", "conv_transposed", "pool", "elementwise",
  "normalization", "softmax", "gather", "transpose", "reduce", "recurrent", "shape", "control", "other"];
const same = (names, units) => Object.fromEntries(names.map((name) => [name, units]));

/** group -> kernel -> units its samples may have. */
export const KERNELS = {
  peak: { multiply_add: FLOP_RATE, clock: CLOCK },
  bandwidth: {
    ...same(["read", "write", "write_nt", "copy", "copy_nt", "triad", "triad_nt", "update", "daxpy"], RATE),
    first_touch: TIME,
  },
  latency: same(["chase", "loaded"], TIME),
  threads: same(["barrier_spin", "barrier_sleep", "fork_join_spin", "fork_join_sleep", "wake_up", "thread_create",
    "task_queue"], TIME),
  kernels: same(CLASSES, [...TIME, ...FLOP_RATE]),
};
const TYPES = ["fp64", "fp32", "fp16", "bf16", "int8"];
const EXTENSIONS = ["scalar", "sse", "neon", "avx2", "avx512", "vnni", "sve", "bf16", "amx"];
const PLACEMENTS = ["compact", "scattered", "remote"];
const SIZE = /^\d+(\.\d+)? (B|kB|MB|GB|KiB|MiB|GiB)$/;
const RATE_TEXT = /^\d+(\.\d+)? (B|kB|MB|GB)\/s$/;

const CONTEXT_KEYS = {
  source: "string", date: "string", host: "string", cpu: "string", kernel: "string", compiler: "string",
  corecast_version: "string", governor: "string", smt: "string", huge_pages: "string", clock_source: "string",
  libraries: "texts by name", granted_cpus: "counts", quota_cpus: "number", virtual_machine: "boolean",
  load_before: "number", load_after: "number", throttled_periods: "number", steal_seconds: "number",
  clock_before: "string", clock_after: "string",
  not_measured: "texts", warnings: "texts",
};
// In the order in which they are written.
export const ROW_KEYS = ["group", "kernel", "type", "extension", "library", "implementation", "threads",
  "threads_per_core", "cores", "sockets", "clusters", "placement", "cpu_domain", "memory_domain", "working_set",
  "background", "shape", "flop", "bytes", "unit", "samples", "note"];

const isWhole = (value, least) => Number.isInteger(value) && value >= least;
const isPositive = (value) => typeof value === "number" && Number.isFinite(value) && value > 0;
const isText = (value) => typeof value === "string";
const CONTEXT_TESTS = {
  string: isText,
  number: (value) => typeof value === "number" && Number.isFinite(value),
  boolean: (value) => typeof value === "boolean",
  texts: (value) => Array.isArray(value) && value.every(isText),
  counts: (value) => Array.isArray(value) && value.every((item) => isWhole(item, 0)),
  "texts by name": (value) => typeof value === "object" && value !== null && Object.values(value).every(isText),
};

function checkContext(context, complain) {
  if (typeof context !== "object" || context === null) return complain("/context", "is missing");
  if (!context.source) complain("/context/source", "is missing");
  for (const [key, value] of Object.entries(context)) {
    if (!CONTEXT_KEYS[key]) complain(`/context/${key}`, "unknown key");
    else if (!CONTEXT_TESTS[CONTEXT_KEYS[key]](value)) complain(`/context/${key}`, `is not ${CONTEXT_KEYS[key]}`);
  }
}

function checkCounts(item, machine, complain) {
  const { sockets, cores_per_socket: coresPerSocket, smt = 1 } = machine.datasheet;
  const threadsPerCore = item.threads_per_core ?? 1;
  const cores = item.cores ?? Math.max(1, Math.floor(item.threads / threadsPerCore));
  const onSockets = item.sockets ?? 1;
  const clusters = item.clusters ?? 1;
  const limits = {
    threads: [item.threads, sockets * coresPerSocket * smt],
    threads_per_core: [threadsPerCore, smt],
    cores: [cores, onSockets * coresPerSocket],
    sockets: [onSockets, sockets],
    clusters: [clusters, lastLevelCachesOf(machine)],
  };
  for (const [key, [value, most]] of Object.entries(limits)) {
    if (!isWhole(value, 1) || value > most) complain(key, `is ${value}, must be a whole number from 1 to ${most}`);
  }
  if (item.threads !== cores * threadsPerCore) complain("threads", `is ${item.threads}, not cores * threads_per_core`);
  if (clusters < onSockets) complain("clusters", "fewer than sockets");
  for (const key of ["cpu_domain", "memory_domain"]) {
    if (item[key] === undefined) continue;
    if (!isWhole(item[key], 0) || item[key] >= domainsOf(machine)) complain(key, `is ${item[key]}, no such domain`);
  }
  const apart = item.cpu_domain !== undefined && item.cpu_domain !== item.memory_domain;
  if (apart !== (item.placement === "remote")) complain("placement", "remote means two different domains, both named");
}

function checkRow(item, machine, complain) {
  for (const key of Object.keys(item)) if (!ROW_KEYS.includes(key)) complain(key, "unknown key");
  const units = KERNELS[item.group]?.[item.kernel];
  if (!units) complain("kernel", `unknown kernel ${item.kernel} of group ${item.group}`);
  else if (!units.includes(item.unit)) complain("unit", `is ${item.unit}, must be one of ${units.join(", ")}`);
  const oneOf = { type: TYPES, extension: EXTENSIONS, placement: PLACEMENTS };
  for (const [key, names] of Object.entries(oneOf)) {
    if (item[key] !== undefined && !names.includes(item[key])) complain(key, `unknown: ${item[key]}`);
  }
  checkCounts(item, machine, complain);
  if (item.working_set !== undefined && !SIZE.test(item.working_set)) complain("working_set", "is not a size");
  if (item.background !== undefined && !RATE_TEXT.test(item.background)) complain("background", "is not a bandwidth");
  if (item.kernel === "loaded" && item.background === undefined) complain("background", "is missing");
  for (const [key, value] of Object.entries(item.shape ?? {})) {
    if (!isWhole(value, 0)) complain(`shape/${key}`, "is not a whole number");
  }
  if (!Array.isArray(item.samples) || !item.samples.length || !item.samples.every(isPositive)) {
    complain("samples", "must be one positive number or more");
  }
}

/** All complaints about a document, as "/rows/3/unit: is ...". */
export function validate(document) {
  const complaints = [];
  const complain = (where, what) => complaints.push(`${where}: ${what}`);
  const unknown = Object.keys(document).filter((key) => !["schema", "context", "machine", "rows"].includes(key));
  for (const key of unknown) complain(`/${key}`, "unknown key");
  if (document.schema !== SCHEMA) complain("/schema", `must be ${SCHEMA}`);
  checkContext(document.context, complain);
  const sheet = document.machine?.datasheet;
  if (document.machine?.schema !== "corecast.machine/1" || !sheet) complain("/machine", "is no machine in the short form");
  else if (!isWhole(sheet.sockets, 1) || !isWhole(sheet.cores_per_socket, 1)) complain("/machine", "counts are missing");
  else if (!Array.isArray(document.rows) || !document.rows.length) complain("/rows", "must be one measurement or more");
  else {
    document.rows.forEach((item, index) =>
      checkRow(item, document.machine, (key, what) => complain(`/rows/${index}/${key}`, what)));
    const seen = new Map();
    document.rows.forEach((item, index) => {
      const { samples, note, ...point } = item;
      const key = JSON.stringify(point);
      if (seen.has(key)) complain(`/rows/${index}`, `measures the same as /rows/${seen.get(key)}`);
      seen.set(key, index);
    });
  }
  return complaints;
}
