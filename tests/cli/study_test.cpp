// The study's evaluation: its means, and its three forms of output.
#include "cli/study_report.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"

namespace corecast::cli {
namespace {

StudyCase one_case(double best, double study, double intel, double guide, double usual) {
  StudyCase result;
  result.model = "m";
  result.platform = "p";
  result.latency = Seconds(best);
  const std::array times{study, intel, guide, usual};
  for (std::size_t r = 0; r < times.size(); ++r) result.rules[r].latency = Seconds(times[r]);
  return result;
}

TEST_CASE("speed-ups are geometric means of time ratios, and distances are of the optimum") {
  const StudyCase a = one_case(1.0, 1.0, 2.0, 1.0, 10.0);
  const StudyCase b = one_case(2.0, 4.0, 16.0, 8.0, 2.0);
  const StudySummary both = summary_of("both", {&a, &b});
  CHECK(both.cases == 2);
  CHECK(both.pick_over_intel == doctest::Approx(4.0));            // sqrt(2 x 8)
  CHECK(both.pick_over_tensorflow == doctest::Approx(2.0));       // sqrt(1 x 4)
  CHECK(both.guideline_over_intel == doctest::Approx(2.828427));  // sqrt(2 x 4)
  CHECK(both.guideline_over_tensorflow == doctest::Approx(1.414214));
  CHECK(both.distances[kIntel].worst == doctest::Approx(7.0));      // 16 over 2
  CHECK(both.distances[kGuideline].worst == doctest::Approx(1.0));  // 4 over 2
  CHECK(both.distances[3].worst == doctest::Approx(9.0));
}

TEST_CASE("a study of one model has a case for each platform, for inference and for training") {
  StudyOptions options;
  options.models = {"alexnet"};
  options.batch = 2;
  options.json = true;
  const auto tree = nlohmann::json::parse(run(options));
  CHECK(tree["schema"] == "corecast.study/1");
  CHECK(tree["cases"].size() == 6);
  CHECK(tree["summaries"].back()["over"] == "all");
  CHECK(tree["summaries"].back()["cases"] == 6);
  for (const auto& one : tree["cases"]) {
    // The pick is the optimum of a space that holds the guideline's setting.
    for (const auto& rule : one["rules"]) {
      INFO(rule.dump());
      CHECK(rule["loss"].get<double>() >= -1e-9);
      CHECK(rule["latency_s"].get<double>() > 0.0);
    }
  }
}

TEST_CASE("the study's text fits 80 columns, and its table of values has a line for each rule of each case") {
  StudyReport report;
  report.runtime.name = "r";
  report.platforms = {{"p", "a machine"}};
  report.cases = {one_case(1.0, 1.0, 2.0, 1.0, 10.0)};
  report.cases[0].training = true;
  report.summaries = {summary_of("all", {&report.cases[0]})};
  const std::string text = text_of(report, 80);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    CHECK(end - at <= 80);
    at = end + 1;
  }
  const std::string csv = csv_of(report);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 5);
  CHECK(csv.find("m,,training,1,p,0,intel_tensorflow,1,1,0,compact,2,1\n") != std::string::npos);
}

}  // namespace
}  // namespace corecast::cli
