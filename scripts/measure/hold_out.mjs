// The table of calibration/README.md: half of the core counts of published curves, forecast by a fit to the other half.
// Usage: node hold_out.mjs CORECAST MEASUREMENTS.json...
import { execFileSync } from "node:child_process";

const [program, ...files] = process.argv.slice(2);
if (!program || files.length === 0) {
  console.error("usage: node hold_out.mjs CORECAST MEASUREMENTS.json...");
  process.exit(1);
}

const quantile = (sorted, share) => {
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const next = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[next] - sorted[below]);
};
const percent = (value) => `${(100 * value).toFixed(1)} %`;

const groups = new Map();
const machines = new Map();
const add = (map, key, value) => map.set(key, [...(map.get(key) ?? []), value]);
for (const file of files) {
  const report = JSON.parse(execFileSync(program, ["calibrate", "--from", file, "--hold-out", "--json"], { encoding: "utf8" }));
  const name = file.replace(/^.*\//, "").replace(/\.json$/, "");
  for (const row of report.hold_out.rows) {
    const error = Math.abs(row.relative);
    for (const key of [row.group, "all"]) add(groups, key, error);
    add(machines, name, error);
  }
}

const print = (title, map) => {
  console.log(`| ${title} | rows | median | p95 | worst |\n|---|---|---|---|---|`);
  for (const [key, errors] of [...map].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const sorted = errors.toSorted ? errors.toSorted((a, b) => a - b) : [...errors].sort((a, b) => a - b);
    console.log(`| ${key} | ${sorted.length} | ${percent(quantile(sorted, 0.5))} | ${percent(quantile(sorted, 0.95))} | ${percent(sorted.at(-1))} |`);
  }
};
print("held-out rows", groups);
console.log("");
print("machine", machines);
