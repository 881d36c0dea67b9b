// Tests of the pure parts; run with: node --test scripts/measure/measure.test.mjs
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { parseCommandLine } from "./command_line.mjs";
import { toCsv } from "./csv.mjs";
import { InputError, UsageError } from "./errors.mjs";
import { contextDifferences, cpuQuota } from "./host_context.mjs";
import { halfBits, inputData, randomSource } from "./input_data.mjs";
import { parseShape, parseValue, resolveInputs } from "./input_shapes.mjs";
import { onnxInputs } from "./onnx_inputs.mjs";
import { chooseVersion, pinnedVersions, runtimeName } from "./onnxruntime_install.mjs";
import { addAnswer, hasRound, openResult, runFor, toText, writeAtomically } from "./result_file.mjs";
import { expandGrids, parseGridText, positiveIntegers, settingLabel } from "./settings_grid.mjs";
import { median, quantile, summarize } from "./statistics.mjs";
import { reluModel, temporaryFolder } from "./test_support.mjs";

test("lists, ranges and doubling ranges expand in order and without repeats", () => {
  assert.deepEqual(positiveIntegers("4,1-3,2", "intra"), [4, 1, 2, 3]);
  assert.deepEqual(positiveIntegers("1-20*2", "batch"), [1, 2, 4, 8, 16]);
  for (const bad of ["", "0", "-1", "1.5", "a", "3-1", "1-8*1", "1,,2", "1-100000"]) {
    assert.throws(() => positiveIntegers(bad, "intra"), UsageError, bad);
  }
});

test("a sequential setting ignores inter-op threads, so those settings are merged", () => {
  const grid = { intra: "1,2", inter: "1-3", mode: "sequential,parallel", spin: "on,off" };
  const { settings, merged } = expandGrids([grid], "onnxruntime");
  assert.equal(settings.length, 2 * 2 + 2 * 3 * 2); // intra x spin, and intra x inter x spin
  assert.equal(merged, 2 * 2 * 2);
  assert.deepEqual(settings[0], {
    runtime: "onnxruntime", mode: "sequential", instances: 1, inter_op: 1, intra_op: 1, spin: "on", batch: 1,
  });
  assert.equal(new Set(settings.map(settingLabel)).size, settings.length);
});

test("grids that are no rectangle add up", () => {
  const grids = ["intra=1-2", "mode=parallel inter=2,3"].map(parseGridText);
  assert.deepEqual(expandGrids(grids, "r").settings.map(settingLabel), [
    "b1_sequential_1x1_spin", "b1_sequential_1x2_spin", "b1_parallel_2x1_spin", "b1_parallel_3x1_spin"]);
  for (const bad of ["intra", "threads=2", "intra=", "intra=1 intra=2", "spin=maybe"]) {
    assert.throws(() => expandGrids([parseGridText(bad)], "r"), UsageError, bad);
  }
});

test("quantiles interpolate between order statistics", () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(quantile([0, 10], 0.9), 9);
  assert.equal(quantile([], 0.5), null);
});

test("one spoiled round moves the pooled samples but not the latency", () => {
  const summary = summarize([[1, 2, 3], [2, 2, 2], [20, 40, 60, 40, 40]].map((latencies_ms) => ({ latencies_ms })));
  assert.equal(summary.latency_ms_median, 2); // medians 2, 2, 40
  assert.equal(summary.latency_ms_min, 1);
  assert.equal(summary.latency_ms_max, 60);
  assert.equal(summary.spread, 19); // (40 - 2) / 2
  assert.equal(summarize([{ latencies_ms: [1, 3] }]).spread, null);
});

test("the protobuf walker finds the inputs and leaves initializers out", () => {
  const model = reluModel(["batch", 3, 224], { initializers: ["w"], inputs: [["ids", [1, "seq"], 7], ["rate", [], 7]] });
  assert.deepEqual(onnxInputs(model), [
    { name: "x", type: "float32", dims: ["batch", 3, 224] },
    { name: "ids", type: "int64", dims: [1, "seq"] },
    { name: "rate", type: "int64", dims: [] },
  ]);
  assert.deepEqual(onnxInputs(reluModel([-1, 0, 2]))[0].dims, ["?", "?", 2]); // exporters' other ways to say "any"
});

test("what is not an ONNX model is refused with one message, at whatever byte it breaks", () => {
  const model = reluModel([1, 3]);
  for (let length = 0; length < model.length; length += 1) {
    try {
      onnxInputs(model.subarray(0, length), "m.onnx"); // cut between two fields it may still be readable
    } catch (error) {
      assert.ok(error instanceof InputError, error.stack);
      assert.match(error.message, /^m\.onnx: not an ONNX model/);
    }
  }
  for (const bad of ["", "#!/bin/sh\necho hello\n", "{\"a\": 1}"]) assert.throws(() => onnxInputs(Buffer.from(bad)), InputError);
});

test("the batch replaces an open first dimension, or N in --shape", () => {
  const open = [{ name: "x", type: "float32", dims: ["n", 3, "w"] }];
  const dims = (inputs, batch, ...shapes) => resolveInputs(inputs, "m", batch, shapes.map(parseShape)).inputs[0].dims;
  assert.deepEqual(dims(open, 8, "x=Nx3x32"), [8, 3, 32]);
  assert.deepEqual(dims(open, 8, "x=1x3x32"), [8, 3, 32]);
  assert.deepEqual(dims(open, 2, "x=1x3x32", "m:x=Nx3x64"), [2, 3, 64]); // the model's own entry wins
  assert.deepEqual(dims([{ name: "x", type: "float32", dims: ["t", "b"] }], 4, "x=7xN"), [7, 4]);
  assert.deepEqual(dims([{ name: "x", type: "float32", dims: null }], 2, "x=Nx5"), [2, 5]);
  const fixed = [{ name: "x", type: "float32", dims: [1, 3] }];
  assert.deepEqual(dims(fixed, 1), [1, 3]);
  assert.equal(resolveInputs([{ name: "x", type: "float32", dims: [64, 1] }], "m", 1, []).takesBatch, false);
  assert.throws(() => dims(fixed, 8), /batch 8 is not possible.*x: 1x3/);
  assert.throws(() => dims(open, 8), /open at dimension 2/);
  assert.throws(() => dims(open, 8, "x=1x4x32"), /3 fixed at dimension 1, 4 was asked/);
  assert.throws(() => dims(open, 8, "x=1x3"), /2 dimensions/);
  assert.throws(() => dims([{ name: "s", type: null, dims: null }], 1), InputError);
  for (const bad of ["x", "x=", "=1x2", "x=1xx2", "x=1x-2", "x=a"]) assert.throws(() => parseShape(bad), UsageError, bad);
  assert.deepEqual(parseValue("sr=16000"), { target: "sr", value: 16000 });
  assert.throws(() => parseValue("sr="), UsageError);
});

test("input data depend on the seed alone", () => {
  const data = (seed, input) => [...inputData({ name: "x", dims: [2, 500], ...input }, randomSource(seed))];
  const floats = data(1, { type: "float32" });
  assert.deepEqual(floats, data(1, { type: "float32" }));
  assert.notDeepEqual(floats, data(2, { type: "float32" }));
  const mean = floats.reduce((sum, value) => sum + value, 0) / 1000;
  const variance = floats.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 1000;
  assert.ok(Math.abs(mean) < 0.15 && Math.abs(variance - 1) < 0.2, `${mean} ${variance}`); // over 4 standard errors
  assert.deepEqual([...new Set(data(1, { type: "int64" }))].sort(), [0n, 1n]);
  assert.deepEqual([...new Set(data(1, { type: "int32", name: "attention_mask" }))], [1]);
  assert.deepEqual([...new Set(data(1, { type: "int64", value: 16000 }))], [16000n]);
  assert.equal(inputData({ name: "s", type: "bool", dims: [] }, randomSource(1)).length, 1); // a scalar has one value
  assert.deepEqual([1, -2, 65504, 1e6, 1e-9].map(halfBits), [0x3c00, 0xc000, 0x7bff, 0x7c00, 0]);
});

test("the smallest quota of a group and its ancestors counts, in both cgroup versions", (t) => {
  const root = temporaryFolder(t);
  const put = (file, text) => {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), `${text}\n`);
  };
  assert.equal(cpuQuota(root), null);
  put("proc/self/cgroup", "0::/a/b");
  put("sys/fs/cgroup/a/b/cpu.max", "max 100000");
  assert.equal(cpuQuota(root), null);
  put("sys/fs/cgroup/a/cpu.max", "150000 100000");
  assert.equal(cpuQuota(root), 1.5);
  put("proc/self/cgroup", "4:cpu,cpuacct:/c\n3:cpuset:/");
  put("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "200000");
  put("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "50000");
  assert.equal(cpuQuota(root), 4);
});

test("a result is continued only under the same context", (t) => {
  const file = path.join(temporaryFolder(t), "out.json");
  const context = { cpu_model: "A", load_average: [1, 1, 1], method: { warmup: 5 } };
  const identity = { model: "m", model_sha256: "00", inputs: [], setting: { intra_op: 1 } };
  const result = openResult(file, context);
  const run = runFor(result, identity);
  addAnswer(run, 0, { error: "out of memory" });
  assert.deepEqual(run.failures, [{ round: 0, error: "out of memory" }]);
  addAnswer(run, 0, { latencies_ms: [1, 2, 3] });
  assert.equal(run.failures, undefined);
  writeAtomically(file, toText(result));
  assert.deepEqual(fs.readdirSync(path.dirname(file)), ["out.json"]);

  const again = openResult(file, { ...context, load_average: [9, 9, 9], date: "later" });
  const same = runFor(again, structuredClone(identity));
  assert.equal(again.runs.length, 1);
  assert.ok(hasRound(same, 0) && !hasRound(same, 1));
  assert.equal(runFor(again, { ...identity, model_sha256: "01" }).rounds.length, 0);
  assert.deepEqual(contextDifferences(context, { ...context, cpu_model: "B", method: {} }), ["cpu_model", "method"]);
  assert.throws(() => openResult(file, { ...context, cpu_model: "B" }), /another cpu_model/);
  fs.writeFileSync(file, "{");
  assert.throws(() => openResult(file, context), InputError);
});

test("only regular files are replaced by a result", (t) => {
  const link = path.join(temporaryFolder(t), "link");
  fs.symlinkSync("/proc/self/fd/1", link);
  assert.throws(() => writeAtomically(link, "x"), /not a regular file/);
  assert.ok(fs.lstatSync(link).isSymbolicLink());
});

test("a CSV row has the columns of whole-model measurements", () => {
  const setting = expandGrids([{ batch: "8" }], "onnxruntime").settings[0];
  const run = { model: "a,b", setting, rounds: [{}], latency_ms_median: 4, latency_ms_mean: 5, latency_ms_min: 3, latency_ms_max: 9 };
  const failed = { model: "c", setting, rounds: [] };
  const [header, row, end] = toCsv({ context: { onnxruntime_version: "1.2.3" }, runs: [run, failed] }, "host").split("\n");
  assert.equal(header.split(",").length, 21);
  assert.match(row, /^scripts\/measure,host,onnxruntime,"a,b",sequential,,8,1,1,1,,,,,4,3,9,2000\.000,onnxruntime 1\.2\.3;.*,5,$/);
  assert.equal(end, "");
  // Two instances under a quota leave 2 x 8 samples in 5 ms, the mean.
  const limited = { ...run, setting: { ...setting, instances: 2, cpu_quota: 0.5 } };
  assert.match(toCsv({ context: {}, runs: [limited] }, "host"), /,4,3,9,3200\.000,.*,5,0\.5$/m);
});

test("versions are chosen exactly, by prefix or by pin", () => {
  const installed = ["1.3.0", "1.30.0", "1.30.1", "1.13.1"];
  const pins = { current: "1.30.0", legacy: "1.13.1" };
  for (const [asked, found] of [["1.30.x", "1.30.1"], ["1.30", "1.30.1"], ["current", "1.30.0"], ["1.3", "1.3.0"], ["1.4", undefined]]) {
    assert.equal(chooseVersion(asked, installed, pins), found, asked);
  }
  assert.deepEqual(Object.keys(pinnedVersions()), ["legacy", "current"]);
  assert.deepEqual(["1.13.1", "1.14.0", "1.30.0"].map(runtimeName), ["onnxruntime-1.13", "onnxruntime", "onnxruntime"]);
});

test("wrong command lines are usage errors", () => {
  assert.equal(parseCommandLine(["m.onnx", "--budget", "0.5"]).budget, 0.5);
  assert.deepEqual(parseCommandLine(["m.onnx", "--intra", "2", "--settings", "mode=parallel"]).grids, [{ intra: "2", mode: "parallel" }]);
  for (const bad of [
    [], ["m", "--bogus", "1"], ["m", "--intra"], ["m", "--seed", "-1"], ["m", "--seed", "x"], ["m", "--processes", "1.5"],
    ["m", "--processes", "0"], ["m", "--seed", "1", "--seed", "2"], ["m", "-o", ""], ["m", "--timeout", "2", "--budget", "3"],
  ]) assert.throws(() => parseCommandLine(bad), UsageError, bad.join(" "));
});
