// Files of schema corecast.measurements/1: their rows, their text, and how they are written.
import path from "node:path";
import { InputError } from "../measure/errors.mjs";
import { writeAtomically } from "../measure/result_file.mjs";
import { ROW_KEYS, SCHEMA, validate } from "./validate.mjs";

/** A row in the order of the schema. What the reader assumes anyway is left out: lines stay short. */
export function row(fields) {
  const perCore = fields.threads_per_core ?? 1;
  const cores = Math.max(1, Math.floor(fields.threads / perCore));
  const assumed = { threads_per_core: 1, cores, sockets: 1, clusters: 1, placement: "compact" };
  const unknown = Object.keys(fields).find((key) => !ROW_KEYS.includes(key));
  if (unknown) throw new Error(`row: no such key "${unknown}"`);
  const kept = ROW_KEYS.filter((key) => fields[key] !== undefined && fields[key] !== assumed[key]);
  return Object.fromEntries(kept.map((key) => [key, fields[key]]));
}

/** "63.36 kB": decimal, as many digits as the size has. */
export function sizeText(bytes) {
  const [scale, unit] = bytes >= 1e9 ? [1e9, "GB"] : bytes >= 1e6 ? [1e6, "MB"] : [1e3, "kB"];
  return `${Number((bytes / scale).toPrecision(9))} ${unit}`;
}

const inline = (value) => {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inline(item)}`).join(", ")}}`;
};
const LINE = 118;

/** On one line where it fits, else one entry a line. */
function pretty(value, indent) {
  const flat = inline(value);
  if (value === null || typeof value !== "object" || indent.length + flat.length <= LINE) return flat;
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map((item) => pretty(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${pretty(item, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${entries.map((entry) => inner + entry).join(",\n")}\n${indent}${close}`;
}

/** Stable bytes, one row a line, so that a changed figure is a changed line. */
export function toText({ context, machine, rows }) {
  return `{
  "schema": ${JSON.stringify(SCHEMA)},
  "context": ${pretty(context, "  ")},
  "machine": ${pretty(machine, "  ")},
  "rows": [
${rows.map((item) => `    ${inline(item)}`).join(",\n")}
  ]
}
`;
}

/** Refuses what the reader would refuse, so that no wrong file is ever written. */
export function writeMeasurements(directory, measurements) {
  const file = path.join(directory, `${measurements.machine.name}.json`);
  const complaints = validate({ schema: SCHEMA, ...measurements });
  if (complaints.length) throw new InputError(`${file}: ${complaints[0]}`);
  const text = toText(measurements);
  writeAtomically(file, text);
  console.log(`${file}: ${measurements.rows.length} rows, ${Math.ceil(text.length / 1000)} kB`);
}
