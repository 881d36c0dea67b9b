// The result document: created, resumed from disk, extended round by round, written atomically.
import fs from "node:fs";
import path from "node:path";
import { InputError } from "./errors.mjs";
import { contextDifferences } from "./host_context.mjs";
import { summarize } from "./statistics.mjs";

export const SCHEMA = "corecast.measured_runs/1";

/** Two measurements are rounds of one run when the model's bytes, its name, the inputs and the setting agree. */
const runKey = ({ model, model_sha256, inputs, setting }) => JSON.stringify([model, model_sha256, inputs, setting]);

export function openResult(file, context) {
  if (!file || !fs.existsSync(file)) return { schema: SCHEMA, context, runs: [] };
  let result;
  try {
    result = JSON.parse(fs.readFileSync(file, "utf8"));
  } catch (error) {
    throw new InputError(`${file}: cannot be continued, it is not JSON (${error.message})`);
  }
  if (result?.schema !== SCHEMA || !Array.isArray(result.runs) || !result.context) {
    throw new InputError(`${file}: cannot be continued, it is not a ${SCHEMA} file`);
  }
  const differences = contextDifferences(result.context, context);
  if (differences.length) {
    throw new InputError(
      `${file}: cannot be continued, it was measured with another ${differences.join(", ")}; choose another -o`);
  }
  return result;
}

/** The run of this identity, added when missing. */
export function runFor(result, identity) {
  const key = runKey(identity);
  let run = result.runs.find((candidate) => runKey(candidate) === key);
  if (!run) {
    run = { ...identity, rounds: [] };
    result.runs.push(run);
  }
  return run;
}

export const hasRound = (run, round) => run.rounds.some((done) => done.round === round);

/** Adds an answer of a child: a round, or a failure that stays visible until that round succeeds. */
export function addAnswer(run, round, { error, ...measured }) {
  const failures = (run.failures ?? []).filter((failure) => failure.round !== round);
  if (error !== undefined) failures.push({ round, error });
  else run.rounds.push({ round, ...measured });
  delete run.failures;
  if (failures.length) run.failures = failures;
  if (run.rounds.length) Object.assign(run, summarize(run.rounds));
}

/** Indented, but with lists of numbers on one line: they are most of the file. */
export function toText(value) {
  const numberList = /\[\s+(-?\d[-\d.,e\s]*?)\s+\]/g;
  return `${JSON.stringify(value, null, 1).replace(numberList, (_, list) => `[${list.replace(/\s+/g, " ")}]`)}\n`;
}

/**
 * Complains about a bad target while nothing is measured yet. Only regular files are replaced: the rename below
 * would destroy a link or a device such as /dev/stdout.
 */
export function checkWritable(file) {
  try {
    const there = fs.lstatSync(file, { throwIfNoEntry: false });
    if (there && !there.isFile()) throw new InputError(`${file}: is not a regular file`);
    fs.accessSync(path.dirname(path.resolve(file)), fs.constants.W_OK);
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${file}: cannot be written (${error.code ?? error.message})`);
  }
}

/** Readers see the old file or the new one, never a part of it. */
export function writeAtomically(file, text) {
  checkWritable(file);
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`);
  try {
    fs.writeFileSync(temporary, text);
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw new InputError(`${file}: cannot be written (${error.code ?? error.message})`);
  }
}
