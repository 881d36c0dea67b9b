// A control group with a CPU quota, for one measurement: made before its processes start, removed after they have ended.
//
// The kernel lets the processes of a group run for quota x period of CPU time, all threads together, in each period of
// 100 ms (the kernel's own default, and that of container runtimes), and stops all of them until the next period.
// Source: Linux, Documentation/scheduler/sched-bwc.rst; names of the files: cgroup-v1/, cgroup-v2.rst there.
import fs from "node:fs";
import path from "node:path";
import { InputError } from "./errors.mjs";

export const PERIOD_SECONDS = 0.1;
const PERIOD_US = PERIOD_SECONDS * 1e6;
const PREFIX = "corecast-measure-";

const read = (file) => {
  try {
    return fs.readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
};
const hasWord = (text, word) => text.split(/[\s,]+/).includes(word);

/** Where the process is: {version, tops: [folder of the hierarchy that exists], group}. */
function ownGroup(root) {
  const lines = read(path.join(root, "proc/self/cgroup")).split("\n").map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  const base = path.join(root, "sys/fs/cgroup");
  const first = lines.find((line) => line && hasWord(line[1], "cpu"));
  if (first) {
    const top = [path.join(base, first[1]), path.join(base, "cpu")].find((folder) => fs.existsSync(folder));
    if (top) return { version: 1, top, group: first[2] };
  }
  const second = lines.find((line) => line && line[1] === "");
  if (second && hasWord(read(path.join(base, "cgroup.controllers")), "cpu")) return { version: 2, top: base, group: second[2] };
  throw new InputError("a CPU quota cannot be set: no cgroup hierarchy with the cpu controller is mounted");
}

/**
 * The group in which a new one can be made. Version 1: the own one. Version 2 gives quotas only to children of a group that
 * passes the cpu controller on, which a group with processes in it may not (except the root), so the parents are
 * asked too; but a group on the way that has a quota itself must not be left.
 */
function parentFolder({ version, top, group }) {
  let at = path.join("/", group);
  if (!fs.existsSync(path.join(top, at))) at = "/"; // a container sees its own group as the root
  if (version === 1) return path.join(top, at);
  for (;;) {
    const folder = path.join(top, at);
    const control = path.join(folder, "cgroup.subtree_control");
    if (hasWord(read(control), "cpu")) return folder;
    try {
      fs.writeFileSync(control, "+cpu", { flag: "r+" });
      return folder;
    } catch {
      // the group has processes, or is not ours: its parent then
    }
    const limit = read(path.join(folder, "cpu.max"));
    if (limit !== "" && !limit.startsWith("max")) {
      throw new InputError(`a CPU quota cannot be set: ${folder} has a quota itself and no room for groups below it`);
    }
    if (at === "/") throw new InputError(`a CPU quota cannot be set: no group above ${path.join(top, group)} passes the cpu controller on`);
    at = path.dirname(at);
  }
}

const sleep = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

/** Removes the folder of a group; its processes may need a moment to be gone after they were killed. */
function removeGroup(folder) {
  for (let tries = 0; tries < 200; tries += 1) {
    try {
      fs.rmdirSync(folder);
      return true;
    } catch (error) {
      if (error.code === "ENOENT") return true;
      if (error.code !== "EBUSY") return false;
      sleep(10);
    }
  }
  return false;
}

/** Groups of measurements that were killed before they could clean up. */
function removeLeftovers(parent) {
  for (const name of fs.readdirSync(parent)) {
    const process_id = new RegExp(`^${PREFIX}(\\d+)$`).exec(name)?.[1];
    if (!process_id || fs.existsSync(`/proc/${process_id}`)) continue;
    try {
      fs.rmdirSync(path.join(parent, name));
    } catch {
      // still in use: not ours to end
    }
  }
}

/** CPU time and throttling of a group since it was made. */
function groupStatistics(folder) {
  const value = (name) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(read(path.join(folder, "cpu.stat")))?.[1] ?? NaN);
  const nanoseconds = value("throttled_time"); // version 1
  return {
    periods: value("nr_periods"), throttled_periods: value("nr_throttled"),
    throttled_ms: Number.isNaN(nanoseconds) ? value("throttled_usec") / 1e3 : nanoseconds / 1e6,
  };
}

/** {folder, statistics(), remove()} of a new group that may use so many CPUs; InputError where that cannot be done. */
export function makeCpuGroup(cpus, root = "/") {
  const own = ownGroup(root);
  const parent = parentFolder(own);
  const folder = path.join(parent, `${PREFIX}${process.pid}`);
  try {
    removeLeftovers(parent);
    fs.mkdirSync(folder, { recursive: true });
    const quota = Math.round(cpus * PERIOD_US);
    const files = own.version === 1
      ? [["cpu.cfs_period_us", PERIOD_US], ["cpu.cfs_quota_us", quota]] : [["cpu.max", `${quota} ${PERIOD_US}`]];
    for (const [file, value] of files) fs.writeFileSync(path.join(folder, file), String(value));
  } catch (error) {
    removeGroup(folder);
    throw new InputError(`a CPU quota of ${cpus} cannot be set: ${folder}: ${error.code ?? error.message} (are you root, is it writable?)`);
  }
  return { folder, statistics: () => groupStatistics(folder), remove: () => removeGroup(folder) };
}

/** Why no group with a quota can be made here; undefined when it can. */
export function cpuGroupRefusal(root = "/") {
  try {
    makeCpuGroup(1, root).remove();
    return undefined;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.message;
  }
}

/** Command line that enters the group and then becomes the given command, so that no thread of it ran outside. */
export const insideGroup = (folder, command) =>
  ["/bin/sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', folder, ...command];
