#include <algorithm>

#include "cli/measure_report.hpp"
#include "cli/table.hpp"
#include "cli/words.hpp"

namespace corecast::cli {
namespace {

std::string milliseconds(double value) {
  return value >= 1000.0 ? fmt::format("{:.0f} ms", value) : fmt::format("{:.3g} ms", value);
}

std::string heading_of(const MeasureReport& report, int width) {
  const MeasuredModel& model = report.model;
  std::string what = fmt::format("{}: batch {}", model.name, model.batch);
  if (model.sequence) what += fmt::format(", sequence {}", *model.sequence);
  std::string host = fmt::format("{}, CPUs {}", report.machine, report.cpus);
  if (report.quota) host += fmt::format(", quota of {:.3g}", *report.quota);
  return wrapped(what, width) + wrapped(report.framework, width, "framework  ") +
         wrapped(host, width, "machine    ") +
         wrapped(
             fmt::format("{} measured of {}, in {} each", report.measured(),
                         counted(static_cast<std::int64_t>(report.rows.size()), "setting"),
                         report.method.processes == 1 ? "1 process"
                                                      : fmt::format("{} processes", report.method.processes)),
             width, "settings   ");
}

Row row_of(const MeasureReport& report, const MeasureRow& row) {
  if (!row.measured()) {
    return {{text_of(row.asked), row.run.failure.empty() ? "open" : "failed"}, row.run.failure};
  }
  const adaptor::Latencies& latencies = *row.run.latencies;
  std::string note;
  if (&row == report.best_latency()) note = "best";
  if (&row == report.best_throughput()) note += note.empty() ? "most/s" : ", most/s";
  if (row.noisy()) note += note.empty() ? "noisy" : ", noisy";
  if (row.plan.cpus.empty() && row.asked.pinned) note += note.empty() ? "not pinned" : ", not pinned";
  return {{text_of(row.asked), milliseconds(latencies.mean), milliseconds(latencies.median),
           latencies.spread ? percent_text(*latencies.spread) : "", rate_text(throughput_of(row.run)), note},
          row.run.failure.empty() ? "" : "a round failed: " + row.run.failure};
}

std::string remarks(const MeasureReport& report, int width) {
  std::string text;
  const auto rows = static_cast<std::size_t>(report.rows.size());
  const auto count = [&](auto is) {
    return static_cast<std::size_t>(std::count_if(report.rows.begin(), report.rows.end(), is));
  };
  if (const std::size_t noisy = count([](const MeasureRow& row) { return row.noisy(); }); noisy > 0) {
    text += wrapped(
        fmt::format("{} of {} noisy: rounds differ by more than {}. Measure again on a quiet host, or "
                    "do not trust small differences.",
                    noisy, rows, percent_text(kNoisySpread)),
        width);
  }
  if (const std::size_t loose =
          count([](const MeasureRow& row) { return row.asked.pinned && row.plan.cpus.empty(); });
      loose > 0) {
    text +=
        wrapped(fmt::format("{} of {} not pinned: more threads than CPUs are granted.", loose, rows), width);
  }
  double others = 0.0;
  for (const MeasureRow& row : report.rows) others = std::max(others, row.run.other_cpus.value_or(0.0));
  if (others > kBusyOthers)
    text += wrapped(fmt::format("Others used up to {:.2g} CPUs of the host meanwhile.", others), width);
  for (const std::string& warning : report.warnings) text += wrapped("Warning: " + warning, width);
  if (report.out_of_budget && report.remaining() > 0) {
    text += wrapped(
        fmt::format("The budget is spent: {} of {} remain. The same command goes on with them.",
                    report.remaining(),
                    counted(static_cast<std::int64_t>(rows) * report.method.processes, "measurement")),
        width);
  }
  return text;
}

}  // namespace

double throughput_of(const adaptor::Run& run) {
  return 1000.0 * static_cast<double>(run.setting.batch) * run.setting.instances / run.latencies->mean;
}

int MeasureReport::measured() const {
  return static_cast<int>(std::count_if(
      rows.begin(), rows.end(), [&](const MeasureRow& row) { return row.run.rounds >= method.processes; }));
}

int MeasureReport::remaining() const {
  int count = 0;
  for (const MeasureRow& row : rows) {
    if (row.run.failure.empty()) count += std::max(0, method.processes - row.run.rounds);
  }
  return count;
}

const MeasureRow* MeasureReport::best_latency() const {
  // Means: where threads take turns on a CPU, or a quota stops them, a median sees only the runs between two pauses.
  const auto time = [](const MeasureRow& row) { return row.run.latencies->mean; };
  const MeasureRow* best = nullptr;
  for (const MeasureRow& row : rows) {
    if (row.measured() && (best == nullptr || time(row) < time(*best))) best = &row;
  }
  return best;
}

const MeasureRow* MeasureReport::best_throughput() const {
  const MeasureRow* best = nullptr;
  bool differ = false;
  for (const MeasureRow& row : rows) {
    if (!row.measured()) continue;
    differ = differ || row.plan.instances != rows.front().plan.instances ||
             row.plan.batch != rows.front().plan.batch;
    if (best == nullptr || throughput_of(row.run) > throughput_of(best->run)) best = &row;
  }
  return differ ? best : nullptr;
}

std::string text_of(const MeasureReport& report, int width) {
  std::vector<Row> rows;
  for (const MeasureRow& row : report.rows) rows.push_back(row_of(report, row));
  const std::vector<Column> columns{{"setting", Align::left, true}, {"mean", Align::right},
                                    {"median", Align::right},       {"spread", Align::right},
                                    {"samples/s", Align::right},    {"", Align::left}};
  std::string text =
      heading_of(report, width) + "\n" + table(columns, rows, width) + "\n" + remarks(report, width);
  return text + wrapped(fmt::format("Rows: {}; all samples: {}.", report.csv.string(), report.state.string()),
                        width);
}

}  // namespace corecast::cli
