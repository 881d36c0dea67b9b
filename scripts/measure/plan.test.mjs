// Tests of plans: what a program hands over instead of a command line. onnxruntime has a stand-in.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { parseCommandLine } from "./command_line.mjs";
import { readPlan } from "./plan_file.mjs";
import { isStable, medianInterval } from "./statistics.mjs";
import { fakeCache, reluModel, temporaryFolder } from "./test_support.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const SETTING = { mode: "sequential", instances: 1, inter_op: 1, intra_op: 2, spin: "on", batch: 1 };
const METHOD = {
  warmup: 1, repetitions: 3, min_time_seconds: 0, budget_seconds: 1, stable: false, processes: 1, timeout_seconds: 20, seed: 1,
};
const PLAN = {
  schema: "corecast.measure_plan/1", model: { name: "net", file: "a.onnx" }, framework: "onnxruntime", settings: [SETTING],
  method: METHOD, shapes: [], values: [],
};

/** measure(plan) runs the program on it in a folder that has model a.onnx. */
function workshop(t) {
  const folder = temporaryFolder(t);
  const cache = fakeCache(path.join(folder, "cache"));
  fs.writeFileSync(path.join(folder, "a.onnx"), reluModel(["n", 3]));
  const put = (plan) => fs.writeFileSync(path.join(folder, "plan.json"), JSON.stringify(plan));
  return {
    folder, put,
    measure: (plan) => {
      put(plan);
      return spawnSync(process.execPath, [path.join(here, "measure_onnxruntime.mjs"), "--plan", "plan.json", "--output", "runs.json",
        "--cache", cache, "--version", "9.9.9"], { cwd: folder, encoding: "utf8", timeout: 60000 });
    },
    result: () => JSON.parse(fs.readFileSync(path.join(folder, "runs.json"), "utf8")),
  };
}
const lines = (text) => text.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));

test("the interval of a median takes the order statistics that the binomial law gives", () => {
  // n = 100: (100 - 19.6) / 2 = 40.2 and (100 + 19.6) / 2 + 1 = 60.8, so the 40th and the 61st.
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  assert.deepEqual(medianInterval(values), [40, 61]);
  assert.equal(medianInterval([1, 2, 3, 4, 5]), null); // five values: 1 - 2/32 is below 95 %
  assert.deepEqual(medianInterval([1, 2, 3, 4, 5, 6]), [1, 6]);
  assert.equal(isStable(Array(6).fill(7), 0), true);
  assert.equal(isStable([98, 99, 100, 100, 101, 102], 0.02), true); // 4 wide, 2 x 2 % of 100 allowed
  assert.equal(isStable([97, 99, 100, 100, 101, 102], 0.02), false);
});

test("a plan is measured, told line by line, and continued", (t) => {
  const { measure, result } = workshop(t);
  const plan = { ...PLAN, settings: [SETTING, { ...SETTING, batch: 4, cpu_quota: null, cpus: null }], method: { ...METHOD, processes: 2 } };
  const first = measure(plan);
  assert.equal(first.status, 0, first.stderr);
  assert.equal(first.stderr, "");
  assert.deepEqual(lines(first.stdout).map(({ done, total, round }) => [done, total, round]), [[1, 4, 0], [2, 4, 0], [3, 4, 1], [4, 4, 1]]);
  assert.ok(lines(first.stdout).every((line) => line.latency_ms > 0));
  const { runs } = result();
  assert.deepEqual(runs.map((run) => run.setting), [
    { runtime: "onnxruntime", ...SETTING }, { runtime: "onnxruntime", ...SETTING, batch: 4 }]);
  assert.deepEqual(runs.map((run) => [run.model, run.rounds.length]), [["net", 2], ["net", 2]]);
  assert.equal(measure(plan).stdout, "");
  const more = measure({ ...plan, method: { ...METHOD, processes: 3 } });
  assert.deepEqual(lines(more.stdout).map((line) => line.done), [5, 6]);
  const other = measure({ ...plan, method: { ...METHOD, stable: 0.02 } });
  assert.equal(other.status, 2);
  assert.match(other.stderr, /another method/);
});

test("each instance runs on its CPUs, and CPUs that are not there are a failure", (t) => {
  const { measure, result, folder } = workshop(t);
  fs.writeFileSync(path.join(folder, "cpus.onnx"), reluModel(["n", 3]));
  const plan = {
    ...PLAN, model: { name: "net", file: "cpus.onnx" },
    settings: [{ ...SETTING, instances: 2, cpus: [[0], [0]] }, { ...SETTING, cpus: [[60000]] }, SETTING],
  };
  const { status, stdout } = measure(plan);
  assert.equal(status, 3, stdout);
  const [both, nowhere, free] = result().runs;
  assert.deepEqual(both.setting.cpus, [[0], [0]]);
  assert.deepEqual(fs.readdirSync(folder).filter((name) => name.startsWith("on_cpus_")).map((name) =>
    fs.readFileSync(path.join(folder, name), "utf8")).sort().slice(0, 2), ["0", "0"]);
  assert.match(nowhere.failures[0].error, /taskset/);
  assert.ok(!("cpus" in free.setting));
  assert.ok("error" in lines(stdout)[1]);
});

test("with stable, runs go on until their median is known or the budget is spent", (t) => {
  const { measure, result } = workshop(t);
  measure({ ...PLAN, method: { ...METHOD, stable: 1, repetitions: 3 } });
  const loose = result().runs[0].rounds[0].timed_runs;
  assert.ok(loose >= 6 && loose < 20, `${loose} runs`); // below six values there is no interval
  const tight = workshop(t);
  tight.measure({ ...PLAN, method: { ...METHOD, stable: 1e-6, budget_seconds: 0.3 } });
  assert.ok(tight.result().runs[0].rounds[0].timed_runs > 50); // a run takes about 1 ms
});

test("a wrong plan ends with the key that is wrong", (t) => {
  const { put, measure, folder } = workshop(t);
  const wrong = (change) => readPlan((put({ ...PLAN, ...change }), path.join(folder, "plan.json")), "onnxruntime");
  for (const [change, message] of [
    [{ schema: "other/1" }, /schema: "other\/1" is not/], [{ settings: [] }, /at least one setting/], [{ colour: 1 }, /\/colour: unknown key/],
    [{ settings: [{ ...SETTING, intra_op: 0 }] }, /settings\/0\/intra_op: 0 is not a whole/],
    [{ settings: [{ ...SETTING, intra_op: undefined }] }, /intra_op: missing/], [{ settings: [{ ...SETTING, threads: 1 }] }, /unknown key/],
    [{ settings: [{ ...SETTING, cpus: [[0], [1]] }] }, /2 lists for 1 instances/], [{ settings: [{ ...SETTING, cpus: [[]] }] }, /cpus/],
    [{ method: { ...METHOD, processes: 0 } }, /method\/processes/], [{ model: { name: "x" } }, /model\/file/], [{ shapes: ["x"] }, /shapes/],
  ]) assert.throws(() => wrong(change), { exitCode: 2, message });
  assert.match(measure({ ...PLAN, settings: [{ ...SETTING, mode: "eager" }] }).stderr, /no mode "eager"/);
  assert.match(measure({ ...PLAN, settings: [{ ...SETTING, allocator: "caching" }] }).stderr, /allocator "caching"/);
  for (const bad of [["--plan", "p"], ["--plan", "p", "--output", "o", "--intra", "2"], ["--plan", "p", "--output", "o", "m.onnx"]]) {
    assert.throws(() => parseCommandLine(bad), { exitCode: 1 });
  }
});
