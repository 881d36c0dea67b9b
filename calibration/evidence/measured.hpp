// Measurements of whole models, one row a run: the CSV files that `corecast measure` writes, and others in their form.
//
// Leading lines that begin with '#' are the context of the file, kept as text. The first other line names the columns,
// in any order; each further line is a row. An empty cell is "not stated". Cells may stand in double quotes, which
// then may hold commas, but no line ends.
//   columns known  source, machine, framework, model, mode, runtime, seq_len, batch, instances, inter_op, intra_op, smt,
//                  spin, placement, memory, allocator, pinning, cpu_quota, latency_ms, latency_ms_median,
//                  latency_mean_ms, latency_min_ms, latency_max_ms, throughput_per_s, spread, rounds, note
//   required       machine, framework, model, batch, intra_op, and a latency or the throughput
// Other columns are ignored and named in `ignored_columns`. Throws InputError with file, line and column for a header
// that lacks or repeats a column, for a row of another length, and for a cell that is no value of its column.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace corecast::evidence {

struct MeasuredRow {
  std::string source, machine, framework, model, mode, runtime, placement, memory, allocator, pinning, note;
  std::optional<long long> sequence, batch, instances, inter_op, intra_op, rounds;
  std::optional<bool> smt, spin;
  std::optional<double> quota_cpus;
  std::optional<double> latency_ms;  // the mean, or whatever the file calls its latency
  std::optional<double> latency_median_ms, latency_mean_ms, latency_min_ms, latency_max_ms;
  std::optional<double> throughput_per_s;  // samples per second of all instances
  std::optional<double> spread;            // (largest - smallest round) / median of the rounds
  friend bool operator==(const MeasuredRow&, const MeasuredRow&) = default;
};

struct MeasuredTable {
  std::string file;
  std::vector<std::string> context;  // "key: value", without '#'
  std::vector<std::string> ignored_columns;
  std::vector<MeasuredRow> rows;
};

[[nodiscard]] MeasuredTable parse_measured(std::string_view text, const std::string& file);
[[nodiscard]] MeasuredTable read_measured(const std::filesystem::path& path);

// Time of one batch on one instance, in ms: latency_ms, else the median; else instances x batch / throughput. Under a CPU quota the
// mean where it is stated: a quota stops some runs for most of a period, and a median does not see it.
// Nothing where the row has none of them.
[[nodiscard]] std::optional<double> latency_ms_of(const MeasuredRow& row);
// Samples per second of all instances: as stated, else instances x batch / latency.
[[nodiscard]] std::optional<double> throughput_of(const MeasuredRow& row);

}  // namespace corecast::evidence
