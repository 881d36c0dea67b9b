// What the measurements depend on besides the setting: the host, and what the operating system grants of it.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const read = (file) => {
  try {
    return fs.readFileSync(file, "utf8").trim();
  } catch {
    return null;
  }
};

/** Quota of one group in CPUs; null when it has none. */
function groupQuota(folder) {
  const [quota, period] = (read(path.join(folder, "cpu.max")) ?? // version 2
    `${read(path.join(folder, "cpu.cfs_quota_us"))} ${read(path.join(folder, "cpu.cfs_period_us"))}`).split(/\s+/);
  return Number(quota) > 0 && Number(period) > 0 ? Number(quota) / Number(period) : null;
}

/** Smallest CPU quota of this process' control group and its ancestors, in CPUs; null when unlimited. */
export function cpuQuota(root = "/") {
  let smallest = null;
  for (const line of (read(path.join(root, "proc/self/cgroup")) ?? "").split("\n")) {
    const [, controllers, group] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (group === undefined || (controllers !== "" && !controllers.split(",").includes("cpu"))) continue;
    const base = path.join(root, "sys/fs/cgroup");
    for (const top of controllers === "" ? [base] : [path.join(base, controllers), path.join(base, "cpu")]) {
      for (let at = path.join("/", group); ; at = path.dirname(at)) {
        const quota = groupQuota(path.join(top, at));
        if (quota !== null) smallest = Math.min(smallest ?? Infinity, quota);
        if (at === "/") break;
      }
    }
  }
  return smallest;
}

/** Distinct (package, core) pairs; null where the kernel does not tell. */
function physicalCores() {
  const pairs = new Set();
  for (const block of (read("/proc/cpuinfo") ?? "").split("\n\n")) {
    const core = /^core id\s*:\s*(\d+)/m.exec(block);
    if (core) pairs.add(`${/^physical id\s*:\s*(\d+)/m.exec(block)?.[1]}/${core[1]}`);
  }
  return pairs.size || null;
}

export const loadAverage = () => Number(os.loadavg()[0].toFixed(2));

export function hostContext({ onnxruntimeVersion, method, date }) {
  return {
    cpu_model: os.cpus()[0]?.model.trim() ?? null,
    logical_cpus: os.cpus().length,
    physical_cores: physicalCores(),
    granted_cpus: /^Cpus_allowed_list:\s*(\S+)/m.exec(read("/proc/self/status") ?? "")?.[1] ?? null,
    cpu_quota: cpuQuota(),
    memory_gib: Number((os.totalmem() / 2 ** 30).toFixed(1)),
    kernel: `${os.type()} ${os.release()} ${os.arch()}`,
    node_version: process.version,
    onnxruntime_version: onnxruntimeVersion,
    method,
    load_average: os.loadavg().map((load) => Number(load.toFixed(2))),
    ...(date === undefined ? {} : { date }),
  };
}

const VOLATILE = ["load_average", "date"];

/** Names of the fields in which two contexts differ so much that their rounds must not be mixed. */
export function contextDifferences(one, other) {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const differs = (name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]);
  return [...names].filter((name) => !VOLATILE.includes(name) && differs(name));
}
