#!/usr/bin/env node
// Fits numbers of runtime files to measured latencies of whole models: what no microbenchmark of this host can tell of another
// machine class. Stages one after the other, each on rows of one model; the loss is the mean of |ln(forecast / measured)|, each
// row capped at 0.5, minimised by Nelder and Mead's simplex over the logarithms (Computer Journal 7(4), 1965) from two starts.
// Usage: whole_model_fit.mjs CORECAST PLAN.json MEASURED.csv OUTPUT [FIT...]
//   OUTPUT gets one folder of data for each fit, named by it, for CORECAST_DATA; the numbers go to standard output as JSON.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { parseCsv, toCsvText } from "./tables.mjs";

const CAP = 0.5;
const EVALUATIONS = 150;

const at = (runtimes, place) => {
  const [file, ...keys] = place.split(".");
  return { holder: keys.slice(0, -1).reduce((object, key) => object[key], runtimes[file]), key: keys.at(-1) };
};

function put(runtimes, number, value) {
  for (const place of number.at) {
    const { holder, key } = at(runtimes, place);
    const written = typeof value === "string" ? value : number.unit ? `${value.toPrecision(3)} ${number.unit}` : Number(value.toPrecision(3));
    if (typeof holder[key] === "object") holder[key].value = written;
    else holder[key] = written;
  }
}

const save = (folder, runtimes) => {
  for (const [name, runtime] of Object.entries(runtimes)) {
    fs.writeFileSync(path.join(folder, "runtimes", `${name}.json`), `${JSON.stringify(runtime, null, 1)}\n`);
  }
};

/** Mean capped |ln(forecast / measured)| of the rows in `csv`. */
function loss(program, folder, csv, machine) {
  const rows = path.join(folder, "rows.csv");
  execFileSync(program, ["validate", "--measured", csv, "--machine", machine, "--csv", rows], {
    env: { ...process.env, CORECAST_DATA: folder }, stdio: ["ignore", "ignore", "ignore"],
  });
  const errors = parseCsv(fs.readFileSync(rows, "utf8"))
    .map((row) => Math.min(CAP, Math.abs(Math.log(row.forecast_ms / row.latency_ms))));
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
}

/** Least f from x, with edges of 0.3 in each direction at first. */
function simplex(f, start) {
  const dimension = start.length;
  let points = [start, ...start.map((_, i) => start.map((x, j) => x + (i === j ? 0.3 : 0)))].map((x) => ({ x, y: f(x) }));
  let evaluations = points.length;
  const along = (from, to, t) => from.map((x, i) => x + t * (to[i] - x));
  const tried = (x) => { evaluations += 1; return { x, y: f(x) }; };
  while (evaluations < EVALUATIONS) {
    points.sort((a, b) => a.y - b.y);
    const worst = points[dimension];
    if (worst.y - points[0].y < 1e-5) break;
    const middle = start.map((_, i) => points.slice(0, dimension).reduce((sum, p) => sum + p.x[i], 0) / dimension);
    const mirrored = tried(along(worst.x, middle, 2));
    let next = mirrored;
    if (mirrored.y < points[0].y) {
      const further = tried(along(worst.x, middle, 3));
      if (further.y < mirrored.y) next = further;
    } else if (mirrored.y >= points[dimension - 1].y) {
      next = tried(along(worst.x, middle, 0.5));
      if (next.y >= worst.y) {
        points = [points[0], ...points.slice(1).map((p) => tried(along(points[0].x, p.x, 0.5)))];
        continue;
      }
    }
    points[dimension] = next;
  }
  return points.sort((a, b) => a.y - b.y)[0];
}

function fit(program, plan, { set, stages }, measured, folder, source) {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.cpSync(source, folder, { recursive: true });
  const names = [...new Set(Object.values(plan.numbers).flatMap((n) => n.at.map((place) => place.split(".")[0])))];
  const runtimes = Object.fromEntries(names.map((name) =>
    [name, JSON.parse(fs.readFileSync(path.join(folder, "runtimes", `${name}.json`), "utf8"))]));
  for (const [place, value] of Object.entries(set)) put(runtimes, { at: [place] }, value);
  const found = {};
  for (const stage of stages) {
    const csv = path.join(folder, "stage.csv");
    const wanted = Object.entries(plan.groups[stage.rows]);
    fs.writeFileSync(csv, toCsvText(measured.filter((row) => wanted.every(([key, value]) => row[key] === value))));
    const numbers = stage.numbers.map((name) => plan.numbers[name]);
    const inside = (number, x) => Math.min(number.high, Math.max(number.low, Math.exp(x)));
    const apply = (x) => { numbers.forEach((n, i) => put(runtimes, n, inside(n, x[i]))); save(folder, runtimes); };
    const f = (x) => { apply(x); return loss(program, folder, csv, plan.machine); };
    const first = numbers.map((n) => Math.log(n.start));
    const best = [first, first.map((x, i) => x + (i % 2 ? 0.4 : -0.4))].map((x) => simplex(f, x)).sort((a, b) => a.y - b.y)[0];
    apply(best.x);
    stage.numbers.forEach((name, i) => { found[name] = Number(inside(numbers[i], best.x[i]).toPrecision(3)); });
    found[`loss of ${stage.rows}`] = Number(best.y.toPrecision(3));
  }
  for (const file of ["stage.csv", "rows.csv"]) fs.rmSync(path.join(folder, file), { force: true });
  return found;
}

const [program, planFile, measuredFile, output, ...only] = process.argv.slice(2);
if (!output) {
  process.stderr.write("usage: whole_model_fit.mjs CORECAST PLAN.json MEASURED.csv OUTPUT [FIT...]\n");
  process.exit(1);
}
const plan = JSON.parse(fs.readFileSync(planFile, "utf8"));
const measured = parseCsv(fs.readFileSync(measuredFile, "utf8"));
const source = path.resolve(path.dirname(new URL(import.meta.url).pathname), "../../data");
const results = {};
for (const [name, one] of Object.entries(plan.fits)) {
  if (only.length && !only.includes(name)) continue;
  results[name] = fit(program, plan, one, measured, path.join(output, name.replaceAll(" ", "_")), source);
  process.stderr.write(`${name}: ${JSON.stringify(results[name])}\n`);
}
process.stdout.write(`${JSON.stringify(results, null, 1)}\n`);
