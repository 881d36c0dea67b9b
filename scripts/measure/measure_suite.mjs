#!/usr/bin/env node
// Times many small models in few processes: `measure_suite.mjs --plan plan.json --output runs.json`. For `corecast calibrate
// --runtime`: starting Node for every model and setting would take longer than the models do.
//
// plan: {"schema": "corecast.suite_plan/1", "version": "current", "rounds": 3, "min_seconds": 0.1, "threads": [1, 2],
//        "models": [{"name", "file"}]}
// runs: {"schema": "corecast.suite_runs/1", "context": {...}, "runs": [{"model", "threads", "round", "median_ms", "min_ms",
//        "timed_runs"} or {"model", "threads", "round", "error"}]}
//
// A round visits all models in processes of CHUNK models, for one number of threads after the other, before the next round
// begins: a burst of other work on the machine spoils one round of a few models. Progress: "progress 0.25 NAME" lines on
// standard error. Exit codes as in measure_onnxruntime.mjs.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { InputError, UsageError } from "./errors.mjs";
import { hostContext } from "./host_context.mjs";
import { inputData, randomSource } from "./input_data.mjs";
import { resolveInputs } from "./input_shapes.mjs";
import { onnxInputs } from "./onnx_inputs.mjs";
import { defaultCache, findInstall } from "./onnxruntime_install.mjs";
import { writeAtomically } from "./result_file.mjs";
import { median } from "./statistics.mjs";

const SELF = fileURLToPath(import.meta.url);
const CHUNK = 24; // models in a process: some versions give a session's memory back only with the process
const SEED = 1;
const FIRST_WARM_UP = 0.4; // until Node has compiled its path to the library
const WARM_UP = 0.03;
const LEAST_RUNS = 5;
const BUDGET = 12; // times min_seconds, for one model: five runs of a slow one end there

const seconds = () => Number(process.hrtime.bigint()) / 1e9;

async function timed(run, minSeconds, warmUp) {
  const begin = seconds();
  for (let count = 0; count < 2 || seconds() - begin < warmUp; count += 1) await run();
  const times = [];
  const start = seconds();
  for (;;) {
    const before = seconds();
    await run();
    const after = seconds();
    times.push((after - before) * 1000);
    const spent = after - start;
    if ((times.length >= LEAST_RUNS && spent >= minSeconds) || spent > BUDGET * minSeconds) return times;
  }
}

/** In the child: all models of a chunk with one number of threads; one line of JSON each on standard output. */
async function runChunk({ folder, threads, minSeconds, models }) {
  const ort = createRequire(path.join(folder, "package.json"))("onnxruntime-node");
  let warmUp = FIRST_WARM_UP;
  for (const { name, file } of models) {
    let answer;
    try {
      const bytes = fs.readFileSync(file);
      const { inputs } = resolveInputs(onnxInputs(bytes, file), name, 1, []);
      const random = randomSource(SEED);
      const feeds = {};
      for (const input of inputs) feeds[input.name] = new ort.Tensor(input.type, inputData(input, random), input.dims);
      const session = await ort.InferenceSession.create(file, {
        executionProviders: ["cpu"], executionMode: "sequential", intraOpNumThreads: threads, interOpNumThreads: 1,
        graphOptimizationLevel: "all", logSeverityLevel: 3,
      });
      const times = await timed(() => session.run(feeds), minSeconds, warmUp);
      warmUp = WARM_UP;
      answer = { median_ms: Number(median(times).toFixed(5)), min_ms: Number(Math.min(...times).toFixed(5)), timed_runs: times.length };
      await session.release?.();
    } catch (error) {
      answer = { error: String(error?.message ?? error) };
    }
    process.stdout.write(`${JSON.stringify({ model: name, threads, ...answer })}\n`);
  }
  process.exit(0); // nothing in the library's own teardown may turn answers into a failure
}

/** Starts a child for the chunk; onAnswer receives its lines. What a crash leaves unanswered is recorded as its error. */
function startChunk(job, onAnswer) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [SELF, "--chunk", JSON.stringify(job)], { stdio: ["ignore", "pipe", "pipe"] });
    const open = new Set(job.models.map((model) => model.name));
    let partial = "";
    let printed = "";
    child.stderr.on("data", (text) => { printed = (printed + text).slice(-2000); });
    child.stdout.on("data", (text) => {
      const lines = (partial + text).split("\n");
      partial = lines.pop();
      for (const line of lines) {
        if (!line.startsWith('{"model"')) continue; // the library may print too
        const answer = JSON.parse(line);
        open.delete(answer.model);
        onAnswer(answer);
      }
    });
    const end = (how) => {
      for (const name of open) onAnswer({ model: name, threads: job.threads, error: how });
      resolve();
    };
    child.on("error", (error) => end(`cannot start Node: ${error.message}`));
    child.on("close", (code, signal) => {
      const last = printed.trim().split("\n").at(-1) || "it printed nothing";
      end(`process ${signal ? `was stopped by ${signal}` : `ended with code ${code}`}: ${last}`);
    });
  });
}

function readPlan(file) {
  let plan;
  try {
    plan = JSON.parse(fs.readFileSync(file, "utf8"));
  } catch (error) {
    throw new InputError(`${file}: ${error.message}`);
  }
  if (plan.schema !== "corecast.suite_plan/1" || !Array.isArray(plan.models) || !Array.isArray(plan.threads)) {
    throw new InputError(`${file}: is not a corecast.suite_plan/1 file`);
  }
  return plan;
}

async function measureAll(plan, output) {
  const install = findInstall(plan.version ?? "current", defaultCache());
  const { rounds, min_seconds: minSeconds, models } = plan;
  const method = { rounds, min_seconds: minSeconds, warmup_seconds: WARM_UP, seed: SEED, graph_optimization: "all" };
  const result = { schema: "corecast.suite_runs/1", context: hostContext({ onnxruntimeVersion: install.version, method }), runs: [] };
  const all = rounds * plan.threads.length * models.length;
  for (let round = 0; round < rounds; round += 1) {
    for (const threads of plan.threads) {
      for (let first = 0; first < models.length; first += CHUNK) {
        const job = { folder: install.folder, threads, minSeconds, models: models.slice(first, first + CHUNK) };
        await startChunk(job, (answer) => {
          result.runs.push({ round, ...answer });
          process.stderr.write(`progress ${(result.runs.length / all).toFixed(4)} ${answer.model}\n`);
        });
      }
    }
  }
  writeAtomically(output, `${JSON.stringify(result)}\n`);
}

async function main(argv) {
  if (argv[0] === "--chunk") return runChunk(JSON.parse(argv[1]));
  const options = {};
  for (let i = 0; i < argv.length; i += 2) options[argv[i]] = argv[i + 1];
  if (!options["--plan"] || !options["--output"] || Object.keys(options).length !== 2) {
    throw new UsageError("usage: measure_suite.mjs --plan PLAN.json --output RUNS.json");
  }
  return measureAll(readPlan(options["--plan"]), options["--output"]);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError || error instanceof InputError)) throw error;
  process.stderr.write(`measure_suite: ${error.message}\n`);
  process.exitCode = error.exitCode;
}
