// Concrete input shapes from the model's declared ones, the batch of a setting and --shape.
import { InputError, UsageError } from "./errors.mjs";

/** "[MODEL:]NAME=1x3x224x224"; N stands for the batch, "scalar" for rank 0. Input names may hold ':' and '='. */
export function parseShape(argument) {
  const cut = argument.lastIndexOf("=");
  const dims = argument.slice(cut + 1);
  if (cut < 1 || !/^(scalar|(\d{1,9}|N)(x(\d{1,9}|N))*)$/.test(dims)) {
    throw new UsageError(`--shape: "${argument}" is not NAME=1x3x224x224 (N for the batch)`);
  }
  const values = dims === "scalar" ? [] : dims.split("x").map((dim) => (dim === "N" ? "N" : Number(dim)));
  return { target: argument.slice(0, cut), dims: values };
}

/** "[MODEL:]NAME=NUMBER": the input is filled with this number. */
export function parseValue(argument) {
  const cut = argument.lastIndexOf("=");
  const value = Number(argument.slice(cut + 1));
  if (cut < 1 || argument.slice(cut + 1).trim() === "" || !Number.isFinite(value)) {
    throw new UsageError(`--value: "${argument}" is not NAME=NUMBER`);
  }
  return { target: argument.slice(0, cut), value };
}

/** The entry meant for this input, MODEL:NAME before NAME; marks it as used so that typos can be reported. */
export function findFor(entries, model, input) {
  const hit =
    entries.findLast((entry) => entry.target === `${model}:${input}`) ??
    entries.findLast((entry) => entry.target === input);
  if (hit) hit.used = true;
  return hit;
}

const spelled = (dims) => (dims.length ? dims.join("x") : "scalar");

function shapeOf(input, batch, given) {
  if (input.dims === null && !given) {
    throw new InputError(`input "${input.name}" has no declared shape: give --shape ${input.name}=...`);
  }
  if (given && input.dims && given.dims.length !== input.dims.length) {
    throw new InputError(
      `--shape ${input.name}=${spelled(given.dims)} has ${given.dims.length} dimensions, the model has ${spelled(input.dims)}`);
  }
  let takesBatch = false;
  const dims = (input.dims ?? given.dims).map((declared, axis) => {
    const asked = given?.dims[axis];
    const fixed = typeof declared === "number" && input.dims !== null;
    // A leading 1 in --shape is read as "the batch", so that one --shape serves a list of batches.
    const isOpenFirst = axis === 0 && !fixed && !given?.dims.includes("N");
    const isBatch = asked === "N" || (isOpenFirst && (asked === undefined || asked === 1));
    const wanted = isBatch ? batch : asked;
    if (fixed && wanted !== undefined && wanted !== declared) {
      throw new InputError(
        `input "${input.name}" has ${declared} fixed at dimension ${axis}, ${wanted} was asked for`);
    }
    if (isBatch || (fixed && axis === 0 && declared === batch)) takesBatch = true;
    if (wanted === undefined && !fixed) {
      throw new InputError(
        `input "${input.name}" (${spelled(input.dims)}) is open at dimension ${axis}: give --shape ${input.name}=...`);
    }
    return wanted ?? declared;
  });
  return { dims, takesBatch };
}

/**
 * Inputs with numbers for all dimensions; InputError when the model does not allow that batch.
 * takesBatch is false when no input has a dimension for it, which only batch 1 allows.
 */
export function resolveInputs(inputs, model, batch, shapes, values = []) {
  const resolved = inputs.map((input) => {
    if (!input.type || input.type === "string") {
      throw new InputError(`input "${input.name}" is not a numeric tensor: such inputs are not generated`);
    }
    const { dims, takesBatch } = shapeOf(input, batch, findFor(shapes, model, input.name));
    return { name: input.name, type: input.type, dims, value: findFor(values, model, input.name)?.value, takesBatch };
  });
  if (batch > 1 && !resolved.some((input) => input.takesBatch)) {
    const declared = inputs.map((input) => `${input.name}: ${input.dims ? spelled(input.dims) : "any"}`).join(", ");
    throw new InputError(`batch ${batch} is not possible: no input dimension takes it (${declared})`);
  }
  return {
    inputs: resolved.map(({ takesBatch, ...input }) => input),
    takesBatch: resolved.some((input) => input.takesBatch),
  };
}
