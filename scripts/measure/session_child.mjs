// One measurement in a fresh process: argument is a job as JSON. Descriptor 3 carries two lines to the parent, "ready" after
// the warm-up and the answer as JSON; descriptor 4 brings "go" from it, and its end says that the process may end.
// Standard output and error are left to the library, which prints warnings there.
import fs from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import path from "node:path";
import { PERIOD_SECONDS } from "./cpu_group.mjs";
import { inputData, randomSource } from "./input_data.mjs";
import { Samples } from "./samples.mjs";
import { isStable } from "./statistics.mjs";

const MIN_REPETITIONS = 3; // even when the budget is spent: a single sample has no spread
const LOOK_AGAIN = 1.1; // whether samples are stable is asked after each tenth more: asking sorts them
const MIN_PERIODS = 30; // under a quota a run is fast or stopped, so samples must span many of its periods

const seconds = () => Number(process.hrtime.bigint()) / 1e9;
const eventsHandled = () => new Promise((resolve) => { setImmediate(resolve); });

function sessionOptions({ setting, canSetSpin, profilePrefix }) {
  const spin = setting.spin === "on" ? "1" : "0";
  return {
    executionProviders: ["cpu"],
    executionMode: setting.mode,
    intraOpNumThreads: setting.intra_op,
    interOpNumThreads: setting.inter_op,
    graphOptimizationLevel: "all",
    logSeverityLevel: 3, // errors only
    ...(setting.allocator === "system" ? { enableCpuMemArena: false } : {}),
    ...(canSetSpin
      ? { extra: { session: { intra_op: { allow_spinning: spin }, inter_op: { allow_spinning: spin } } } }
      : {}),
    ...(profilePrefix ? { enableProfiling: true, profileFilePrefix: profilePrefix } : {}),
  };
}

/** The parent's orders. When it is gone before the answer is out, nobody wants the answer. */
function listen() {
  const state = { go: false, stop: false, answered: false };
  const control = new net.Socket({ fd: 4, writable: false });
  control.on("data", () => { state.go = true; });
  control.on("error", () => {});
  control.on("close", () => {
    state.stop = true;
    if (!state.answered) process.exit(1);
  });
  return state;
}

async function prepare(job) {
  const ort = createRequire(path.join(job.folder, "package.json"))("onnxruntime-node");
  const random = randomSource(job.seed);
  const feeds = {};
  for (const input of job.inputs) {
    feeds[input.name] = new ort.Tensor(input.type, inputData(input, random), input.dims);
  }
  const begin = seconds();
  const session = await ort.InferenceSession.create(job.modelPath, sessionOptions(job));
  return { session, sessionSeconds: seconds() - begin, run: () => session.run(feeds) };
}

async function measure(job, run) {
  const samples = new Samples();
  const least = job.setting.cpu_quota === undefined ? 0 : MIN_PERIODS * PERIOD_SECONDS;
  const [minTime, budget] = [job.minTime, job.budget].map((given) => Math.max(given, least));
  const first = seconds();
  let nextLook = job.repetitions;
  const isEnough = (count) => {
    if (!job.stable) return true;
    if (count < nextLook) return false;
    nextLook = Math.ceil(count * LOOK_AGAIN);
    return isStable(samples.kept(), job.stable);
  };
  for (;;) {
    const [count, spent] = [samples.count, seconds() - first];
    if (count >= MIN_REPETITIONS && spent > budget) break;
    if (count >= job.repetitions && spent >= minTime && isEnough(count)) break;
    const start = seconds();
    await run();
    samples.add((seconds() - start) * 1000);
  }
  return { mean_ms: samples.mean(), timed_runs: samples.count, latencies_ms: samples.kept() };
}

async function warmUp({ warmup, minTime, budget }, run) {
  // Warm-up also lasts a minimum time: a call of 0.05 ms stays twice as slow until Node has compiled its path.
  const minimum = warmup > 0 ? minTime : 0;
  const begin = seconds();
  for (let count = 0; ; count += 1) {
    const spent = seconds() - begin;
    if (spent > budget || (count >= warmup && spent >= minimum)) break;
    await run();
  }
}

const orders = listen();
const tell = (line) => fs.writeFileSync(3, `${line}\n`);
try {
  const job = JSON.parse(process.argv[2]);
  const { session, sessionSeconds, run } = await prepare(job);
  const runUntil = async (order) => {
    while (!orders[order]) {
      await run();
      await eventsHandled();
    }
  };
  await warmUp(job, run);
  tell("ready");
  await runUntil("go");
  const measured = await measure(job, run);
  if (job.profilePrefix) session.endProfiling();
  orders.answered = true;
  tell(JSON.stringify({ session_ms: Number((sessionSeconds * 1000).toFixed(1)), ...measured }));
  await runUntil("stop");
} catch (error) {
  tell(JSON.stringify({ error: String(error?.message ?? error) }));
}
// The answer is out: nothing in the library's own teardown may turn it into a failure or a wait.
process.exit(0);
