// Models x settings, checked before anything runs, so that a wrong argument costs no measuring time.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { cpuGroupRefusal } from "./cpu_group.mjs";
import { InputError, UsageError } from "./errors.mjs";
import { resolveInputs } from "./input_shapes.mjs";
import { onnxInputs } from "./onnx_inputs.mjs";

/** "[NAME=]FILE" -> {name, file}; a file whose own name holds '=' wins. The default name is the file's, without .onnx. */
export function namedModel(argument) {
  const [, given, rest] = /^([\w.-]+)=(.+)$/.exec(argument) ?? [];
  const file = given && !fs.existsSync(argument) ? rest : argument;
  return { name: file === argument ? path.basename(file).replace(/\.onnx$/, "") : given, file };
}

export function readModel({ name, file }) {
  let bytes;
  try {
    bytes = fs.readFileSync(file);
  } catch (error) {
    const why = { ENOENT: "no such file", EISDIR: "is a folder" }[error.code] ?? error.message;
    throw new InputError(`${file}: ${why}`);
  }
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { name, file: path.resolve(file), sha256, inputs: onnxInputs(bytes, file) };
}

/** Why this version or this host cannot run the setting as asked; undefined when it can. */
function refusal(setting, install, quotaRefusal) {
  if (setting.cpu_quota !== undefined && quotaRefusal) return quotaRefusal;
  if (!["sequential", "parallel"].includes(setting.mode)) return `onnxruntime has no mode "${setting.mode}"`;
  if (![undefined, "framework", "system"].includes(setting.allocator)) {
    return `allocator "${setting.allocator}": through Node there are framework (an arena) and system`;
  }
  if (setting.spin === "off" && !install.canSetSpin) {
    return `onnxruntime-node ${install.version} cannot turn spinning off`;
  }
  return undefined;
}

/**
 * List of {model, identity, inputs} or {..., error} for what cannot run; those are recorded, not dropped.
 * A model of which nothing can run is the user's mistake: InputError.
 */
export function makePlan(models, settings, install, { shapes, values }, warn) {
  const plan = [];
  const quotaRefusal = settings.some((setting) => setting.cpu_quota !== undefined) ? cpuGroupRefusal() : undefined;
  const warned = new Set();
  for (const model of models) {
    const entries = settings.map((setting) => {
      const identity = { model: model.name, model_sha256: model.sha256, setting };
      try {
        const { inputs, takesBatch } = resolveInputs(model.inputs, model.name, setting.batch, shapes, values);
        if (!takesBatch && inputs.length) {
          warned.add(`${model.name}: no input dimension is the batch; recorded as batch 1`);
        }
        const error = refusal(setting, install, quotaRefusal);
        return { model, identity: { ...identity, inputs }, inputs, ...(error ? { error } : {}) };
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        return { model, identity: { ...identity, inputs: null }, error: error.message };
      }
    });
    if (entries.every((entry) => entry.error)) throw new InputError(`${model.name}: ${entries[0].error}`);
    plan.push(...entries);
  }
  for (const [option, list] of [["--shape", shapes], ["--value", values]]) {
    const unused = list.find((entry) => !entry.used);
    if (unused) throw new UsageError(`${option} ${unused.target}: no model has an input of that name`);
  }
  warned.forEach(warn);
  return plan;
}

/** Results are told apart by the model's name, so two models may not share one. */
export function checkNames(models) {
  const names = models.map((model) => model.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) throw new UsageError(`two models are called ${twice}: name them, as in NAME=FILE`);
}
