// What all converters share: the command line, and reading CSV.
import fs from "node:fs";
import path from "node:path";
import { InputError, UsageError } from "../measure/errors.mjs";
import { writeMeasurements } from "./measurements.mjs";

/** The command line is INPUT DIRECTORY; `convert` turns the input's text into a list of measurements. */
export function runConverter(convert) {
  const [input, directory, ...more] = process.argv.slice(2);
  try {
    if (!input || !directory || more.length) {
      throw new UsageError(`usage: ${path.basename(process.argv[1])} INPUT DIRECTORY`);
    }
    let text;
    try {
      text = fs.readFileSync(input, "utf8");
    } catch (error) {
      throw new InputError(`${input}: cannot be read (${error.code})`);
    }
    fs.mkdirSync(directory, { recursive: true });
    for (const measurements of convert(text)) writeMeasurements(directory, measurements);
  } catch (error) {
    if (!error.exitCode) throw error;
    console.error(error.message);
    process.exitCode = error.exitCode;
  }
}

/** CSV without quotes -> list of objects; an empty cell stays "". */
export function parseCsv(text) {
  const [head, ...lines] = text.trim().split(/\r?\n/);
  const names = head.split(",");
  return lines.map((line, index) => {
    const cells = line.split(",");
    if (cells.length !== names.length) {
      throw new InputError(`line ${index + 2}: ${cells.length} cells, wanted ${names.length}`);
    }
    return Object.fromEntries(names.map((name, column) => [name, cells[column]]));
  });
}

export const numberOf = (cell, what) => {
  const value = Number(cell);
  if (cell === "" || !Number.isFinite(value)) throw new InputError(`${what}: "${cell}" is not a number`);
  return value;
};
