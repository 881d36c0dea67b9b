// Tests of several processes at once, of CPU quotas and of the comparison with forecasts; onnxruntime has a stand-in.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { lossesOfPicks, measured, orderedPairs, withSlowDowns } from "./contention_forecast.mjs";
import { cpuGroupRefusal, makeCpuGroup } from "./cpu_group.mjs";
import { hostCpu, processCpu } from "./cpu_use.mjs";
import { Samples } from "./samples.mjs";
import { expandGrids, parseGridText, settingLabel } from "./settings_grid.mjs";
import { summarize } from "./statistics.mjs";
import { fakeCache, reluModel, temporaryFolder } from "./test_support.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));

/** command(name, ...options) measures the model of that name, which tells the stand-in how to behave. */
function workshop(t, names) {
  const folder = temporaryFolder(t);
  const cache = fakeCache(path.join(folder, "cache"));
  for (const name of names) fs.writeFileSync(path.join(folder, `${name}.onnx`), reluModel([1, 3]));
  const command = (name, ...args) => [
    path.join(here, "measure_onnxruntime.mjs"), `${name}.onnx`, "--cache", cache, "--version", "9.9.9",
    "--repetitions", "3", "--warmup", "1", "--min-time", "0", "--processes", "1", ...args];
  return {
    folder, command,
    measure: (...args) => spawnSync(process.execPath, command(...args), { cwd: folder, encoding: "utf8", timeout: 60000 }),
  };
}

test("instances and quotas are axes, and a setting without a quota is written as before", () => {
  const { settings } = expandGrids([parseGridText("instances=1,2 quota=none,0.5")], "onnxruntime");
  assert.deepEqual(settings.map(settingLabel), [
    "b1_sequential_1x1_spin", "b1_sequential_1x1_spin_2i", "b1_sequential_1x1_spin_0.5cpu", "b1_sequential_1x1_spin_2i_0.5cpu"]);
  assert.ok(!("cpu_quota" in settings[1]));
  assert.equal(settings[3].cpu_quota, 0.5);
  for (const bad of ["quota=0", "quota=-1", "quota=half", "quota=0.001", "instances=0"]) {
    assert.throws(() => expandGrids([parseGridText(bad)], "r"), { exitCode: 1 }, bad);
  }
});

test("the latency of several instances is the median of their medians", () => {
  const instances = [{ latency_ms_median: 2, samples: 5 }, { latency_ms_median: 4, samples: 1 }];
  const summary = summarize([{ latencies_ms: [2, 2, 2, 2, 2, 4], mean_ms: 3.5, instances }]);
  assert.equal(summary.latency_ms_median, 3); // of 2 and 4, however many samples each has
  assert.equal(summary.latency_ms_mean, 3.5); // the mean of all runs, not of the samples kept
});

test("of many samples an even selection is kept, and all count for the mean", () => {
  const samples = new Samples();
  for (let i = 0; i < 5000; i += 1) samples.add(i);
  // 2000 are thinned to 1000 (every 2nd), at 4000 again (every 4th); of 4000 to 4999 every 4th follows: 1000 + 250.
  assert.deepEqual(samples.kept(), Array.from({ length: 1250 }, (_, i) => 4 * i));
  assert.equal(samples.count, 5000);
  assert.equal(samples.mean(), 2499.5);
});

/** A root with the given files, of which a folder's name ends in "/". */
function fakeRoot(t, files) {
  const root = temporaryFolder(t);
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.join(root, file.endsWith("/") ? file : path.dirname(file)), { recursive: true });
    if (!file.endsWith("/")) fs.writeFileSync(path.join(root, file), `${text}\n`);
  }
  return root;
}
const written = (group, file) => fs.readFileSync(path.join(group.folder, file), "utf8");

test("a quota of 1.5 CPUs is 150 ms of a period of 100 ms, below the own group in version 1", (t) => {
  const root = fakeRoot(t, { "proc/self/cgroup": "4:cpu,cpuacct:/mine\n0::/", "sys/fs/cgroup/cpu,cpuacct/mine/": "" });
  const group = makeCpuGroup(1.5, root);
  assert.equal(path.dirname(group.folder), path.join(root, "sys/fs/cgroup/cpu,cpuacct/mine"));
  assert.equal(written(group, "cpu.cfs_quota_us"), "150000");
  assert.equal(written(group, "cpu.cfs_period_us"), "100000");
  fs.writeFileSync(path.join(group.folder, "cpu.stat"), "nr_periods 7\nnr_throttled 5\nthrottled_time 250000000\n");
  assert.deepEqual(group.statistics(), { periods: 7, throttled_periods: 5, throttled_ms: 250 });
});

test("in version 2 the group stands below the nearest one that passes the controller on", (t) => {
  const files = {
    "proc/self/cgroup": "0::/slice/mine", "sys/fs/cgroup/cgroup.controllers": "cpuset cpu io",
    "sys/fs/cgroup/slice/cgroup.subtree_control": "cpu memory", "sys/fs/cgroup/slice/mine/cpu.max": "max 100000",
  };
  const root = fakeRoot(t, files);
  const group = makeCpuGroup(0.5, root);
  assert.equal(path.dirname(group.folder), path.join(root, "sys/fs/cgroup/slice"));
  assert.equal(written(group, "cpu.max"), "50000 100000");
  fs.writeFileSync(path.join(group.folder, "cpu.stat"), "usage_usec 9\nnr_periods 7\nnr_throttled 5\nthrottled_usec 250000\n");
  assert.deepEqual(group.statistics(), { periods: 7, throttled_periods: 5, throttled_ms: 250 });
  // Leaving a group that has a quota would measure with more CPUs than the process may use.
  assert.match(cpuGroupRefusal(fakeRoot(t, { ...files, "sys/fs/cgroup/slice/mine/cpu.max": "100000 100000" })), /has a quota itself/);
});

test("where no quota can be set, the reason is told", (t) => {
  assert.match(cpuGroupRefusal(fakeRoot(t, { "proc/self/cgroup": "0::/" })), /no cgroup hierarchy with the cpu controller/);
  const none = { "proc/self/cgroup": "0::/", "sys/fs/cgroup/cgroup.controllers": "cpu" };
  assert.match(cpuGroupRefusal(fakeRoot(t, none)), /no group .* passes the cpu controller on/);
  const blocked = fakeRoot(t, { "proc/self/cgroup": "1:cpu:/", [`sys/fs/cgroup/cpu/corecast-measure-${process.pid}`]: "" });
  assert.match(cpuGroupRefusal(blocked), /cannot be set: .*(EEXIST|ENOTDIR)/); // a file stands where the group should
});

test("every timed run has its neighbour, from the first to the last, though one loads and runs longer", (t) => {
  const { measure, folder } = workshop(t, ["neighbours"]);
  const { status, stdout, stderr } = measure("neighbours", "--instances", "2");
  assert.equal(status, 0, stderr);
  const [run] = JSON.parse(stdout).runs;
  assert.equal(run.setting.instances, 2);
  const [round] = run.rounds;
  // The stand-in waits 1 ms when its process is alone, 20 ms (or 60 ms: the other one) while both are alive.
  const medians = round.instances.map((instance) => instance.latency_ms_median).sort((a, b) => a - b);
  assert.ok(medians[0] >= 19 && medians[0] < 50 && medians[1] >= 59, `${medians}`);
  assert.ok(Math.min(...round.latencies_ms) >= 19, `${round.latencies_ms}`);
  assert.deepEqual(round.instances.map((instance) => instance.samples), [3, 3]);
  assert.deepEqual(fs.readdirSync(folder).filter((name) => name.startsWith("alive")), []); // both have ended
});

test("an instance that fails ends the others, and the setting has one error", (t) => {
  const { measure } = workshop(t, ["second_fails"]);
  const { status, stdout } = measure("second_fails", "--instances", "3", "--timeout", "20");
  assert.equal(status, 3);
  const [run] = JSON.parse(stdout).runs;
  assert.deepEqual([run.rounds.length, run.failures.length], [0, 1]);
  assert.match(run.failures[0].error, /second failed/);
});

test("a busy process gets its quota, over many periods, and the group is gone afterwards", (t) => {
  const refusal = cpuGroupRefusal();
  if (refusal) return t.skip(refusal);
  const { measure } = workshop(t, ["busy"]);
  const { status, stdout, stderr } = measure("busy", "--quota", "0.2");
  assert.equal(status, 0, stderr);
  const [run] = JSON.parse(stdout).runs;
  assert.equal(run.setting.cpu_quota, 0.2);
  const [{ throttling, mean_ms, timed_runs, cpu_ms }] = run.rounds;
  // A run needs 10 ms of CPU: a fifth of a CPU gives 50 ms; slices that end a little late leave up to a third more.
  assert.ok(mean_ms > 33 && mean_ms < 67, `${mean_ms}`);
  assert.ok(mean_ms * timed_runs > 2900, "30 periods");
  assert.ok(cpu_ms > 9 * timed_runs && cpu_ms < 15 * timed_runs, `${cpu_ms} ms of CPU for ${timed_runs} runs`);
  assert.ok(throttling.throttled_periods >= 25, JSON.stringify(throttling));
  const group = makeCpuGroup(1);
  group.remove();
  assert.deepEqual(fs.readdirSync(path.dirname(group.folder)).filter((name) => name === path.basename(group.folder)), []);
  return undefined;
});

test("a signal ends the processes and removes the group", async (t) => {
  const refusal = cpuGroupRefusal();
  if (refusal) return t.skip(refusal);
  const { folder, command } = workshop(t, ["busy"]);
  const child = spawn(process.execPath, command("busy", "--quota", "0.5", "--instances", "2"), { cwd: folder, stdio: "ignore" });
  const group = makeCpuGroup(1);
  group.remove();
  const its = path.join(path.dirname(group.folder), `corecast-measure-${child.pid}`);
  const processes = () => {
    try {
      return fs.readFileSync(path.join(its, "cgroup.procs"), "utf8").split("\n").filter(Boolean);
    } catch {
      return [];
    }
  };
  while (processes().length < 2) await new Promise((resolve) => { setTimeout(resolve, 10); });
  const two = processes();
  child.kill("SIGTERM");
  assert.equal(await new Promise((resolve) => { child.on("exit", resolve); }), 130);
  assert.ok(!fs.existsSync(its));
  assert.deepEqual(two.filter((id) => fs.existsSync(`/proc/${id}/cmdline`) && fs.readFileSync(`/proc/${id}/cmdline`, "utf8")), []);
  return undefined;
});

/** Latencies of two rounds, the second one 10 % slower for all unless told otherwise. */
const row = (model, latency, forecast, setting = {}, second = 1.1 * latency) =>
  ({ model, latency, forecast, byRound: new Map([[0, latency], [1, second]]), setting: { instances: 1, ...setting } });

test("slow-downs are over each column's own best setting of the model", () => {
  const rows = withSlowDowns([row("a", 10, 5), row("a", 30, 10), row("b", 1, 1)]);
  const rounded = (value) => Number(value.toFixed(9));
  assert.deepEqual(rows.map((one) => [one.slowDown, one.forecastSlowDown].map(rounded)), [[1, 1], [3, 2], [1, 1]]);
  assert.equal(rounded(rows[1].error), rounded(2 / 3 - 1));
  assert.equal(rounded(rows[1].spread), 0); // a slower minute slows both alike
});

test("pairs within the noise, or of two models, do not count; equal forecasts are half right", () => {
  const rows = [row("a", 10, 1), row("a", 10.4, 9), row("a", 20, 2), row("b", 99, 0)];
  assert.deepEqual(orderedPairs(rows), { pairs: 2, right: 1 }); // 10 < 20 as 1 < 2, 10.4 < 20 but 9 > 2
  assert.deepEqual(orderedPairs([row("a", 10, 1), row("a", 20, 2, {}, 10)]), { pairs: 0, right: 0 }); // rounds disagree
  assert.deepEqual(orderedPairs([row("a", 10, 2), row("a", 20, 2)]), { pairs: 1, right: 0.5 });
  assert.deepEqual(orderedPairs(rows, () => false), { pairs: 0, right: 0 });
});

test("a pick is judged among settings under the same quota", () => {
  const rows = [row("a", 10, 3), row("a", 12, 2), row("a", 40, 1, { cpu_quota: 0.5 }), row("a", 50, 9, { cpu_quota: 0.5 })];
  assert.deepEqual(lossesOfPicks(rows).map((loss) => Number(loss.toFixed(6))), [0.2, 0]); // 12 / 10 - 1; 40 is the best
});

test("under a quota the mean counts, which knows the stops", () => {
  const rounds = [{ round: 0, latencies_ms: [1, 1, 7], mean_ms: 3 }, { round: 1, latencies_ms: [1, 1, 10], mean_ms: 4 }];
  assert.equal(measured({ rounds, setting: {} }).latency, 1);
  assert.equal(measured({ rounds, setting: { cpu_quota: 0.5 } }).latency, 3.5);
  assert.equal(measured({ rounds, setting: {} }, { statistic: "mean" }).latency, 3.5);
});

test("rounds beside which others ran are left out", () => {
  const rounds = [{ round: 0, latencies_ms: [1], other_cpus: 0.05 }, { round: 2, latencies_ms: [5], other_cpus: 0.9 }];
  assert.deepEqual([...measured({ rounds, setting: {} }, { others: 0.25 }).byRound], [[0, 1]]);
  assert.equal(measured({ rounds: [rounds[1]], setting: {} }, { others: 0.25 }), undefined);
});

test("CPU time is that of the process, and of all but the idle columns for the host", (t) => {
  // Own: utime 30 and stime 20 ticks of 10 ms. Host: 10 + 20 + 30 + 60 + 70 + 80 ticks; idle 40, iowait 50 and guest 9 do not count.
  const proc = fakeRoot(t, { "7/stat": `7 (a b) c) S ${[...Array(10).fill(0), 30, 20, 0].join(" ")}`, stat: "cpu  10 20 30 40 50 60 70 80 9 9" });
  assert.equal(processCpu(7, proc), 500);
  assert.equal(processCpu(8, proc), 0);
  assert.equal(hostCpu(proc), 2700);
});
