#!/usr/bin/env node
// Forecast slow-downs beside measured ones, as Markdown:
//   contention_forecast.mjs [--only MODEL,...] [--statistic mean|median] RUNS.json CORECAST MODEL=FILE...
// RUNS.json comes from contention.sh or measure_onnxruntime.mjs, CORECAST is the program, MODEL=FILE as in the measurement.
// A setting with a quota is forecast in a control group with that quota, because the program reads its host's.
//
// Slow-down = latency / latency of the model's best setting, the measured and the forecast one each over their own best:
// an error common to all settings of a model cancels. Latency is the median of the round medians; under a quota
// the median of the round means, since a run shorter than a period is either not stopped or for tens of ms.
// --statistic takes one of the two for all.
// A pair of settings of one model counts when its latencies differ by more than the noise of both: the spread of the rounds,
// or 5 % when that is smaller. Equal forecasts of such a pair count as half right.
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { insideGroup, makeCpuGroup } from "./cpu_group.mjs";
import { median, quantile, roundMean, roundMedian } from "./statistics.mjs";

const LEAST_NOISE = 0.05;
const NOISE_OF_ONE_ROUND = 0.15; // a single round does not tell its spread

/** {latency, noise} of a measured run: noise is relative. */
export function measured(run, statistic) {
  const kind = statistic ?? (run.setting.cpu_quota === undefined ? "median" : "mean");
  const values = run.rounds.map(kind === "mean" ? roundMean : roundMedian);
  const latency = median(values);
  const spread = values.length < 2 ? NOISE_OF_ONE_ROUND : (Math.max(...values) - Math.min(...values)) / latency;
  return { latency, noise: Math.max(spread, LEAST_NOISE) };
}

/** Adds slow-downs to rows {model, latency, forecast, ...}: each column over the smallest of its model. */
export function withSlowDowns(rows) {
  const best = (model, name) => Math.min(...rows.filter((row) => row.model === model).map((row) => row[name]));
  return rows.map((row) => {
    const slowDown = row.latency / best(row.model, "latency");
    const forecastSlowDown = row.forecast / best(row.model, "forecast");
    return { ...row, slowDown, forecastSlowDown, error: forecastSlowDown / slowDown - 1 };
  });
}

/** {pairs, right} over pairs of one model that the measurement tells apart; same(a, b) may exclude more. */
export function orderedPairs(rows, same = () => true) {
  let [pairs, right] = [0, 0];
  rows.forEach((a, i) => rows.slice(i + 1).forEach((b) => {
    const apart = Math.abs(Math.log(a.latency / b.latency)) > Math.log1p(Math.max(a.noise, b.noise));
    if (a.model !== b.model || !apart || !same(a, b)) return;
    pairs += 1;
    if (a.forecast === b.forecast) right += 0.5;
    else if (a.forecast < b.forecast === a.latency < b.latency) right += 1;
  }));
  return { pairs, right };
}

const sameCircumstances = (a, b) =>
  a.setting.instances === b.setting.instances && a.setting.cpu_quota === b.setting.cpu_quota && a.setting.batch === b.setting.batch;

/** Of each model under each quota and number of instances: latency of the setting forecast best over the best measured. */
export function lossesOfPicks(rows) {
  const groups = [];
  for (const row of rows) {
    const group = groups.find(([first]) => first.model === row.model && sameCircumstances(first, row));
    if (group) group.push(row);
    else groups.push([row]);
  }
  return groups.filter((group) => group.length > 1).map((group) => {
    const pick = group.reduce((best, row) => (row.forecast < best.forecast ? row : best));
    return pick.latency / Math.min(...group.map((row) => row.latency)) - 1;
  });
}

function kindOf({ intra_op, spin, instances, cpu_quota }, cpus) {
  if (cpu_quota !== undefined) return `quota ${cpu_quota}, ${intra_op > cpu_quota ? "more threads" : "no more threads"} than that, spin ${spin}`;
  const where = instances > 1 ? `${instances} instances, ` : "";
  return `${where}${instances * intra_op > cpus ? "more" : "no more"} threads than CPUs, spin ${spin}`;
}

function forecastLatency(program, file, setting) {
  const command = [
    program, "simulate", file, "--runtime", setting.runtime, "--mode", setting.mode, "--inter", setting.inter_op,
    "--intra", setting.intra_op, "--spin", setting.spin, "--instances", setting.instances, "--top", 1, "--json",
    ...(setting.batch > 1 ? ["--batch", setting.batch] : []),
  ].map(String);
  const group = setting.cpu_quota === undefined ? undefined : makeCpuGroup(setting.cpu_quota);
  try {
    const [head, ...rest] = group ? insideGroup(group.folder, command) : command;
    const text = execFileSync(head, rest, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28 });
    return JSON.parse(text).forecast.latency_ms;
  } finally {
    group?.remove();
  }
}

const percent = (value) => `${value < 0 ? "" : "+"}${(100 * value).toFixed(0)} %`;
const share = ({ pairs, right }) => (pairs ? `${((100 * right) / pairs).toFixed(0)} % of ${pairs}` : "none");

function report(rows, cpus) {
  const lines = [
    "| model | instances | quota | intra-op | spin | measured ms | noise | slow-down | forecast ms | slow-down | error |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
    ...rows.map(({ model, setting, ...row }) => [
      "", model, setting.instances, setting.cpu_quota ?? "", setting.intra_op, setting.spin, row.latency.toPrecision(3),
      `${(100 * row.noise).toFixed(0)} %`, row.slowDown.toFixed(2), row.forecast.toPrecision(3), row.forecastSlowDown.toFixed(2),
      percent(row.error), "",
    ].join(" | ").trim()),
    "", "| settings | rows | slow-down measured, median | forecast | error, median | absolute error, median | p90 | worst |",
    "|---|---|---|---|---|---|---|---|",
  ];
  const kinds = [...new Set(rows.map((row) => kindOf(row.setting, cpus)))].sort();
  for (const kind of ["all", ...kinds]) {
    const some = rows.filter((row) => kind === "all" || kindOf(row.setting, cpus) === kind);
    const size = some.map((row) => Math.abs(row.error));
    lines.push(`| ${kind} | ${some.length} | ${median(some.map((row) => row.slowDown)).toFixed(2)} | ` +
      `${median(some.map((row) => row.forecastSlowDown)).toFixed(2)} | ${percent(median(some.map((row) => row.error)))} | ` +
      `${[0.5, 0.9, 1].map((part) => `${(100 * quantile(size, part)).toFixed(0)} %`).join(" | ")} |`);
  }
  const losses = lossesOfPicks(rows);
  lines.push("", `Pairs of settings of one model ordered rightly: ${share(orderedPairs(rows))}; ` +
    `under the same quota and number of instances: ${share(orderedPairs(rows, sameCircumstances))}`);
  if (losses.length) {
    lines.push(`The setting forecast best under each quota and number of instances, over the best measured: ` +
      `median ${percent(median(losses))}, p90 ${percent(quantile(losses, 0.9))}, worst ${percent(quantile(losses, 1))} of ${losses.length}`);
  }
  return lines.join("\n");
}

function main(argv) {
  const { values, positionals } = parseArgs({
    args: argv, allowPositionals: true, options: { only: { type: "string" }, statistic: { type: "string" } } });
  const [runsFile, program, ...models] = positionals;
  if (!models.length || ![undefined, "mean", "median"].includes(values.statistic)) {
    throw new Error("usage: contention_forecast.mjs [--only MODEL,...] [--statistic mean|median] RUNS.json CORECAST MODEL=FILE...");
  }
  const files = new Map(models.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]));
  const only = values.only?.split(",") ?? [...files.keys()];
  const unknown = only.find((name) => !files.has(name));
  if (unknown) throw new Error(`--only: no file is given for ${unknown}`);
  const { context, runs } = JSON.parse(readFileSync(runsFile, "utf8"));
  const rows = runs.filter((run) => only.includes(run.model) && run.rounds.length).map((run) => ({
    model: run.model, setting: run.setting, ...measured(run, values.statistic),
    forecast: forecastLatency(program, files.get(run.model), run.setting),
  }));
  if (!rows.length) throw new Error(`${runsFile}: no measured run of ${only.join(", ")}`);
  console.log(report(withSlowDowns(rows), context.logical_cpus));
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`contention_forecast: ${error.message}\n`);
    process.exitCode = error.message.startsWith("usage") ? 1 : 2;
  }
}
