#include <fmt/format.h>

#include "base/quantity_text.hpp"
#include "cli/confidence.hpp"
#include "cli/paragraphs.hpp"
#include "cli/table.hpp"
#include "cli/whatif_report.hpp"
#include "cli/words.hpp"

namespace corecast::cli {
namespace {

std::string changes_text(const std::vector<hwmodels::Change>& changes) {
  std::string text;
  for (const hwmodels::Change& change : changes) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", change.path, change.value);
  }
  return text;
}

std::string side_by_side(const WhatIfReport& report, const WhatIfPoint& point, int width) {
  const sim::Candidate& before = report.base;
  const sim::Candidate& after = point.best;
  const bool latency = report.objective == sim::Objective::latency;
  const std::string gain = factor_text(point.speedup);
  std::vector<Row> rows{
      {{"best setting", setting_text(before.setting), setting_text(after.setting), ""}, ""},
      {{"latency", to_short_text(before.forecast.latency), to_short_text(after.forecast.latency),
        latency ? gain : ""},
       ""},
      {{"90 % interval", interval_text(before.forecast), interval_text(after.forecast), ""}, ""},
      {{"samples/s", rate_text(before.forecast.throughput_per_s), rate_text(after.forecast.throughput_per_s),
        latency ? "" : gain},
       ""},
      {{"bound by", before.forecast.bound_by, after.forecast.bound_by, ""}, ""}};
  if (point.kept) {
    const auto value = [&](const sim::Forecast& f) {
      return latency ? to_short_text(f.latency) : rate_text(f.throughput_per_s) + " /s";
    };
    rows.push_back({{"old setting kept", value(before.forecast), value(point.kept->forecast),
                     factor_text(point.kept->speedup)},
                    ""});
  }
  return table({{"", Align::left, true},
                {"before", Align::left, true},
                {"after", Align::left, true},
                {"speed-up", Align::right}},
               rows, width);
}

}  // namespace

std::string text_of(const WhatIfReport& report, int width) {
  std::string text = heading_of(report.model, width) + header_lines(report.machine, report.runtime, width);
  for (const WhatIfPoint& point : report.points) {
    text +=
        "\n" + wrapped(changes_text(point.changes), width, "what if  ") + side_by_side(report, point, width);
    text += wrapped(point.best.why, width, "  after: ");
  }
  text += messages_text("Warnings", report.warnings, width);
  return text + "\n" +
         wrapped(confidence_of(report.machine.target.machine, report.runtime, {report.base}).text, width);
}

}  // namespace corecast::cli
