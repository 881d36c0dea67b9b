#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "calibration/statistics.hpp"
#include "cli/json_views.hpp"
#include "cli/study_report.hpp"
#include "cli/table.hpp"
#include "cli/words.hpp"

namespace corecast::cli {
namespace {

constexpr std::array kRuleNames{"study", "Intel", "TF guide", "TF default"};

Distances distances_of(const std::vector<const StudyCase*>& cases, std::size_t rule) {
  std::vector<double> losses;
  for (const StudyCase* one : cases) losses.push_back(one->rules[rule].loss(one->latency));
  std::sort(losses.begin(), losses.end());
  using calibration::quantile;
  return {quantile(losses, 0.5), quantile(losses, 0.9), quantile(losses, 0.95), losses.back()};
}

std::string threads_text(const sim::Setting& setting) {
  return fmt::format("{} x {}{}", setting.inter_op, setting.intra_op, setting.smt ? " SMT" : "");
}

std::string mode_of(const StudyCase& one) {
  return one.training ? "training" : "inference";
}

std::string ratio_text(double ratio) {
  return fmt::format("{:.2f}", ratio);
}

std::string case_table(const StudyReport& report, int width) {
  std::vector<Row> rows;
  for (const StudyCase& one : report.cases) {
    Row row{{one.model + (one.training ? " (training)" : ""), one.platform, fmt::format("{:.1f}", one.width),
             threads_text(one.pick), fmt::format("{:.3g} ms", one.latency.value() * 1e3)},
            ""};
    for (std::size_t r = 0; r < 3; ++r) row.cells.push_back(ratio_text(one.rules[r].latency / one.latency));
    rows.push_back(std::move(row));
  }
  return table({{"workload", Align::left, true},
                {"platform"},
                {"width", Align::right},
                {"pick"},
                {"time", Align::right},
                {"study", Align::right},
                {"Intel", Align::right},
                {"TF", Align::right}},
               rows, width);
}

std::string mean_table(const StudyReport& report, int width) {
  std::vector<Row> rows;
  for (const StudySummary& one : report.summaries) {
    rows.push_back({{one.title, fmt::format("{}", one.cases), ratio_text(one.pick_over_intel),
                     ratio_text(one.pick_over_tensorflow), ratio_text(one.guideline_over_intel),
                     ratio_text(one.guideline_over_tensorflow)},
                    ""});
  }
  return table({{"over"},
                {"cases", Align::right},
                {"pick/Intel", Align::right},
                {"pick/TF", Align::right},
                {"study/Intel", Align::right},
                {"study/TF", Align::right}},
               rows, width);
}

std::string distance_table(const StudySummary& all, int width) {
  std::vector<Row> rows;
  for (std::size_t r = 0; r < kRuleNames.size(); ++r) {
    const Distances& far = all.distances[r];
    rows.push_back(
        {{kRuleNames[r], loss_text(far.median), loss_text(far.p90), loss_text(far.p95), loss_text(far.worst)},
         ""});
  }
  return table({{"rule"},
                {"median", Align::right},
                {"p90", Align::right},
                {"p95", Align::right},
                {"worst", Align::right}},
               rows, width);
}

}  // namespace

StudySummary summary_of(const std::string& title, const std::vector<const StudyCase*>& cases) {
  CORECAST_CHECK(!cases.empty(), "{} has no case", title);
  StudySummary summary;
  summary.title = title;
  summary.cases = cases.size();
  const auto mean = [&](auto ratio) {
    double sum = 0.0;
    for (const StudyCase* one : cases) sum += std::log(ratio(*one));
    return std::exp(sum / static_cast<double>(cases.size()));
  };
  summary.pick_over_intel = mean([](const StudyCase& c) { return c.rules[kIntel].latency / c.latency; });
  summary.pick_over_tensorflow =
      mean([](const StudyCase& c) { return c.rules[kTensorflow].latency / c.latency; });
  summary.guideline_over_intel =
      mean([](const StudyCase& c) { return c.rules[kIntel].latency / c.rules[kGuideline].latency; });
  summary.guideline_over_tensorflow =
      mean([](const StudyCase& c) { return c.rules[kTensorflow].latency / c.rules[kGuideline].latency; });
  for (std::size_t r = 0; r < kStudyRules.size(); ++r) summary.distances[r] = distances_of(cases, r);
  return summary;
}

std::string text_of(const StudyReport& report, int width) {
  std::string text = wrapped(fmt::format("{}, batch {}, {} workloads", report.runtime.name, report.batch,
                                         report.cases.size() / report.platforms.size()),
                             width, "The study's evaluation, forecast: ");
  for (const StudyPlatform& platform : report.platforms)
    text += wrapped(platform.description, width, "  " + platform.name + ": ");
  text +=
      "\n" +
      wrapped(
          "The pick is the optimum of the model's whole space, as inter-op x intra-op threads; then times of "
          "the rules over it.",
          width);
  text += case_table(report, width);
  text += "\nSpeed-ups, geometric means\n";
  text += mean_table(report, width);
  text += wrapped(
      "1.29 over Intel's and 1.34 over TensorFlow's recommended settings; 1.30 and 1.38 in the journal "
      "version. "
      "Measured there for its guideline, which is compared as study/Intel and study/TF here. Nothing was "
      "fitted to "
      "these four numbers.",
      width, "Published: ");
  text += "\nHow far each rule is from the optimum, all cases\n";
  text += distance_table(report.summaries.back(), width);
  return text;
}

std::string json_of(const StudyReport& report) {
  Tree tree = cli::report("study");
  tree["runtime"] = tree_of(report.runtime);
  tree["batch"] = report.batch;
  tree["platforms"] = Tree::array();
  for (const StudyPlatform& platform : report.platforms)
    tree["platforms"].push_back({{"name", platform.name}, {"machine", platform.description}});
  tree["cases"] = Tree::array();
  for (const StudyCase& one : report.cases) {
    Tree item{{"model", one.model},
              {"group", one.group},
              {"mode", mode_of(one)},
              {"platform", one.platform},
              {"width", number(one.width)},
              {"pick", tree_of(one.pick)},
              {"latency_s", number(one.latency.value())}};
    for (std::size_t r = 0; r < kStudyRules.size(); ++r) {
      item["rules"][kStudyRules[r]] = {{"setting", tree_of(one.rules[r].setting)},
                                       {"latency_s", number(one.rules[r].latency.value())},
                                       {"loss", number(one.rules[r].loss(one.latency))}};
    }
    tree["cases"].push_back(std::move(item));
  }
  tree["summaries"] = Tree::array();
  for (const StudySummary& one : report.summaries) {
    Tree item{{"over", one.title},
              {"cases", one.cases},
              {"pick_over_intel", number(one.pick_over_intel)},
              {"pick_over_tensorflow", number(one.pick_over_tensorflow)},
              {"guideline_over_intel", number(one.guideline_over_intel)},
              {"guideline_over_tensorflow", number(one.guideline_over_tensorflow)}};
    for (std::size_t r = 0; r < kStudyRules.size(); ++r) {
      const Distances& far = one.distances[r];
      item["loss"][kStudyRules[r]] = {{"median", number(far.median)},
                                      {"p90", number(far.p90)},
                                      {"p95", number(far.p95)},
                                      {"worst", number(far.worst)}};
    }
    tree["summaries"].push_back(std::move(item));
  }
  tree["published"] = {{"guideline_over_intel", {1.29, 1.30}}, {"guideline_over_tensorflow", {1.34, 1.38}}};
  return text_of(tree);
}

std::string csv_of(const StudyReport& report) {
  std::string text =
      "model,group,mode,batch,platform,width,rule,inter_op,intra_op,smt,placement,latency_s,loss\n";
  for (const StudyCase& one : report.cases) {
    const auto row = [&](const char* rule, const sim::Setting& setting, Seconds latency) {
      text += fmt::format("{},{},{},{},{},{:.6g},{},{},{},{},{},{:.6g},{:.6g}\n", one.model, one.group,
                          mode_of(one), report.batch, one.platform, one.width, rule, setting.inter_op,
                          setting.intra_op, setting.smt ? 1 : 0, name_of(setting.placement), latency.value(),
                          latency / one.latency - 1.0);
    };
    row("corecast", one.pick, one.latency);
    for (std::size_t r = 0; r < kStudyRules.size(); ++r)
      row(kStudyRules[r], one.rules[r].setting, one.rules[r].latency);
  }
  return text;
}

}  // namespace corecast::cli
