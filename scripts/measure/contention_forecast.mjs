#!/usr/bin/env node
// Forecast slow-downs beside measured ones, as Markdown:
//   contention_forecast.mjs [--only MODEL,...] [--statistic mean|median] [--others CPUS] RUNS.json CORECAST MODEL=FILE...
// RUNS.json comes from contention.sh or measure_onnxruntime.mjs, CORECAST is the program, MODEL=FILE as in the measurement.
// A setting with a quota is forecast in a control group with that quota, because the program reads its host's.
//
// Slow-down = latency / latency of the model's best setting, the measured and the forecast one each over their own best:
// an error common to all settings of a model cancels. It is the median over rounds of the ratio within a round, because
// a shared host has faster and slower minutes. A round's latency is its median; under a quota its mean, since a run shorter
// than a period is either not stopped or for tens of ms. --statistic takes one of the two for all.
// Rounds in which other programs used more than --others CPUs (0.25) are left out, where the measurement says so.
// A pair of settings of one model counts when all common rounds order it alike and its ratio is above 1.05 (1.15 with one
// common round alone). Equal forecasts of such a pair count as half right.
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { insideGroup, makeCpuGroup } from "./cpu_group.mjs";
import { median, quantile, roundMean, roundMedian } from "./statistics.mjs";

const LEAST_RATIO = 1.05;
const LEAST_RATIO_OF_ONE_ROUND = 1.15; // a single round does not tell how far it scatters

/** {latency, byRound: Map of round to latency} of a measured run; undefined without any undisturbed round. */
export function measured(run, { statistic, others = Infinity } = {}) {
  const kind = statistic ?? (run.setting.cpu_quota === undefined ? "median" : "mean");
  const quiet = run.rounds.filter((round) => !(round.other_cpus > others));
  if (!quiet.length) return undefined;
  const byRound = new Map(quiet.map((round) => [round.round, (kind === "mean" ? roundMean : roundMedian)(round)]));
  return { latency: median([...byRound.values()]), byRound };
}

/** Ratios of two rows in the rounds they have in common. */
const ratios = (one, other) => [...one.byRound].filter(([round]) => other.byRound.has(round))
  .map(([round, value]) => value / other.byRound.get(round));

/** Adds slow-downs to rows {model, latency, byRound, forecast, ...}: each column over the smallest of its model. */
export function withSlowDowns(rows) {
  const best = (model, name) => rows.filter((row) => row.model === model).reduce((a, b) => (b[name] < a[name] ? b : a));
  return rows.map((row) => {
    const reference = best(row.model, "latency");
    const inRounds = ratios(row, reference);
    const slowDown = median(inRounds) ?? row.latency / reference.latency;
    const spread = inRounds.length < 2 ? null : (Math.max(...inRounds) - Math.min(...inRounds)) / slowDown;
    const forecastSlowDown = row.forecast / best(row.model, "forecast").forecast;
    return { ...row, slowDown, spread, forecastSlowDown, error: forecastSlowDown / slowDown - 1 };
  });
}

/** {pairs, right} over pairs of one model that the measurement tells apart; same(a, b) may exclude more. */
export function orderedPairs(rows, same = () => true) {
  let [pairs, right] = [0, 0];
  rows.forEach((a, i) => rows.slice(i + 1).forEach((b) => {
    if (a.model !== b.model || !same(a, b)) return;
    const inRounds = ratios(a, b);
    const least = inRounds.length > 1 ? LEAST_RATIO : LEAST_RATIO_OF_ONE_ROUND;
    const middle = median(inRounds) ?? 1;
    const isFaster = middle < 1;
    if (Math.max(middle, 1 / middle) < least || inRounds.some((ratio) => ratio < 1 !== isFaster)) return;
    pairs += 1;
    if (a.forecast === b.forecast) right += 0.5;
    else if (a.forecast < b.forecast === isFaster) right += 1;
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
    "| model | instances | quota | intra-op | spin | measured ms | slow-down | spread | forecast ms | slow-down | error |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
    ...rows.map(({ model, setting, ...row }) => [
      "", model, setting.instances, setting.cpu_quota ?? "", setting.intra_op, setting.spin, row.latency.toPrecision(3),
      row.slowDown.toFixed(2), row.spread === null ? "" : `${(100 * row.spread).toFixed(0)} %`, row.forecast.toPrecision(3), row.forecastSlowDown.toFixed(2),
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
    args: argv, allowPositionals: true, options: { only: { type: "string" }, statistic: { type: "string" }, others: { type: "string" } } });
  const [runsFile, program, ...models] = positionals;
  const others = Number(values.others ?? 0.25);
  if (!models.length || ![undefined, "mean", "median"].includes(values.statistic) || !(others >= 0)) {
    throw new Error("usage: contention_forecast.mjs [--only MODEL,...] [--statistic mean|median] [--others CPUS] RUNS.json CORECAST MODEL=FILE...");
  }
  const files = new Map(models.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]));
  const only = values.only?.split(",") ?? [...files.keys()];
  const unknown = only.find((name) => !files.has(name));
  if (unknown) throw new Error(`--only: no file is given for ${unknown}`);
  const { context, runs } = JSON.parse(readFileSync(runsFile, "utf8"));
  const rows = [];
  let disturbed = 0;
  for (const run of runs.filter((one) => only.includes(one.model) && one.rounds.length)) {
    const figures = measured(run, { statistic: values.statistic, others });
    if (figures) {
      const forecast = forecastLatency(program, files.get(run.model), run.setting);
      rows.push({ model: run.model, setting: run.setting, ...figures, forecast });
    } else {
      disturbed += 1;
    }
  }
  if (!rows.length) throw new Error(`${runsFile}: no undisturbed run of ${only.join(", ")}`);
  if (disturbed) process.stderr.write(`${disturbed} settings left out: other programs ran beside all their rounds\n`);
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
