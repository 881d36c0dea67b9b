#!/usr/bin/env node
// onnxruntime on one host: forecasts against measurements, as Markdown: for a model that was never run, and with one profile.
// Usage: host.mjs CORECAST MEASURED.csv MACHINE.json [--title TEXT] [--models FOLDER] [--profiles FOLDER] [--plot FILE.svg]
//                 [--runtime FILE.json]... [--elsewhere FILE.json]...
//   MEASURED.csv   what `corecast measure` (or scripts/measure) found on the host, of many models
//   MACHINE.json   what `corecast calibrate` found there
//   --models       NAME.onnx of the models that are not built in; without it their rows are skipped, and counted
//   --runtime      what `corecast calibrate --runtime` found there; else the runtimes that ship
//   --elsewhere    what it found on another host, for comparison; "shipped" for the runtimes that ship
//   --plot         an SVG: every setting's forecast against its measurement, and scaling
//   --profiles     NAME.bBATCH.json of onnxruntime's profiler at one thread (scripts/evidence/profiles.sh): adds the second mode
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { markdown, parseCsv, percent, quantile, toCsvText } from "./tables.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    title: { type: "string", default: "onnxruntime on one host" }, models: { type: "string" }, profiles: { type: "string" }, plot: { type: "string" },
    runtime: { type: "string", multiple: true, default: [] }, elsewhere: { type: "string", multiple: true, default: [] },
  },
});
const [program, measuredFile, machine] = positionals;
if (!machine) {
  process.stderr.write("usage: host.mjs CORECAST MEASURED.csv MACHINE.json [options; see the file's head]\n");
  process.exit(1);
}
const work = fs.mkdtempSync(path.join(os.tmpdir(), "evidence-"));
process.on("exit", () => fs.rmSync(work, { recursive: true, force: true }));
// Who pins to CPUs of their own and who cannot follows from the number of threads here: all settings are one choice.
const measured = parseCsv(fs.readFileSync(measuredFile, "utf8")).map(({ pinning, ...row }) => row);
const names = [...new Set(measured.map((row) => row.model))].sort();
const graphs = names.filter((name) => options.models && fs.existsSync(path.join(options.models, `${name}.onnx`)))
  .flatMap((name) => ["--graph", `${name}=${path.join(options.models, `${name}.onnx`)}`]);

/** Rows with forecasts, and groups, of these measured rows. */
function validate(rows, more, runtimes = options.runtime) {
  const file = path.join(work, "rows.csv");
  const csv = path.join(work, "out.csv");
  fs.writeFileSync(file, toCsvText(rows));
  const has = new Set(rows.map((row) => row.model));
  const ours = graphs.filter((_, i) => i % 2 === 1 && has.has(graphs[i].split("=")[0])).flatMap((text) => ["--graph", text]);
  const report = execFileSync(program, ["validate", "--measured", file, "--machine", machine, "--csv", csv, "--json", "--by", "runtime", ...runtimes.flatMap((text) => ["--runtime", text]), ...ours, ...more],
    { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });
  return { ...JSON.parse(report), rows: parseCsv(fs.readFileSync(csv, "utf8")) };
}

const error = (row) => Math.abs(row.forecast_ms / row.latency_ms - 1);
const bias = (rows) => Math.exp(rows.reduce((sum, row) => sum + Math.log(row.forecast_ms / row.latency_ms), 0) / rows.length) - 1;
const regretsOf = (groups) => groups.filter((group) => typeof group.regret === "number").map((group) => group.regret);

const never = validate(measured, options.plot ? ["--plot", path.resolve(options.plot)] : []);
const modes = [["calibrated, model never run", never.rows, regretsOf(never.groups)]];

if (options.elsewhere.length) {
  const found = validate(measured, [], options.elsewhere.filter((text) => text !== "shipped"));
  modes.push(["the same, kernels calibrated on the other host", found.rows, regretsOf(found.groups)]);
}

const refused = [];
if (options.profiles) {
  const all = { rows: [], without: [], groups: [] };
  const current = measured.filter((row) => row.runtime === "onnxruntime");
  for (const batch of [...new Set(current.map((row) => row.batch))].sort()) {
    const has = [...new Set(current.filter((row) => row.batch === batch).map((row) => row.model))].sort();
    for (const name of has) {
      const profile = path.join(options.profiles, `${name}.b${batch}.json`);
      if (!fs.existsSync(profile)) continue;
      const rows = current.filter((row) => row.batch === batch && row.model === name);
      try {
        const found = validate(rows, ["--profile", `${name}=${profile}`]);
        all.rows.push(...found.rows);
        all.groups.push(...found.groups);
        all.without.push(...validate(rows, []).rows);
      } catch (error) {
        if (error.status !== 2) throw error;
        refused.push(`${name}, batch ${batch}`); // the message stands on standard error
      }
    }
  }
  modes.push(["the rows below, without a profile", all.without, []]);
  modes.push(["one profile (1.30, one thread)", all.rows, regretsOf(all.groups)]);
}

const lines = [];
const say = (...text) => lines.push(...text, "");
say(`## ${options.title}`, "",
  `${never.rows_used} of ${measured.length} measured settings of ${names.length} models; skipped: ` +
  `${never.rows_skipped.map(({ reason, count }) => `${count} (${reason})`).join("; ") || "none"}.`);
say(markdown(["mode", "settings", "median", "p90", "worst", "bias", "groups", "regret p95", "worst"],
  modes.map(([name, rows, regrets]) => [name, rows.length, ...[0.5, 0.9, 1].map((p) => percent(quantile(rows.map(error), p))), percent(bias(rows)),
    regrets.length || "", ...(regrets.length ? [0.95, 1].map((p) => percent(quantile(regrets, p))) : ["", ""])])));
if (refused.length) say(`Profiles that were refused, for too little of them was matched: ${refused.join("; ")}.`);
say("Targets: never run 10 % / 25 %, regret 3 % / 10 %; one profile 4 % / 10 %, regret 2 % / 5 % (median / p90; p95 / worst).");

const kinds = [
  ["one thread", (row) => row.intra_op === "1" && row.instances === "1" && row.mode === "sequential"],
  ["a CPU a thread, spinning", (row) => row.intra_op === "2" && row.instances === "1" && row.mode === "sequential" && row.spin === "on"],
  ["a CPU a thread, sleeping", (row) => row.intra_op === "2" && row.instances === "1" && row.mode === "sequential" && row.spin === "off"],
  ["two instances of one thread", (row) => row.intra_op === "1" && row.instances === "2"],
  ["more threads than CPUs, spinning", (row) => row.intra_op * row.instances > 2 && row.mode === "sequential" && row.spin === "on"],
  ["more threads than CPUs, sleeping", (row) => row.intra_op * row.instances > 2 && row.mode === "sequential" && row.spin === "off"],
  ["parallel (1.13.1)", (row) => row.mode === "parallel"],
];
const figures = (rows) => (rows.length
  ? [rows.length, ...[0.5, 0.9].map((p) => percent(quantile(rows.map(error), p))), percent(bias(rows))] : ["0", "", "", ""]);
say(markdown(["settings, on 2 CPUs", "", "median", "p90", "bias", "above 1 ms", "median", "p90", "bias"], kinds.map(([name, is]) => {
  const rows = never.rows.filter(is);
  return [name, ...figures(rows), ...figures(rows.filter((row) => row.latency_ms > 1))];
})));
say("By model (one instance, sequential, as many threads as CPUs or fewer):");
const easy = never.rows.filter((row) => row.instances === "1" && row.mode === "sequential" && row.intra_op <= 2);
say(markdown(["model", "settings", "median", "worst", "bias"], names.map((name) => {
  const rows = easy.filter((row) => row.model === name);
  return rows.length && [name, rows.length, ...[0.5, 1].map((p) => percent(quantile(rows.map(error), p))), percent(bias(rows))];
}).filter(Boolean)));
say("Regret of rules, for comparison (all groups):");
const rules = Object.keys(never.groups.find((group) => group.baselines)?.baselines ?? {});
const ruleRow = (name, regrets) => [name, regrets.length, ...[0.5, 0.9, 0.95, 1].map((p) => percent(quantile(regrets, p)))];
say(markdown(["rule", "groups", "median", "p90", "p95", "worst"], [ruleRow("**corecast**", regretsOf(never.groups)),
  ...rules.map((rule) => ruleRow(rule.replaceAll("_", " "), never.groups.flatMap((group) => group.baselines?.[rule]?.regret ?? [])))]));
say("Largest regrets:");
const setting = (s) => `inter ${s.inter_op}, intra ${s.intra_op}, ${s.mode}${s.instances > 1 ? `, ${s.instances} instances` : ""}${s.spin ? "" : ", sleeping"}, ${s.runtime}`;
say(markdown(["model", "batch", "pick", "ms", "best", "ms", "regret", "noise"],
  never.groups.filter((group) => group.regret > 0).sort((a, b) => b.regret - a.regret).slice(0, 8).map((group) =>
    [group.model, group.batch, setting(group.pick.setting), group.pick.measured_ms, setting(group.best.setting), group.best.measured_ms,
      percent(group.regret), percent(group.noise.floor)])));
process.stdout.write(lines.join("\n"));
