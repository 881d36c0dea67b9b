#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/quantity_text.hpp"
#include "cli/calibrate_runtime_report.hpp"
#include "cli/table.hpp"
#include "cli/words.hpp"

namespace corecast::cli {
namespace {

using runtime_fit::FittedNumber;
using runtime_fit::Status;

constexpr std::size_t kWorst = 12;
constexpr std::size_t kMostWarnings = 12;

// "gemm", "LRN"; models whose subject the runtime runs as several operators belong to no entry.
std::string short_name(const std::string& entry) {
  return entry.empty() ? "(several)" : entry.substr(entry.find('.') + 1);
}

std::string value_text(const FittedNumber& number, double value) {
  const bool time = number.path.starts_with("costs.") || number.path.ends_with(".dispatch");
  return time ? to_short_text(Seconds(value)) : fmt::format("{:.3g}", value);
}

// A prior stands in brackets.
std::string figure_text(const std::map<std::string, const FittedNumber*>& numbers, const std::string& path) {
  const auto found = numbers.find(path);
  if (found == numbers.end()) return "";
  const FittedNumber& number = *found->second;
  const std::string text = value_text(number, number.value);
  return number.status == Status::prior ? "(" + text + ")" : text;
}

std::string entry_table(const CalibrateRuntimeReport& report, int width) {
  std::map<std::string, const FittedNumber*> numbers;
  for (const FittedNumber& number : report.fit->numbers) numbers[number.path] = &number;
  std::map<std::string, const runtime_fit::HoldOutEntry*> held;
  for (const runtime_fit::HoldOutEntry& entry : report.hold_out->entries) held[entry.entry] = &entry;
  std::vector<Row> rows;
  for (const runtime_fit::EntryResult& entry : report.fit->entries) {
    const auto found = held.find(entry.entry);
    const runtime_fit::HoldOutEntry* out = found == held.end() ? nullptr : found->second;
    rows.push_back(
        {{short_name(entry.entry), std::to_string(entry.cases),
          figure_text(numbers, entry.entry + ".efficiency"),
          figure_text(numbers, entry.entry + ".memory_efficiency"), percent_text(entry.error.median),
          percent_text(entry.error.p90), out ? percent_text(out->after.median) : "-",
          out ? percent_text(out->before.median) : "-"},
         ""});
  }
  return table({{"kernel", Align::left, true},
                {"models", Align::right},
                {"of peak", Align::right},
                {"memory", Align::right},
                {"error", Align::right},
                {"p90", Align::right},
                {"held out", Align::right},
                {"before", Align::right}},
               rows, width, 0);
}

std::string number_table(const CalibrateRuntimeReport& report, int width) {
  std::vector<Row> rows;
  for (const FittedNumber& number : report.fit->numbers) {
    rows.push_back(
        {{number.path, value_text(number, number.value),
          number.status == Status::fitted ? fmt::format("+-{:.0f} %", 100.0 * number.relative_error) : "-",
          value_text(number, number.prior), std::to_string(number.cases),
          std::string(runtime_fit::name_of(number.status))},
         number.why});
  }
  return table({{"number", Align::left, true},
                {"value", Align::right},
                {"error", Align::right},
                {"before", Align::right},
                {"models", Align::right},
                {"status"}},
               rows, width, 0);
}

std::string cost_table(const CalibrateRuntimeReport& report, int width) {
  std::vector<Row> rows;
  for (const FittedNumber& number : report.fit->numbers) {
    if (!number.path.starts_with("costs.") &&
        !(number.path.starts_with("cutting.") && number.status != Status::prior))
      continue;
    rows.push_back(
        {{number.path, value_text(number, number.value),
          number.status == Status::fitted ? fmt::format("+-{:.0f} %", 100.0 * number.relative_error) : "-",
          value_text(number, number.prior)},
         number.why});
  }
  return table({{"cost", Align::left, true},
                {"value", Align::right},
                {"error", Align::right},
                {"before", Align::right}},
               rows, width, 0);
}

std::string worst_table(const CalibrateRuntimeReport& report, int width) {
  std::vector<Row> rows;
  for (const runtime_fit::CaseResult& one : worst_of(*report.fit, kWorst)) {
    rows.push_back({{one.name, std::to_string(one.threads), to_short_text(Seconds(one.measured)),
                     to_short_text(Seconds(one.forecast)),
                     fmt::format("{:+.0f} %", 100.0 * (one.forecast / one.measured - 1.0))},
                    ""});
  }
  return table({{"worst models", Align::left, true},
                {"threads", Align::right},
                {"measured", Align::right},
                {"model", Align::right},
                {"", Align::right}},
               rows, width, 0);
}

std::string warnings_text(const CalibrateRuntimeReport& report, int width) {
  if (report.warnings.empty()) return "";
  std::string text = "\nWarnings\n";
  for (std::size_t i = 0; i < report.warnings.size() && i < kMostWarnings; ++i)
    text += wrapped(report.warnings[i], width, "  ");
  if (report.warnings.size() > kMostWarnings)
    text += wrapped(fmt::format("and {} more: --json has all", report.warnings.size() - kMostWarnings), width,
                    "  ");
  return text;
}

std::string ending(const CalibrateRuntimeReport& report, int width) {
  std::string text;
  if (report.measurement_file) text += wrapped("measurements: " + report.measurement_file->string(), width);
  if (report.runtime_file) {
    text += wrapped("runtime file: " + report.runtime_file->string(), width);
    text += wrapped(report.of_this_host
                        ? "`corecast tune MODEL` uses it on this host from now on."
                        : "In data/runtimes, under its runtime's name, it stands for all machines.",
                    width);
  } else if (report.fit) {
    text += wrapped("Nothing is written: -o FILE keeps the runtime.", width);
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::vector<runtime_fit::CaseResult> worst_of(const runtime_fit::RuntimeFit& fit, std::size_t most) {
  std::vector<runtime_fit::CaseResult> list = fit.cases;
  const auto miss = [](const runtime_fit::CaseResult& one) {
    return std::abs(std::log(one.forecast / one.measured));
  };
  std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) { return miss(a) > miss(b); });
  list.resize(std::min(list.size(), most));
  return list;
}

std::string framework_text(const runtime_fit::Runs& runs) {
  const std::string libraries = fmt::format("{}", fmt::join(runs.libraries, ", "));
  return fmt::format("{}{}{}", runs.runtime,
                     runs.framework_version.empty() ? "" : " " + runs.framework_version,
                     libraries.empty() ? "" : " (" + libraries + ")");
}

std::string text_of(const CalibrateRuntimeReport& report, int width) {
  const runtime_fit::Runs& runs = report.runs;
  std::string text = wrapped(runs.machine.description, width, "machine  ");
  text += wrapped(framework_text(runs) + (runs.date.empty() ? "" : ", " + runs.date), width, "measured ");
  const auto timed = std::count_if(runs.runs.begin(), runs.runs.end(),
                                   [](const runtime_fit::Run& run) { return !run.seconds.empty(); });
  std::string counts = fmt::format("{} of {}", counted(static_cast<std::int64_t>(timed), "time"),
                                   counted(runs.rounds, "round"));
  if (report.seconds) counts += fmt::format(" in {:.0f} s", *report.seconds);
  text += wrapped(counts, width, "         ");
  if (report.fit) {
    text += "\n" + entry_table(report, width);
    text += wrapped(
        "error: median over all models, which the numbers are fitted to. held out: median over every third "
        "one, of a fit "
        "without them, and with the numbers before. In brackets: not determined, as it was.",
        width);
    const auto& held = *report.hold_out;
    if (held.after.samples == 0) {
      text += wrapped("Nothing was held out: every kernel has too few models for a fit without some.", width);
    } else {
      text += wrapped(
          fmt::format("All {} held out: median {}, p90 {}, bias {:+.0f} %; before: median {}, p90 {}, bias "
                      "{:+.0f} %.",
                      held.after.samples, percent_text(held.after.median), percent_text(held.after.p90),
                      100.0 * held.after.bias, percent_text(held.before.median),
                      percent_text(held.before.p90), 100.0 * held.before.bias),
          width);
    }
    text += "\n" + (report.full ? number_table(report, width) : cost_table(report, width));
    if (report.full) text += "\n" + worst_table(report, width);
  }
  return text + warnings_text(report, width) + ending(report, width);
}

}  // namespace corecast::cli
