#!/usr/bin/env node
// Forecast beside measurement: compare_forecast.mjs RUNS.json CORECAST NAME=FILE... prints a Markdown table.
// RUNS.json comes from measure_onnxruntime.mjs; CORECAST is the program; NAME=FILE as in the measurement.
// One instance without a quota; contention_forecast.mjs does the others.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [runsFile, program, ...models] = process.argv.slice(2);
if (!runsFile || !program || models.length === 0) {
  process.stderr.write('usage: compare_forecast.mjs RUNS.json CORECAST NAME=FILE...\n');
  process.exit(1);
}
const fileOf = new Map(models.map((text) => text.split('=')));
const { runs } = JSON.parse(readFileSync(runsFile, 'utf8'));

const forecast = (file, setting) => JSON.parse(execFileSync(program, [
  'simulate', file, '--runtime', setting.runtime, '--mode', setting.mode, '--inter', String(setting.inter_op),
  '--intra', String(setting.intra_op), '--spin', setting.spin, '--json',
], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })).forecast.latency_ms;

const errors = [];
console.log('| model | intra-op | forecast ms | measured ms | spread | error |\n|---|---|---|---|---|---|');
for (const run of runs) {
  const file = fileOf.get(run.model);
  if (!file || !run.latency_ms_median || run.setting.cpu_quota || run.setting.instances > 1) continue;
  const expected = forecast(file, run.setting);
  const error = expected / run.latency_ms_median - 1;
  errors.push(Math.abs(error));
  console.log(`| ${run.model} | ${run.setting.intra_op} | ${expected.toPrecision(3)} | ${run.latency_ms_median.toPrecision(3)} `
    + `| ${(100 * run.spread).toFixed(0)} % | ${error < 0 ? '' : '+'}${(100 * error).toFixed(0)} % |`);
}
errors.sort((a, b) => a - b);
const at = (share) => (100 * errors[Math.min(errors.length - 1, Math.ceil(share * errors.length) - 1)]).toFixed(0);
console.log(`\nabsolute error over ${errors.length} rows: median ${at(0.5)} %, p90 ${at(0.9)} %, worst ${at(1)} %`);
