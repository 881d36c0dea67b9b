// A profiled run: onnxruntime's own trace of each operator. It is slower, so its times never enter a result.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { writeAtomically } from "./result_file.mjs";
import { settingLabel } from "./settings_grid.mjs";

/** FILE itself for a single run; with several, model and setting go in front of its extension. */
export function profileFile(file, entry, count) {
  if (count === 1) return file;
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.${entry.identity.model}.${settingLabel(entry.identity.setting)}${ext}`);
}

/** Has start(changes to the job) run with profiling and puts the trace at target; returns an error text or undefined. */
export async function profileRun(target, start) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "onnxruntime-profile-"));
  try {
    const { error } = await start({ minTime: 0, profilePrefix: path.join(folder, "trace") });
    if (error !== undefined) return error;
    const [trace] = fs.readdirSync(folder); // the library appends a date to the prefix
    if (!trace) return "onnxruntime wrote no profile";
    writeAtomically(target, fs.readFileSync(path.join(folder, trace)));
    return undefined;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
