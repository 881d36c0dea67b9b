// Our microbenchmarks beside other tools on this host, in one run: likwid-bench for bandwidth, plain loops over OpenBLAS's
// and oneDNN's own entry points for products. Tools take turns, so that a busy neighbour disturbs all alike.
// Wants the Debian packages likwid, libopenblas-dev, libdnnl-dev and a C compiler. About 90 s a round.
// Usage: node cross_check.mjs CORECAST [ROUNDS]
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [program, rounds = "5"] = process.argv.slice(2);
if (!program || !(Number(rounds) >= 1)) {
  console.error("usage: node cross_check.mjs CORECAST [ROUNDS]");
  process.exit(1);
}
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "cross_check-"));
const environment = { ...process.env, XDG_DATA_HOME: folder };
delete environment.OPENBLAS_CORETYPE; // would make OpenBLAS take another CPU's kernels

// Ours -> likwid's kernel of the same streams, and the same width of vectors.
const wide = readFileSync("/proc/cpuinfo", "utf8").includes("avx512f") ? "avx512" : "avx";
const likwid = {
  read: `load_${wide}`, write: `store_${wide}`, write_nt: `store_mem_${wide}`, copy: `copy_${wide}`, copy_nt: `copy_mem_${wide}`,
  triad: `stream_${wide}`, triad_nt: `stream_mem_${wide}`, update: `update_${wide}`,
};
const results = new Map(); // "what" -> {ours: [round's best], ours_median: [...], theirs..., tool}
const entry = (what) => results.get(what) ?? results.set(what, { ours: [], ourMedians: [], theirs: new Map() }).get(what);
const sorted = (list) => [...list].sort((a, b) => a - b);
const median = (list) => sorted(list)[Math.floor(list.length / 2)];

function oursRows(group) {
  const file = join(folder, "rows.json");
  execFileSync(program, ["calibrate", "--quick", "--only", group, "--measurements-only", file], { env: environment, stdio: "ignore" });
  return JSON.parse(readFileSync(file, "utf8")).rows;
}

const bytes = (text) => Number(text.split(" ")[0]) * { B: 1, kB: 1e3, MB: 1e6, GB: 1e9 }[text.split(" ")[1]];

function likwidRate(kernel, set, threads) {
  // About a tenth of a second at 40 GB/s and more.
  const passes = Math.max(5, Math.round((0.1 * 40e9 * threads) / set));
  const out = execFileSync("likwid-bench", ["-t", kernel, "-w", `N:${Math.round(set / 1e3)}kB:${threads}`, "-i", String(passes)],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return Number(/MByte\/s:\s+([\d.]+)/.exec(out)[1]) / 1e3;
}

function bandwidthRound() {
  for (const row of oursRows("bandwidth")) {
    if (!likwid[row.kernel] || row.placement !== "compact" || row.threads_per_core !== 1) continue;
    const set = bytes(row.working_set);
    const one = entry(`${row.kernel} ${row.working_set} x${row.threads}`);
    one.unit = "GB/s";
    one.ours.push(Math.max(...row.samples) / 1e9);
    one.ourMedians.push(median(row.samples) / 1e9);
    const rates = [likwidRate(likwid[row.kernel], set, row.threads)];
    one.theirs.set("likwid-bench", [...(one.theirs.get("likwid-bench") ?? []), rates]);
  }
}

function buildLoops() {
  const source = join(here, "cross_check", "gemm_loop.c");
  const build = (name, flags) => {
    execFileSync("cc", ["-O2", source, "-o", join(folder, name), ...flags]);
    return join(folder, name);
  };
  return { onednn: build("onednn", ["-ldnnl"]), openblas: build("openblas", ["-DWITH_BLAS", "-lopenblas"]) };
}

function productRound(loops) {
  for (const row of oursRows("kernels")) {
    const { m, n, k, batch = 1 } = row.shape ?? {};
    if (row.kernel !== "gemm" || row.type !== "fp32" || m !== n || n !== k || batch !== 1 || !loops[row.library]) continue;
    const one = entry(`${row.library} sgemm ${n} x${row.threads}`);
    one.unit = "Gflop/s";
    const rates = row.samples.map((seconds) => row.flop / seconds / 1e9);
    one.ours.push(Math.max(...rates));
    one.ourMedians.push(median(rates));
    const cpus = Array.from({ length: row.threads }, (_, i) => i).join(",");
    const loop = execFileSync("taskset", ["-c", cpus, loops[row.library], String(n), "0.5"],
      { encoding: "utf8", env: { ...environment, OMP_NUM_THREADS: String(row.threads), OPENBLAS_NUM_THREADS: String(row.threads), OMP_PROC_BIND: "true" } });
    const theirs = loop.trim().split("\n").map(Number);
    one.theirs.set("plain loop", [...(one.theirs.get("plain loop") ?? []), theirs]);
  }
}

const loops = buildLoops();
const loadBefore = loadavg()[0];
for (let round = 0; round < Number(rounds); ++round) {
  console.error(`round ${round + 1} of ${rounds}`);
  bandwidthRound();
  productRound(loops);
}
console.log(`${rounds} rounds, load average ${loadBefore.toFixed(1)} before, ${loadavg()[0].toFixed(1)} after; best of all and median of medians\n`);
console.log("| what, working set or size, threads | unit | ours best | median | tool | best | median | ratio of bests | of medians |");
console.log("|---|---|---|---|---|---|---|---|---|");
const number = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
const ratios = [];
for (const [what, one] of results) {
  for (const [tool, roundsOfTool] of one.theirs) {
    const best = Math.max(...roundsOfTool.flat());
    const middle = median(roundsOfTool.map(median));
    const ours = Math.max(...one.ours);
    ratios.push({ unit: one.unit, best: ours / best, median: median(one.ourMedians) / middle });
    console.log(`| ${what} | ${one.unit} | ${number(ours)} | ${number(median(one.ourMedians))} | ${tool} | ${number(best)} | ${number(middle)} | ${(ours / best).toFixed(2)} | ${(median(one.ourMedians) / middle).toFixed(2)} |`);
  }
}
for (const unit of ["GB/s", "Gflop/s"]) {
  const list = ratios.filter((ratio) => ratio.unit === unit);
  if (list.length === 0) continue;
  const bests = sorted(list.map((ratio) => ratio.best));
  const medians = sorted(list.map((ratio) => ratio.median));
  console.log(`\n${unit}: ${list.length} points; ratio of bests: median ${median(bests).toFixed(2)}, from ${bests[0].toFixed(2)} to ${bests.at(-1).toFixed(2)}; of medians: ${median(medians).toFixed(2)}, from ${medians[0].toFixed(2)} to ${medians.at(-1).toFixed(2)}`);
}
