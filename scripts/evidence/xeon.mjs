#!/usr/bin/env node
// PyTorch on published Xeons: forecasts against measurements, as Markdown. Machine files from datasheets and published
// microbenchmarks; numbers of the runtime fitted to one profile (whole_model_fit.mjs), which the table marks.
// Usage: xeon.mjs CORECAST E2E_FOLDER [FITS_FOLDER]
//   E2E_FOLDER   packrat_single_instance.csv and bert_8275cl.csv (github msr-fiddle/packrat, data branch; huggingface blog)
//   FITS_FOLDER  what whole_model_fit.mjs wrote: adds the table of fits to one model, carried over to the other
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { markdown, parseCsv, percent, quantile, toCsvText } from "./tables.mjs";

const [program, folder, fits] = process.argv.slice(2);
if (!folder) {
  process.stderr.write("usage: xeon.mjs CORECAST E2E_FOLDER [FITS_FOLDER]\n");
  process.exit(1);
}
const work = fs.mkdtempSync(path.join(os.tmpdir(), "evidence-"));
process.on("exit", () => fs.rmSync(work, { recursive: true, force: true }));

const packrat = parseCsv(fs.readFileSync(path.join(folder, "packrat_single_instance.csv"), "utf8"));
// Turbo was on where a step stands between four and five threads, as in the processor's own clock table: TorchScript on the
// Gold 6142 in "large-batches" (times threads, over one thread, ResNet-50 at batch 8: 1.08 with 4, 1.26 with 5; the others 1.01 and 1.05).
const isTurbo = (row) => row.source === "packrat/large-batches" && row.machine === "xeon-gold-6142-2s" && row.mode === "torchscript";
// inter_op beyond 1 changes nothing in eager mode: a null test, whose scatter is noise.
const used = packrat.filter((row) => ["", "1"].includes(row.inter_op) && row.memory !== "remote");
const files = [
  { name: "turbo.csv", rows: used.filter(isTurbo), more: ["--machine", "xeon-gold-6142"] },
  { name: "rest.csv", rows: used.filter((row) => !isTurbo(row)), more: [] },
  { name: "blog.csv", rows: parseCsv(fs.readFileSync(path.join(folder, "bert_8275cl.csv"), "utf8"))
    .filter((row) => row.framework.startsWith("pytorch")), more: ["--machine", "xeon-8275cl"] },
];
for (const file of files) fs.writeFileSync(path.join(work, file.name), toCsvText(file.rows));

/** {rows, groups} of all files, forecast with the data in `data` (none: the program's own). */
function validate(data, anchored) {
  const env = { ...process.env, ...(data ? { CORECAST_DATA: data } : {}) };
  const all = { rows: [], groups: [] };
  for (const { name, more } of files) {
    const csv = path.join(work, "out.csv");
    const args = ["validate", "--measured", path.join(work, name), "--csv", csv, "--json", ...more,
      ...(anchored ? ["--anchor", "intra_op=1"] : [])];
    const report = execFileSync(program, args, { env, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
    all.groups.push(...JSON.parse(report).groups);
    all.rows.push(...parseCsv(fs.readFileSync(csv, "utf8")).map((row) => ({ ...row, turbo: name === "turbo.csv" })));
  }
  return all;
}

const error = (row) => Math.abs(row.forecast_ms / row.latency_ms - 1);
const profileOf = (row) => [row.machine, row.model, row.mode, row.source.replace("packrat/", "").replace(/ .*/, ""),
  row.smt && `SMT ${row.smt}`, row.placement.replace("/numactl", "").replace("sequential", "").replace("interleave", "two sockets"),
  row.turbo && "turbo"].filter(Boolean).join(", ");
const fittedOn = (profile) => profile.includes("large-batches-tcmalloc") && !profile.includes("two sockets");

function byProfile(rows) {
  const profiles = new Map();
  for (const row of rows) {
    const key = profileOf(row);
    profiles.set(key, [...(profiles.get(key) ?? []), row]);
  }
  return new Map([...profiles].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const free = validate(null, false);
const anchored = validate(null, true);
const freeProfiles = byProfile(free.rows);
const anchoredProfiles = byProfile(anchored.rows.filter((row) => row.anchor !== "yes" && row.anchor !== "1" && row.intra_op !== "1"));
const figures = (rows) => [0.5, 0.9, 1].map((p) => quantile(rows.map(error), p));

const lines = [];
const say = (...text) => lines.push(...text, "");
say("## PyTorch on published Xeons", "",
  "Latency over threads and batches within a profile (machine, model, mode, source, placement). * = a profile that numbers of the runtime were fitted to.");
say(markdown(["profile", "rows", "median", "p90", "worst", "anchored: median", "p90", "worst"],
  [...freeProfiles].map(([key, rows]) => [`${key}${fittedOn(key) ? " *" : ""}`, rows.length, ...figures(rows).map(percent),
    ...figures(anchoredProfiles.get(key) ?? []).map(percent)])));
const others = [...freeProfiles.keys()].filter((key) => !fittedOn(key));
const middle = (profiles, keys, i) => quantile(keys.map((key) => figures(profiles.get(key))[i]), 0.5);
const worstOf = (profiles, keys, i) => Math.max(...keys.map((key) => figures(profiles.get(key))[i]));
say(`Over the ${others.length} profiles that nothing was fitted to:`);
say(markdown(["", "median error: middle profile", "worst profile", "p90 error: middle profile", "worst profile", "target, median / p90"],
  [["unanchored", freeProfiles, "20 % / 45 %"], ["anchored at one thread", anchoredProfiles, "6 % / 15 %"]].map(([name, profiles, target]) =>
    [name, middle(profiles, others, 0), worstOf(profiles, others, 0), middle(profiles, others, 1), worstOf(profiles, others, 1), target]
      .map((cell) => (typeof cell === "number" ? percent(cell) : cell)))));

const RULES = ["socket_cores", "most_threads_measured", "physical_cores_minus_2", "socket_cores_minus_2", "framework_default",
  "all_physical_cores", "one_thread", "intel_tensorflow", "tensorflow_guide", "study_guideline", "openvino_hint"];
function regretRows(groups) {
  const row = (name, regrets) => [name, regrets.length, ...[0.5, 0.9, 0.95, 1].map((p) => percent(quantile(regrets, p)))];
  return [row("**corecast**", groups.map((group) => group.regret)),
    ...RULES.map((rule) => row(rule.replaceAll("_", " "), groups.flatMap((group) => group.baselines?.[rule]?.regret ?? [])))];
}
const withRegret = free.groups.filter((group) => typeof group.regret === "number");
for (const [title, groups] of [["all groups (target p90 / p95: 5 % / 10 %; anchored 4 % / 8 %)", withRegret],
  ["batch 1 (target 8 % / 15 %; anchored 6 % / 12 %)", withRegret.filter((group) => Number(group.batch) === 1)]]) {
  say(`Regret on the number of threads, ${title}. An anchor scales all forecasts of a group alike, so the pick and its regret stay.`);
  say(markdown(["rule", "groups", "median", "p90", "p95", "worst"], regretRows(groups)));
}
say("Largest regrets:");
say(markdown(["group", "pick", "measured ms", "best", "measured ms", "regret"],
  [...withRegret].sort((a, b) => b.regret - a.regret).slice(0, 8).map((group) => [
    [group.model, `batch ${group.batch}`, group.mode, group.smt && `SMT ${group.smt}`, group.placement, group.machine, group.source].filter(Boolean).join(", "),
    group.pick.setting.intra_op, group.pick.measured_ms, group.best.setting.intra_op, group.best.measured_ms, percent(group.regret)])));

if (fits) {
  say("Fits to one model, carried over to the other (all profiles of that model, unanchored; median / p90 / bias):");
  const bias = (rows) => Math.exp(rows.reduce((sum, row) => sum + Math.log(row.forecast_ms / row.latency_ms), 0) / rows.length) - 1;
  const cell = (rows) => `${figures(rows).slice(0, 2).map(percent).join(" / ")} / ${percent(bias(rows))}`;
  const of = (rows, model) => rows.filter((row) => row.model === model);
  const table = fs.readdirSync(fits).sort().map((name) => {
    const { rows } = validate(path.join(fits, name), false);
    return [name.replaceAll("_", " "), cell(of(rows, "resnet50")), cell(of(rows, "bert_base"))];
  });
  say(markdown(["fitted to", "ResNet-50", "BERT-base"], table));
}
process.stdout.write(lines.join("\n"));
