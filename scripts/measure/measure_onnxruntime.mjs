#!/usr/bin/env node
// Measures ONNX models in the real onnxruntime over a list of settings; see README.md.
// Exit codes: 0 all measured, 1 usage, 2 bad input, 3 some settings failed (recorded in the result), 130 interrupted.
import path from "node:path";
import { parseCommandLine, USAGE } from "./command_line.mjs";
import { toCsv } from "./csv.mjs";
import { InputError, UsageError } from "./errors.mjs";
import { hostContext, loadAverage } from "./host_context.mjs";
import { checkNames, makePlan, readModel } from "./measurement_plan.mjs";
import { defaultCache, findInstall, runtimeName } from "./onnxruntime_install.mjs";
import { readPlan } from "./plan_file.mjs";
import { profileFile, profileRun } from "./profile_run.mjs";
import { addAnswer, checkWritable, hasRound, openResult, runFor, toText, writeAtomically } from "./result_file.mjs";
import { runInstances } from "./run_child.mjs";
import { expandGrids, settingLabel } from "./settings_grid.mjs";
import { roundMedian } from "./statistics.mjs";

const say = (line) => process.stderr.write(`${line}\n`);
let running = null;

function interrupted() {
  running?.stop();
  say("interrupted; the rounds that were written are kept, the same command goes on from there");
  process.exit(130);
}
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, interrupted);
process.stdout.on("error", interrupted); // nobody waits for the answers any more

/** Of a plan the settings stand there; otherwise they are made from the axes. */
function settingsOf(options, runtime) {
  if (options.settings) return options.settings;
  const { settings, merged } = expandGrids(options.grids, runtime);
  if (merged) say(`${merged} settings merged: they differ only in what the runtime ignores`);
  return settings;
}

function prepare(given) {
  for (const file of [given.output, given.csv, given.profile]) if (file) checkWritable(file);
  const install = findInstall(given.version, path.resolve(given.cache ?? defaultCache()));
  const runtime = runtimeName(install.version);
  const options = given.plan ? { ...given, ...readPlan(given.plan, runtime) } : given;
  if (options.profile && !install.canProfile) {
    throw new InputError(`onnxruntime-node ${install.version} ignores profiling: --profile needs a newer version`);
  }
  const settings = settingsOf(options, runtime);
  const models = options.models.map(readModel);
  checkNames(models);
  const plan = makePlan(models, settings, install, options, (text) => say(`warning: ${text}`));
  const { warmup, repetitions, minTime, budget, stable, seed } = options;
  const method = {
    warmup, repetitions, min_time_seconds: minTime, budget_seconds: budget, ...(stable ? { stable } : {}), seed, graph_optimization: "all",
  };
  const context = hostContext({ onnxruntimeVersion: install.version, method, date: options.date });
  return { options, install, plan, result: openResult(options.output, context) };
}

const jobFor = (entry, install, { warmup, repetitions, minTime, budget, stable, seed }) => ({
  folder: install.folder, canSetSpin: install.canSetSpin, modelPath: entry.model.file, inputs: entry.inputs,
  setting: entry.identity.setting, warmup, repetitions, minTime, budget, stable, seed,
});

const title = (entry) => `${entry.identity.model} ${settingLabel(entry.identity.setting)}`;

/** For the program that made a plan: one line of JSON a round of a setting; for people, one line of text. */
function report(options, plan, round, i, answer) {
  const { setting } = plan[i].identity;
  if (options.plan) {
    const outcome = answer.error ? { error: answer.error } : { latency_ms: Number(roundMedian(answer).toFixed(4)) };
    const [done, total] = [round * plan.length + i + 1, options.processes * plan.length];
    process.stdout.write(`${JSON.stringify({ done, total, round, setting, ...outcome })}\n`);
    return;
  }
  const progress = `[round ${round + 1}/${options.processes}, ${i + 1}/${plan.length}] ${title(plan[i])}:`;
  say(answer.error ? `${progress} failed: ${answer.error}`
    : `${progress} ${roundMedian(answer).toFixed(3)} ms (${answer.timed_runs} runs)`);
}

/** Rounds go over all settings before the next one starts: a burst of noise then spoils one round of a setting. */
async function measureRounds(plan, options, start, result, save) {
  const runs = plan.map((entry) => runFor(result, entry.identity));
  const failed = new Set();
  for (let round = 0; round < options.processes; round += 1) {
    for (const [i, entry] of plan.entries()) {
      if (hasRound(runs[i], round) || failed.has(entry)) continue;
      const load = loadAverage();
      const answer = entry.error ? { error: entry.error } : await start(entry);
      addAnswer(runs[i], round, answer.error ? answer : { load_average: load, ...answer });
      // What fails once mostly fails always (and may take the whole timeout); a later run tries again.
      if (answer.error) failed.add(entry);
      save(); // before it is told: who reads the progress may look at the file
      report(options, plan, round, i, answer);
    }
  }
  return runs.filter((run) => run.failures).length;
}

async function profileAll(plan, options, start) {
  let failures = 0;
  const possible = plan.filter((entry) => !entry.error);
  for (const entry of possible) {
    const target = profileFile(options.profile, entry, possible.length);
    const error = await profileRun(target, (extra) => start(entry, extra));
    if (error) failures += 1;
    say(`profile of ${title(entry)}: ${error ? `failed: ${error}` : target}`);
  }
  return failures;
}

async function main(argv) {
  const given = parseCommandLine(argv);
  if (given.help) return void process.stdout.write(USAGE);
  const { options, install, plan, result } = prepare(given);
  const onStart = (started) => { running = started; };
  const start = (entry, extra = {}) =>
    runInstances({ ...jobFor(entry, install, options), ...extra }, options.timeout, { onStart });
  const save = () => {
    if (options.output) writeAtomically(options.output, toText(result));
    if (options.csv) writeAtomically(options.csv, toCsv(result, options.machine));
  };
  if (!options.plan) say(`onnxruntime ${install.version}, ${plan.length} settings x ${options.processes} processes, ` +
    `load average ${result.context.load_average[0]}`);
  let failures = await measureRounds(plan, options, start, result, save);
  if (options.processes > 0) {
    save();
    if (!options.output) process.stdout.write(toText(result));
    else if (!options.plan) say(`written: ${path.resolve(options.output)}`);
  }
  if (options.profile) failures += await profileAll(plan, options, start);
  if (failures) say(`${failures} settings failed; their errors are in the result`);
  process.exitCode = failures ? 3 : 0;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError || error instanceof InputError)) throw error;
  say(`measure_onnxruntime: ${error.message}`);
  if (error instanceof UsageError) say("try --help");
  process.exitCode = error.exitCode;
}
