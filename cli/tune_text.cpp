#include <fmt/format.h>

#include "base/quantity_text.hpp"
#include "cli/paragraphs.hpp"
#include "cli/table.hpp"
#include "cli/tune_report.hpp"
#include "cli/words.hpp"

namespace corecast::cli {
namespace {

std::string ranking_table(const TuneReport& report, int width) {
  std::vector<Row> rows;
  int place = 0;
  for (const sim::Candidate& c : report.result.ranking) {
    rows.push_back({{std::to_string(++place), setting_text(c.setting), to_short_text(c.forecast.latency),
                     interval_text(c.forecast), rate_text(c.forecast.throughput_per_s),
                     place == 1         ? "best"
                     : c.loss < 0.00005 ? "same"
                                        : loss_text(c.loss)},
                    c.why});
  }
  return table({{"", Align::right},
                {"setting", Align::left, true},
                {"latency", Align::right},
                {"90 % interval", Align::right},
                {"samples/s", Align::right},
                {"gap", Align::right}},
               rows, width);
}

std::string current_table(const TuneReport& report, int width) {
  const auto row = [](const char* name, const sim::Candidate& c, const std::string& gap) {
    return Row{{name, setting_text(c.setting), to_short_text(c.forecast.latency), interval_text(c.forecast),
                rate_text(c.forecast.throughput_per_s), gap},
               c.why};
  };
  const sim::Candidate& own = report.current->candidate;
  return table({{"", Align::left},
                {"setting", Align::left, true},
                {"latency", Align::right},
                {"90 % interval", Align::right},
                {"samples/s", Align::right},
                {"gap", Align::right}},
               {row("yours", own, loss_text(own.loss)), row("best", report.result.best, "best")}, width);
}

// "Intel for TensorFlow: inter = sockets, ..." -> "Intel for TensorFlow"; the rule itself is in the JSON.
std::string short_title(const std::string& title) {
  return title.substr(0, title.find(':'));
}

std::string baseline_table(const TuneReport& report, int width) {
  std::vector<Row> rows;
  for (const sim::Baseline& b : report.result.baselines) {
    rows.push_back(
        {{short_title(b.title), setting_text(b.setting), b.feasible ? to_short_text(b.forecast.latency) : "-",
          b.feasible ? rate_text(b.forecast.throughput_per_s) : "-", b.feasible ? loss_text(b.loss) : "-"},
         b.note});
  }
  return table({{"rule", Align::left, true},
                {"setting", Align::left, true},
                {"latency", Align::right},
                {"samples/s", Align::right},
                {"gap", Align::right}},
               rows, width);
}

std::string snippets_text(const TuneReport& report) {
  std::string text;
  for (const Snippet& snippet : report.snippets) {
    if (!is_chosen(snippet.name, report.snippet_choice, report.runtime.framework)) continue;
    text += fmt::format("\n--- {} ---\n{}", snippet.name == "launch" ? "start it with" : snippet.name,
                        snippet.text);
  }
  return text;
}

std::string search_text(const sim::SearchResult& result) {
  std::string text = fmt::format("Search: {} covered", counted(result.covered, "setting"));
  if (result.covered < result.space)
    text += fmt::format(" of {}, a grid and what lies around the best", result.space);
  text += fmt::format(": {} merged as the same, ", result.merged);
  if (result.infeasible > 0) text += fmt::format("{} cannot be had, ", result.infeasible);
  return text + fmt::format("{} pruned by lower bounds, {} simulated.", result.pruned, result.simulated);
}

}  // namespace

std::string text_of(const TuneReport& report, int width) {
  const sim::SearchResult& result = report.result;
  std::string text = heading_of(report.model, width) + header_lines(report.machine, report.runtime, width);
  text += fmt::format("\nBest settings for {}\n",
                      report.objective == sim::Objective::latency ? "latency" : "throughput");
  text += ranking_table(report, width);
  if (report.profile) text += profile_text(*report.profile, width);
  if (report.current) text += "\nYour setting beside the best\n" + current_table(report, width);
  text += "\nWhat simple rules give\n" + baseline_table(report, width) + "\n";
  text += wrapped(search_text(result), width);
  text += wrapped(report.confidence.text, width);
  text += messages_text("Warnings", report.warnings, width);
  if (report.current)
    text += messages_text("Advice for your setting", messages_of(report.current->advice), width);
  text += messages_text(report.current ? "Advice for the best" : "Advice", report.advice, width);
  return text + snippets_text(report);
}

}  // namespace corecast::cli
