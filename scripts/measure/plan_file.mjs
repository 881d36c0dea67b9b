// Reads a plan, corecast.measure_plan/1 (README.md, "The adaptors' contract"), and checks it before anything runs.
import fs from "node:fs";
import path from "node:path";
import { InputError } from "./errors.mjs";
import { parseShape, parseValue } from "./input_shapes.mjs";

const SCHEMA = "corecast.measure_plan/1";
const MOST_INSTANCES = 1024;

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === "string" && value !== "";
const isCount = (value) => Number.isSafeInteger(value) && value >= 1;
const isNumberFrom = (least) => (value) => typeof value === "number" && value >= least && value < Infinity;
const isCpuList = (list) => Array.isArray(list) && list.length > 0 && new Set(list).size === list.length &&
  list.every((cpu) => Number.isSafeInteger(cpu) && cpu >= 0);

const COUNT = [isCount, "a whole number from 1"];
const SECONDS = [isNumberFrom(0), "a number of seconds"];
// name: [test, what it must be]; in the order in which results list them
const SETTING = {
  mode: [isText, "a text"],
  instances: [(value) => isCount(value) && value <= MOST_INSTANCES, `a whole number from 1 to ${MOST_INSTANCES}`],
  inter_op: COUNT,
  intra_op: COUNT,
  spin: [(value) => value === "on" || value === "off", '"on" or "off"'],
  batch: COUNT,
  allocator: [isText, "a text"],
  cpu_quota: [isNumberFrom(0.01), "a number of CPUs from 0.01"],
  cpus: [(value) => Array.isArray(value) && value.every(isCpuList), "a list of CPU numbers for each instance"],
};
const OPTIONAL = ["spin", "allocator", "cpu_quota", "cpus"];
const METHOD = {
  warmup: ["warmup", isNumberFrom(0), "a number from 0", 5],
  repetitions: ["repetitions", ...COUNT, 30],
  min_time_seconds: ["minTime", ...SECONDS, 0.2],
  budget_seconds: ["budget", ...SECONDS, 5],
  stable: ["stable", (value) => value === false || isNumberFrom(0)(value), "false or a share such as 0.02", false],
  processes: ["processes", ...COUNT, 5],
  timeout_seconds: ["timeout", isNumberFrom(0.001), "a number of seconds above 0", 120],
  seed: ["seed", isNumberFrom(0), "a number from 0", 1],
};

function checkKeys(where, value, known) {
  if (!isObject(value)) throw new InputError(`${where}: is no object`);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown) throw new InputError(`${where}/${unknown}: unknown key; known are ${known.join(", ")}`);
}

function settingOf(where, given, runtime) {
  checkKeys(where, given, Object.keys(SETTING));
  const setting = { runtime };
  for (const [name, [fits, wanted]] of Object.entries(SETTING)) {
    const value = given[name] ?? undefined;
    if (value === undefined && OPTIONAL.includes(name)) continue;
    if (!fits(value)) throw new InputError(`${where}/${name}: ${JSON.stringify(value) ?? "missing"} is not ${wanted}`);
    setting[name] = value;
  }
  setting.spin ??= "on"; // onnxruntime's own default
  if (setting.cpus && setting.cpus.length !== setting.instances) {
    throw new InputError(`${where}/cpus: ${setting.cpus.length} lists for ${setting.instances} instances`);
  }
  return setting;
}

function methodOf(where, given = {}) {
  checkKeys(where, given, Object.keys(METHOD));
  return Object.fromEntries(Object.entries(METHOD).map(([name, [option, fits, wanted, otherwise]]) => {
    const value = given[name] ?? otherwise;
    if (!fits(value)) throw new InputError(`${where}/${name}: ${JSON.stringify(value)} is not ${wanted}`);
    return [option, value];
  }));
}

function texts(where, given, parse) {
  const list = given ?? [];
  if (!Array.isArray(list) || !list.every(isText)) throw new InputError(`${where}: is not a list of texts`);
  try {
    return list.map(parse);
  } catch (error) {
    throw new InputError(`${where}: ${error.message}`); // of the command line otherwise
  }
}

/** {models, settings, shapes, values, warmup, ...}: what the command line would have said. */
export function readPlan(file, runtime) {
  let plan;
  try {
    plan = JSON.parse(fs.readFileSync(file, "utf8"));
  } catch (error) {
    throw new InputError(error.code ? `${file}: cannot be read (${error.code})` : `${file}: not JSON (${error.message})`);
  }
  checkKeys(file, plan, ["schema", "model", "framework", "settings", "method", "shapes", "values"]);
  if (plan.schema !== SCHEMA) throw new InputError(`${file}: /schema: ${JSON.stringify(plan.schema)} is not "${SCHEMA}"`);
  checkKeys(`${file}: /model`, plan.model, ["name", "file"]);
  if (!isText(plan.model.file)) throw new InputError(`${file}: /model/file: the path of a model is missing`);
  if (!Array.isArray(plan.settings) || !plan.settings.length) {
    throw new InputError(`${file}: /settings: a list with at least one setting is wanted`);
  }
  const name = plan.model.name ?? path.basename(plan.model.file).replace(/\.onnx$/, "");
  return {
    models: [{ name, file: path.resolve(path.dirname(file), plan.model.file) }],
    settings: plan.settings.map((setting, i) => settingOf(`${file}: /settings/${i}`, setting, runtime)),
    ...methodOf(`${file}: /method`, plan.method),
    shapes: texts(`${file}: /shapes`, plan.shapes, parseShape),
    values: texts(`${file}: /values`, plan.values, parseValue),
  };
}
