// Forecasts held against measurements of whole models.
#include <chrono>
#include <filesystem>
#include <optional>

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

void forecast(evidence::Request& request, ValidateReport& report) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::optional<ProgressBar> bar;
  int shown = -1;  // percent
  request.progress = [&](double done) {
    if (!bar && Clock::now() - begin < std::chrono::seconds(2)) return;
    if (!bar) bar.emplace("forecasting what was measured");
    const int percent = static_cast<int>(100.0 * done);
    if (percent == shown) return;
    shown = percent;
    bar->step("settings", done);
  };
  report.evidence = evidence::examine(request);
}

}  // namespace

std::string run(const ValidateOptions& options) {
  std::vector<std::string> inputs;
  for (const auto& file : options.measured) inputs.push_back(file.string());
  for (const auto* choices : {&options.graphs, &options.machines, &options.profiles, &options.runtimes}) {
    for (const NamedChoice& choice : *choices) inputs.push_back(choice.value);
  }
  if (options.csv) check_output("--csv", *options.csv, inputs);
  if (options.plot) check_output("--plot", *options.plot, inputs);
  if (options.csv && options.plot) {
    std::error_code code;
    if (std::filesystem::weakly_canonical(*options.csv, code) ==
        std::filesystem::weakly_canonical(*options.plot, code))
      throw InputError("--plot", fmt::format("{} is the file of --csv too", quote(options.plot->string())));
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
