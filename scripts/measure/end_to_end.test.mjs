// Tests of the program as a whole, with a stand-in for onnxruntime-node; the last one uses the real one if installed.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { defaultCache, findInstall } from "./onnxruntime_install.mjs";
import { fakeCache, reluModel, temporaryFolder } from "./test_support.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const PROGRAM = path.join(here, "measure_onnxruntime.mjs");
const QUICK = ["--repetitions", "3", "--warmup", "1", "--min-time", "0"];

/** A folder with a stand-in runtime and models of the given names; measure(...) runs the program in it. */
function workshop(t, models, dims = [1, 3]) {
  const folder = temporaryFolder(t);
  const cache = fakeCache(path.join(folder, "cache"));
  for (const name of models) fs.writeFileSync(path.join(folder, `${name}.onnx`), reluModel(dims));
  const command = (...args) => [PROGRAM, "--cache", cache, "--version", "9.9.9", ...QUICK, ...args];
  return {
    folder, command,
    measure: (...args) => spawnSync(process.execPath, command(...args), { cwd: folder, encoding: "utf8", timeout: 60000 }),
    result: (name = "out.json") => JSON.parse(fs.readFileSync(path.join(folder, name), "utf8")),
  };
}

test("every setting gets every round, interleaved, and a second call measures nothing again", (t) => {
  const { measure, result } = workshop(t, ["a"]);
  const call = ["big=a.onnx", "--intra", "1,2", "--processes", "2", "-o", "out.json", "--csv", "out.csv"];
  const first = measure(...call);
  assert.equal(first.status, 0, first.stderr);
  assert.deepEqual(first.stderr.match(/round \d\/2, \d/g), ["round 1/2, 1", "round 1/2, 2", "round 2/2, 1", "round 2/2, 2"]);
  const before = result();
  assert.equal(before.schema, "corecast.measured_runs/1");
  assert.deepEqual(before.runs.map((run) => [run.model, run.setting.intra_op, run.rounds.length]), [["big", 1, 2], ["big", 2, 2]]);
  assert.equal(before.runs[0].rounds[0].latencies_ms.length, 3);

  assert.doesNotMatch(measure(...call).stderr, /round 1/);
  assert.deepEqual(result().runs, before.runs);
  const more = measure(...call.with(call.indexOf("2"), "3"));
  assert.deepEqual(more.stderr.match(/round \d\/3, \d/g), ["round 3/3, 1", "round 3/3, 2"]);
  assert.equal(measure(...call, "--seed", "7").status, 2); // another context
});

test("a crash, a hang and a refusal are recorded, and the other model is measured", (t) => {
  const { measure, result } = workshop(t, ["crash", "hang", "refused", "fine"]);
  const { status, stderr } = measure(
    "crash.onnx", "hang.onnx", "refused.onnx", "fine.onnx", "--processes", "2", "--budget", "0.5", "--timeout", "3", "-o", "out.json");
  assert.equal(status, 3, stderr);
  const { runs } = result();
  assert.deepEqual(runs.map((run) => [run.model, run.rounds.length]), [["crash", 0], ["hang", 0], ["refused", 0], ["fine", 2]]);
  assert.match(runs[0].failures[0].error, /stopped by SIG/);
  assert.match(runs[1].failures[0].error, /no answer within 3 s/);
  assert.match(runs[2].failures[0].error, /operator not known/);
});

test("an interrupted run keeps its rounds and goes on", async (t) => {
  const { folder, command, measure, result } = workshop(t, ["a"]);
  const call = ["a.onnx", "--processes", "200", "-o", "out.json"];
  const child = spawn(process.execPath, command(...call), { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  await new Promise((resolve) => child.stderr.on("data", (text) => /round 2/.test(text) && resolve()));
  child.kill("SIGINT");
  assert.equal(await new Promise((resolve) => child.on("exit", resolve)), 130);
  const kept = result().runs[0].rounds.length;
  assert.ok(kept >= 1 && kept < 200, `${kept} rounds`);
  const next = measure(...call.with(2, String(kept + 1)));
  assert.equal(next.stderr.match(/\[round/g).length, 1);
  assert.equal(result().runs[0].rounds.length, kept + 1);
});

test("profiles are written apart and leave no rounds", (t) => {
  const { folder, measure } = workshop(t, ["a"]);
  const { status, stdout } = measure("a.onnx", "--intra", "1,2", "--processes", "0", "--profile", "p.json");
  assert.equal(status, 0);
  assert.equal(stdout, "");
  const files = fs.readdirSync(folder).filter((name) => name.startsWith("p."));
  assert.deepEqual(files, ["p.a.b1_sequential_1x1_spin.json", "p.a.b1_sequential_1x2_spin.json"]);
});

test("what a version cannot do is an error, never measured as something else", (t) => {
  const { folder, measure } = workshop(t, ["a"]);
  fakeCache(path.join(folder, "cache"), "1.13.1", "an old binding");
  const call = ["a.onnx", "--processes", "1"];
  const old = (...args) => spawnSync(process.execPath,
    [PROGRAM, "--cache", "cache", "--version", "1.13.1", ...QUICK, ...call, ...args], { cwd: folder, encoding: "utf8" });
  assert.match(old("--spin", "off").stderr, /cannot turn spinning off/);
  assert.equal(old("--profile", "p.json").status, 2);
  const both = old("--spin", "on,off");
  assert.equal(both.status, 3);
  assert.deepEqual(JSON.parse(both.stdout).runs.map((run) => run.rounds.length), [1, 0]);
  assert.equal(measure(...call, "--batch", "1,8").status, 3); // one of the two batches is possible
});

test("bad input ends with one clear message and its exit code", (t) => {
  const { folder, measure } = workshop(t, ["a"]);
  fs.writeFileSync(path.join(folder, "text.onnx"), "not a model\n");
  for (const [status, message, ...args] of [
    [2, /none\.onnx: no such file/, "none.onnx"],
    [2, /text\.onnx: not an ONNX model/, "text.onnx"],
    [2, /batch 8 is not possible/, "a.onnx", "--batch", "8"],
    [2, /nowhere\/out\.json: cannot be written/, "a.onnx", "-o", "nowhere/out.json"],
    [2, /9\.8 is not installed/, "a.onnx", "--cache", "elsewhere"],
    [1, /--intra: "x"/, "a.onnx", "--intra", "x"],
    [1, /--bogus/, "a.onnx", "--bogus"],
    [1, /no model has an input of that name/, "a.onnx", "--shape", "z=1"],
    [1, /two models are called a/, "a.onnx", "./a.onnx"],
  ]) {
    const done = args.includes("--cache")
      ? spawnSync(process.execPath, [PROGRAM, ...args, "--version", "9.8"], { cwd: folder, encoding: "utf8" })
      : measure(...args);
    assert.equal(done.status, status, done.stderr);
    assert.match(done.stderr, message);
    assert.doesNotMatch(done.stderr, /^\s+at /m); // no stack trace
  }
});

test("setup leaves an installed version alone and refuses unknown names", (t) => {
  const cache = fakeCache(temporaryFolder(t), "1.13.1");
  const setup = (...args) => spawnSync("sh", [path.join(here, "setup.sh"), "--cache", cache, ...args], { encoding: "utf8" });
  assert.match(setup("legacy").stdout, /1\.13\.1: already in/);
  assert.equal(setup("newest").status, 1);
});

test("the real onnxruntime measures a one-operator model", (t) => {
  const installed = ["current", "legacy"].filter((version) => {
    try {
      return findInstall(version, defaultCache());
    } catch {
      return false;
    }
  });
  if (!installed.length) return t.skip("onnxruntime-node is not installed: run scripts/measure/setup.sh");
  const folder = temporaryFolder(t);
  fs.writeFileSync(path.join(folder, "relu.onnx"), reluModel(["n", 3]));
  for (const version of installed) {
    const { status, stdout, stderr } = spawnSync(process.execPath,
      [PROGRAM, "relu.onnx", "--version", version, "--batch", "1,4", "--processes", "1", ...QUICK],
      { cwd: folder, encoding: "utf8", timeout: 120000 });
    assert.equal(status, 0, stderr);
    const { runs } = JSON.parse(stdout);
    assert.deepEqual(runs.map((run) => run.inputs[0].dims), [[1, 3], [4, 3]]);
    assert.ok(runs.every((run) => run.latency_ms_median > 0));
  }
  return undefined;
});
