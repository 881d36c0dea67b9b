// Grid text -> list of settings, with the field names of the tool's JSON output.
import { UsageError } from "./errors.mjs";

const MAX_VALUES = 4096; // a typo such as 1-100000 should be refused, not measured

const AXES = {
  intra: { values: positiveIntegers, default: "1" },
  inter: { values: positiveIntegers, default: "1" },
  mode: { values: (text) => words(text, "mode", ["sequential", "parallel"]), default: "sequential" },
  spin: { values: (text) => words(text, "spin", ["on", "off"]), default: "on" },
  batch: { values: positiveIntegers, default: "1" },
  instances: { values: positiveIntegers, default: "1" },
  quota: { values: quotas, default: "none" },
};
export const AXIS_NAMES = Object.keys(AXES);

/** "1,2,8", "1-4" or "1-16*2" (doubling), in any mixture -> numbers, in order, without repeats. */
export function positiveIntegers(text, what) {
  const values = text.split(",").flatMap((part) => {
    const match = /^(\d{1,6})(?:-(\d{1,6})(?:\*(\d{1,6}))?)?$/.exec(part.trim());
    if (!match) throw new UsageError(`--${what}: "${text}" is not a list such as 1,2,4 or 1-4 or 1-16*2`);
    const [first, last, factor] = match.slice(1).map((digits) => digits && Number(digits));
    if (first < 1) throw new UsageError(`--${what}: ${first} is below 1`);
    if (last < first) throw new UsageError(`--${what}: range ${part} runs backwards`);
    if (factor < 2) throw new UsageError(`--${what}: the factor in ${part} must be at least 2`);
    const range = [];
    for (let value = first; value <= (last ?? first); value = factor ? value * factor : value + 1) {
      if (range.push(value) > MAX_VALUES) throw new UsageError(`--${what}: ${part} has more than ${MAX_VALUES} values`);
    }
    return range;
  });
  return [...new Set(values)];
}

function words(text, what, allowed) {
  const values = text.split(",").map((word) => word.trim());
  for (const word of values) {
    if (!allowed.includes(word)) throw new UsageError(`--${what}: "${word}" is not one of ${allowed.join(", ")}`);
  }
  return [...new Set(values)];
}

/** "none,0.5,2" -> [undefined, 0.5, 2]; the kernel takes no quota below a hundredth of its period. */
function quotas(text, what) {
  const values = text.split(",").map((word) => {
    if (word.trim() === "none") return undefined;
    const cpus = /^\d{1,4}(\.\d{1,3})?$/.test(word.trim()) ? Number(word) : NaN;
    if (!(cpus >= 0.01)) throw new UsageError(`--${what}: "${word}" is neither a number of CPUs such as 0.5 nor none`);
    return cpus;
  });
  return [...new Set(values)];
}

/** "intra=1,2 mode=parallel inter=3" -> {intra: "1,2", ...}. */
export function parseGridText(text) {
  const axes = {};
  for (const part of text.trim().split(/\s+/)) {
    const [name, values, ...rest] = part.split("=");
    if (!AXIS_NAMES.includes(name) || !values || rest.length) {
      throw new UsageError(`--settings: "${part}" is not NAME=LIST with NAME one of ${AXIS_NAMES.join(", ")}`);
    }
    if (name in axes) throw new UsageError(`--settings: ${name} is given twice in "${text}"`);
    axes[name] = values;
  }
  return axes;
}

// The last axis of the list varies fastest.
const NESTING = ["quota", "instances", "batch", "mode", "inter", "intra", "spin"];

function combinations(lists) {
  return NESTING.reduce(
    (found, name) => found.flatMap((one) => lists[AXIS_NAMES.indexOf(name)].map((value) => ({ ...one, [name]: value }))), [{}]);
}

/**
 * Cross product of the axes. Settings that the runtime cannot tell apart are merged: in sequential mode it
 * makes no inter-op pool, so inter_op is 1 there. Returns {settings, merged}.
 */
export function expandGrids(grids, runtime) {
  const settings = new Map();
  let asked = 0;
  for (const grid of grids) {
    const lists = AXIS_NAMES.map((name) => AXES[name].values(grid[name] ?? AXES[name].default, name));
    const count = lists.reduce((product, list) => product * list.length, 1);
    if (count > MAX_VALUES) throw new UsageError(`the grid has ${count} settings, more than ${MAX_VALUES}`);
    for (const { intra, inter, mode, spin, batch, instances, quota } of combinations(lists)) {
      asked += 1;
      const setting = {
        runtime, mode, instances, inter_op: mode === "sequential" ? 1 : inter, intra_op: intra, spin, batch,
        ...(quota === undefined ? {} : { cpu_quota: quota }),
      };
      settings.set(settingLabel(setting), setting);
    }
  }
  return { settings: [...settings.values()], merged: asked - settings.size };
}

/**
 * Short and safe in file names: "b1_sequential_1x2_spin" is batch 1, inter 1, intra 2; "_2i" two instances, "_0.5cpu" a quota,
 * "_on0+1_2+3" the CPUs of each instance.
 */
export function settingLabel({ batch, mode, inter_op, intra_op, spin, instances, cpu_quota, allocator, cpus }) {
  return `b${batch}_${mode}_${inter_op}x${intra_op}_${spin === "on" ? "spin" : "nospin"}` +
    `${instances > 1 ? `_${instances}i` : ""}${cpu_quota === undefined ? "" : `_${cpu_quota}cpu`}` +
    `${allocator === undefined ? "" : `_${allocator}`}${cpus ? `_on${cpus.map((list) => list.join("+")).join("_")}` : ""}`;
}
