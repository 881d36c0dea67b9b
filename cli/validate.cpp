// Forecasts held against measurements of whole models.
#include "base/error.hpp"
#include "base/file.hpp"
#include "calibration/evidence/anchoring.hpp"
#include "cli/commands.hpp"
#include "cli/paragraphs.hpp"
#include "cli/progress_bar.hpp"
#include "cli/terminal.hpp"
#include "cli/validate_report.hpp"

namespace corecast::cli {
namespace {

constexpr std::int64_t kRowsToShowProgress = 2000;  // fewer take less than two seconds

void forecast(evidence::Request& request, ValidateReport& report) {
  std::int64_t rows = 0;
  for (const evidence::MeasuredTable& table : request.tables)
    rows += static_cast<std::int64_t>(table.rows.size());
  if (rows < kRowsToShowProgress) {
    report.evidence = evidence::examine(request);
    return;
  }
  ProgressBar bar("forecasting measured settings");
  int shown = -1;  // percent
  request.progress = [&](double done) {
    const int percent = static_cast<int>(100.0 * done);
    if (percent == shown) return;
    shown = percent;
    bar.step(fmt::format("{} rows", rows), done);
  };
  report.evidence = evidence::examine(request);
}

}  // namespace

std::string run(const ValidateOptions& options) {
  for (const auto& file : options.measured) {
    if (options.csv) check_output("--csv", *options.csv, file.string());
    if (options.plot) check_output("--plot", *options.plot, file.string());
  }
  ValidateReport report;
  report.top = options.top;
  report.rows = options.rows;
  if (options.anchor) report.anchor = evidence::text_of(*options.anchor);
  evidence::Request request = request_of(options, report);
  forecast(request, report);
  report.warnings = distinct(std::move(report.warnings));
  const evidence::Evidence& found = report.evidence;
  if (found.rows_used == 0) {
    std::string why = found.rows == 0 ? "the files have no rows" : "no row can be forecast";
    for (std::size_t i = 0; i < std::min<std::size_t>(found.skipped.size(), 3); ++i)
      why += fmt::format("{} {} ({} of {} rows)", i == 0 ? ":" : ";", found.skipped[i].reason,
                         found.skipped[i].count, found.rows);
    throw NoAnswer(why);
  }
  if (options.csv) write_file(*options.csv, csv_of(report));
  if (options.plot) write_file(*options.plot, plot_of(report));
  return options.json ? json_of(report) : text_of(report, terminal_width());
}

}  // namespace corecast::cli
