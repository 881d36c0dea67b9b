#include <algorithm>

#include "base/error.hpp"
#include "cli/paragraphs.hpp"
#include "cli/table.hpp"
#include "cli/validate_report.hpp"
#include "cli/validate_words.hpp"
#include "cli/words.hpp"

namespace corecast::cli {
namespace {

using evidence::DecisionSummary;
using evidence::Group;
using evidence::Quantiles;
using evidence::Summary;

constexpr std::size_t kReasonsShown = 8;

std::vector<std::string> quantile_cells(const Quantiles& values, bool mean, std::string (*text)(double)) {
  std::vector<std::string> cells;
  if (mean) cells.push_back(text(values.mean));
  for (const double value : {values.median, values.p90, values.p95, values.max}) cells.push_back(text(value));
  return cells;
}

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  to.insert(to.end(), more.begin(), more.end());
}

using Named = std::pair<std::string, const Summary*>;

std::vector<Named> summaries_of(const evidence::Evidence& found) {
  std::vector<Named> all{{"all", &found.overall}};
  if (found.batch_1 && found.batch_1->groups < found.overall.groups)
    all.emplace_back("batch 1", &*found.batch_1);
  if (found.by_machine.size() > 1) {
    for (const auto& [name, summary] : found.by_machine) all.emplace_back(name, &summary);
  }
  if (found.by_model.size() > 1) {
    for (const auto& [name, summary] : found.by_model) all.emplace_back(name, &summary);
  }
  return all;
}

std::string head_text(const ValidateReport& report, int width) {
  const evidence::Evidence& found = report.evidence;
  std::string text;
  for (const MeasuredFile& file : report.files) {
    text += wrapped(fmt::format("{}: {}", file.name, counted(static_cast<std::int64_t>(file.rows), "row")),
                    width, "measured  ");
    for (const std::string& line : file.context) text += wrapped(line, width, "            ");
    if (!file.ignored_columns.empty())
      text +=
          wrapped(fmt::format("columns that mean nothing here: {}", fmt::join(file.ignored_columns, ", ")),
                  width, "            ");
  }
  for (const auto& [name, machine] : report.machines) {
    text += wrapped(name == machine.machine.name ? fmt::format("{}: {}", name, machine.machine.description)
                                                 : fmt::format("{} is {}: {}", name, machine.machine.name,
                                                               machine.machine.description),
                    width, "machine   ");
  }
  for (const auto& [name, file] : report.profiles)
    text += wrapped(fmt::format("{} is fitted to {}", name, file), width, "profile   ");
  text += wrapped(fmt::format("{} of {}: {} in {}", found.rows_used, counted(found.rows, "row"),
                              counted(static_cast<std::int64_t>(found.overall.points), "setting"),
                              counted(static_cast<std::int64_t>(found.overall.groups), "group")),
                  width, "used      ");
  std::int64_t left = 0;
  for (std::size_t i = 0; i < found.skipped.size(); ++i) {
    if (i < kReasonsShown) {
      text += wrapped(fmt::format("{}: {}", found.skipped[i].count, found.skipped[i].reason), width,
                      "skipped   ");
    } else {
      left += found.skipped[i].count;
    }
  }
  if (left > 0)
    text += wrapped(
        fmt::format("{} for {} more reasons (--json has all)", left, found.skipped.size() - kReasonsShown),
        width, "skipped   ");
  if (!report.anchor.empty()) {
    text +=
        wrapped(fmt::format("each group's forecasts are scaled to its row with {}; errors leave that row out",
                            report.anchor),
                width, "anchored  ");
    for (std::size_t i = 0; i < std::min<std::size_t>(found.not_anchored.size(), kReasonsShown); ++i)
      text += wrapped("has no such row: " + group_text(found.not_anchored[i]), width, "          ");
    if (found.not_anchored.size() > kReasonsShown)
      text += wrapped(fmt::format("and {} groups more", found.not_anchored.size() - kReasonsShown), width,
                      "          ");
  }
  return text;
}

std::string errors_text(const ValidateReport& report, int width) {
  const bool anchored = !report.anchor.empty();
  std::vector<Row> rows;
  for (const Named& one : summaries_of(report.evidence)) {
    const Summary& summary = *one.second;
    if (!summary.errors) continue;
    Row row{{one.first, fmt::format("{}", summary.errors->count)}, ""};
    append(row.cells, quantile_cells(*summary.errors, false, percent_text));
    row.cells.push_back(signed_percent(summary.bias - 1.0));
    if (!anchored) row.cells.push_back(percent_text(summary.within_interval));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return "\nNo setting but the anchors was measured: there are no errors to tell.\n";
  std::vector<Column> columns{{"over", Align::left, true}, {"settings", Align::right},
                              {"median", Align::right},    {"p90", Align::right},
                              {"p95", Align::right},       {"worst", Align::right},
                              {"bias", Align::right}};
  if (!anchored) columns.push_back({"in interval", Align::right});
  return fmt::format("\nError of the {} latency, |forecast / measured - 1|\n",
                     anchored ? "anchored" : "forecast") +
         table(columns, rows, width);
}

std::string regrets_text(const std::vector<Named>& all, std::optional<DecisionSummary> Summary::*which,
                         const char* title, int width) {
  std::vector<Row> rows;
  for (const Named& one : all) {
    const auto& decisions = one.second->*which;
    if (!decisions) continue;
    Row row{{one.first, fmt::format("{}", decisions->regret.count)}, ""};
    append(row.cells, quantile_cells(decisions->regret, true, regret_text));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return "";
  return fmt::format("\n{}\n", title) + table({{"over", Align::left, true},
                                               {"groups", Align::right},
                                               {"mean", Align::right},
                                               {"median", Align::right},
                                               {"p90", Align::right},
                                               {"p95", Align::right},
                                               {"worst", Align::right}},
                                              rows, width);
}

// "onnxruntime default: intra = ..." -> the part before the colon.
std::string short_title(const std::string& title) {
  return title.substr(0, title.find(':'));
}

std::string rules_text(const DecisionSummary& decisions, const std::string& title, int width) {
  std::vector<Row> rows;
  Row own{{"the forecast's pick"}, ""};
  append(own.cells, quantile_cells(decisions.regret, true, regret_text));
  rows.push_back(std::move(own));
  for (const evidence::RuleSummary& rule : decisions.rules) {
    const bool framework = rule.name == "framework_default";
    Row row{{framework ? "framework's default" : short_title(rule.title)}, ""};
    append(row.cells, quantile_cells(rule.regret, true, regret_text));
    row.cells.push_back(fmt::format("{}", rule.nearest));
    rows.push_back(std::move(row));
  }
  return fmt::format("\n{}\n", title) + table({{"rule", Align::left, true},
                                               {"mean", Align::right},
                                               {"median", Align::right},
                                               {"p90", Align::right},
                                               {"p95", Align::right},
                                               {"worst", Align::right},
                                               {"nearest", Align::right}},
                                              rows, width);
}

std::string noise_text(const ValidateReport& report, int width) {
  std::map<std::string, std::vector<double>> floors;
  for (const Group& group : report.evidence.groups) floors[group.noise.from].push_back(group.noise.floor);
  const std::map<std::string, const char*> words{
      {"repeats", "half of the range of repeated rows"},
      {"spread", "half of the stated spread of rounds"},
      {"range", "half of the range of single iterations, a weak measure"}};
  std::string text;
  for (const auto& [from, values] : floors) {
    const auto word = words.find(from);
    if (word == words.end()) continue;
    const Quantiles noise = evidence::quantiles_of(values).value();
    text += wrapped(fmt::format("{} in {} ({}); largest {}", percent_text(noise.median),
                                counted(static_cast<std::int64_t>(noise.count), "group"), word->second,
                                percent_text(noise.max)),
                    width, "  ");
  }
  if (const auto none = floors.find("none"); none != floors.end())
    text += wrapped(fmt::format("{} of unknown noise: nothing was repeated, no spread is stated",
                                counted(static_cast<std::int64_t>(none->second.size()), "group")),
                    width, "  ");
  for (const evidence::BetweenSources& one : report.evidence.between_sources) {
    const Quantiles& far = one.difference;
    text +=
        wrapped(fmt::format("{}: {} from more than one source differ by {} (median), {} (p90), {} (worst)",
                            one.machine, counted(static_cast<std::int64_t>(far.count), "setting"),
                            regret_text(far.median), regret_text(far.p90), regret_text(far.max)),
                width, "  ");
  }
  return "\nNoise of the measurements\n" + text;
}

}  // namespace

std::string text_of(const ValidateReport& report, int width) {
  const evidence::Evidence& found = report.evidence;
  const std::vector<Named> all = summaries_of(found);
  std::string text = head_text(report, width);
  text += errors_text(report, width);
  text += regrets_text(all, &Summary::latency,
                       "Regret of the pick: measured time there over the least measured, - 1", width);
  if (found.overall.latency) {
    text += rules_text(*found.overall.latency, "Regret of rules on latency", width);
    if (found.batch_1 && found.batch_1->latency && found.batch_1->groups < found.overall.groups)
      text += rules_text(*found.batch_1->latency, "Regret of rules on latency, batch 1", width);
  } else {
    text += "\n" +
            wrapped(fmt::format("no group has {} settings: nothing to choose from", evidence::kLeastSettings),
                    width);
  }
  if (found.overall.throughput)
    text +=
        rules_text(*found.overall.throughput, "Regret of rules on throughput, where instances differ", width);
  if (found.overall.latency)
    text += wrapped(
        "nearest: groups in which the rule's setting was not measured; the nearest one that was stands for "
        "it "
        "(least |log2| of the ratio of intra-op threads, then inter-op, then instances).",
        width, "  ");
  text += noise_text(report, width);
  text += worst_text(report, width);
  text += messages_text("Warnings", report.warnings, width);
  return text;
}

}  // namespace corecast::cli
