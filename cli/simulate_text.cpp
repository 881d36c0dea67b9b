#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/quantity_text.hpp"
#include "cli/confidence.hpp"
#include "cli/paragraphs.hpp"
#include "cli/simulate_report.hpp"
#include "cli/table.hpp"
#include "cli/words.hpp"

namespace corecast::cli {
namespace {

std::string forecast_lines(const SimulateReport& report, int width) {
  const sim::Forecast& f = report.evaluation.forecast;
  const std::string asked = setting_text(report.setting);
  const std::string runs = setting_text(report.effective);
  std::string text = wrapped(asked, width, "setting  ");
  if (runs != asked) text += wrapped("runs as " + runs, width, "         ");
  text += wrapped(fmt::format("{} ({} with 90 %), {} samples/s, bound by {}", to_short_text(f.latency),
                              interval_text(f), rate_text(f.throughput_per_s), f.bound_by),
                  width, "latency  ");
  text += wrapped(
      fmt::format("compute {}, memory {}, overhead {}, waiting {}, idle {} (of the time of all threads)",
                  percent_text(f.share.compute), percent_text(f.share.memory), percent_text(f.share.overhead),
                  percent_text(f.share.wait), percent_text(f.share.idle)),
      width, "time     ");
  return text;
}

std::string bound_table(const sim::Timeline& timeline, int width) {
  struct Sum {
    int count = 0;
    sim::Picoseconds time = 0;
  };
  std::map<std::string, Sum> sums;
  sim::Picoseconds all = 0;
  for (const sim::Run& run : timeline.runs) {
    Sum& sum = sums[run.limited_by];
    ++sum.count;
    sum.time += run.end - run.start;
    all += run.end - run.start;
  }
  std::vector<std::pair<std::string, Sum>> sorted(sums.begin(), sums.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  std::vector<Row> rows;
  for (const auto& [bound, sum] : sorted) {
    rows.push_back({{bound, std::to_string(sum.count), to_short_text(sim::to_seconds(sum.time)),
                     all > 0 ? percent_text(static_cast<double>(sum.time) / static_cast<double>(all)) : "-"},
                    ""});
  }
  return table(
      {{"bound", Align::left, true}, {"operators", Align::right}, {"time", Align::right}, {"", Align::right}},
      rows, width);
}

std::string operator_table(const SimulateReport& report, int width) {
  std::vector<sim::Run> runs = report.evaluation.timeline.runs;
  std::stable_sort(runs.begin(), runs.end(),
                   [](const auto& a, const auto& b) { return a.end - a.start > b.end - b.start; });
  runs.resize(std::min(runs.size(), static_cast<std::size_t>(report.top)));
  const auto makespan = static_cast<double>(report.evaluation.timeline.makespan);
  std::vector<Row> rows;
  for (const sim::Run& run : runs) {
    const graphs::Operator& op = report.prepared.op(run.op);
    rows.push_back({{op.name, std::string(name_of(op.kernel)), to_short_text(sim::to_seconds(run.start)),
                     to_short_text(sim::to_seconds(run.end - run.start)),
                     makespan > 0.0 ? percent_text(static_cast<double>(run.end - run.start) / makespan) : "-",
                     std::to_string(run.threads), run.limited_by},
                    ""});
  }
  return table({{"operator", Align::left, true},
                {"class"},
                {"start", Align::right},
                {"time", Align::right},
                {"", Align::right},
                {"threads", Align::right},
                {"bound", Align::left, true}},
               rows, width);
}

}  // namespace

std::string text_of(const SimulateReport& report, int width) {
  std::string text = heading_of(report.model, width) + header_lines(report.machine, report.runtime, width);
  text += "\n" + forecast_lines(report, width);
  if (report.profile) text += profile_text(*report.profile, width);
  text += "\nWhat bounds the operators\n" + bound_table(report.evaluation.timeline, width);
  text += "\nLongest operators\n" + operator_table(report, width);
  std::vector<sim::Message> advice = messages_of(report.advice);
  advice.insert(advice.end(), report.more.begin(), report.more.end());
  text += messages_text("Warnings", not_told(report.warnings, report.advice), width);
  text += messages_text("Advice", advice, width);
  const sim::Candidate candidate{report.effective, report.evaluation.forecast, 0.0, ""};
  return text + "\n" +
         wrapped(confidence_of(report.machine.target.machine, report.runtime, {candidate}).text, width);
}

}  // namespace corecast::cli
