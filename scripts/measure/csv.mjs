// The result as rows in the CSV schema that whole-model measurements use; an empty cell means "not stated".
const COLUMNS = [
  "source", "machine", "framework", "model", "mode", "seq_len", "batch", "instances", "inter_op", "intra_op", "smt",
  "placement", "memory", "allocator", "latency_ms", "latency_min_ms", "latency_max_ms", "throughput_per_s", "note",
  "latency_mean_ms", "cpu_quota",
];

const quoted = (cell) => {
  const text = cell === undefined || cell === null ? "" : String(cell);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Runs without any finished round have no latency, so no row: they stay in the JSON result with their errors. */
export function toCsv(result, machine) {
  const rows = result.runs.filter((run) => run.rounds.length).map((run) => {
    const { setting } = run;
    // A quota stops runs for most of a period now and then: what it leaves per second shows in the mean only.
    const usual = setting.cpu_quota === undefined ? run.latency_ms_median : run.latency_ms_mean;
    return {
      source: "scripts/measure", machine, framework: setting.runtime, model: run.model, mode: setting.mode,
      batch: setting.batch, instances: setting.instances, inter_op: setting.inter_op, intra_op: setting.intra_op,
      latency_ms: run.latency_ms_median, latency_min_ms: run.latency_ms_min, latency_max_ms: run.latency_ms_max,
      throughput_per_s: ((1000 * setting.batch * setting.instances) / usual).toFixed(3),
      note: `onnxruntime ${result.context.onnxruntime_version}; spin ${setting.spin}; latency_ms is the median of ` +
        `${run.rounds.length} round medians`,
      latency_mean_ms: run.latency_ms_mean, cpu_quota: setting.cpu_quota,
    };
  });
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => quoted(row[name])))];
  return lines.map((cells) => `${cells.join(",")}\n`).join("");
}
