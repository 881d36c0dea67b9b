// One measurement in a fresh process: argument is a job as JSON, the answer is one JSON text on descriptor 3.
// Standard output and error are left to the library, which prints warnings there.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { inputData, randomSource } from "./input_data.mjs";

const MIN_REPETITIONS = 3; // even when the budget is spent: a single sample has no spread
const MAX_EXTRA = 1000; // samples kept of a tiny model when only the minimum time asks for more

const seconds = () => Number(process.hrtime.bigint()) / 1e9;

function sessionOptions({ setting, canSetSpin, profilePrefix }) {
  const spin = setting.spin === "on" ? "1" : "0";
  return {
    executionProviders: ["cpu"],
    executionMode: setting.mode,
    intraOpNumThreads: setting.intra_op,
    interOpNumThreads: setting.inter_op,
    graphOptimizationLevel: "all",
    logSeverityLevel: 3, // errors only
    ...(canSetSpin
      ? { extra: { session: { intra_op: { allow_spinning: spin }, inter_op: { allow_spinning: spin } } } }
      : {}),
    ...(profilePrefix ? { enableProfiling: true, profileFilePrefix: profilePrefix } : {}),
  };
}

async function measure(job) {
  const ort = createRequire(path.join(job.folder, "package.json"))("onnxruntime-node");
  const random = randomSource(job.seed);
  const feeds = {};
  for (const input of job.inputs) {
    feeds[input.name] = new ort.Tensor(input.type, inputData(input, random), input.dims);
  }

  const begin = seconds();
  const session = await ort.InferenceSession.create(job.modelPath, sessionOptions(job));
  const loaded = seconds();

  const timed = async () => {
    const start = seconds();
    await session.run(feeds);
    return (seconds() - start) * 1000;
  };
  // Warm-up also lasts a minimum time: a call of 0.05 ms stays twice as slow until Node has compiled its path.
  const warmupMinimum = job.warmup > 0 ? job.minTime : 0;
  for (let count = 0; ; count += 1) {
    const spent = seconds() - loaded;
    if (spent > job.budget || (count >= job.warmup && spent >= warmupMinimum)) break;
    await timed();
  }

  const latencies = [];
  const first = seconds();
  for (;;) {
    const [count, spent] = [latencies.length, seconds() - first];
    if (count >= MIN_REPETITIONS && spent > job.budget) break;
    if (count >= job.repetitions && (spent >= job.minTime || count >= MAX_EXTRA)) break;
    latencies.push(Number((await timed()).toFixed(4)));
  }
  if (job.profilePrefix) session.endProfiling();
  return { session_ms: Number(((loaded - begin) * 1000).toFixed(1)), latencies_ms: latencies };
}

let answer;
try {
  answer = await measure(JSON.parse(process.argv[2]));
} catch (error) {
  answer = { error: String(error?.message ?? error) };
}
fs.writeFileSync(3, JSON.stringify(answer));
// The answer is out: nothing in the library's own teardown may turn it into a failure or a wait.
process.exit(0);
