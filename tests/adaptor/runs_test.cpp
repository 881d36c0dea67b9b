#include "calibration/adaptor/runs.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"

using namespace corecast;
using namespace corecast::adaptor;

namespace {

constexpr const char* kRuns = R"({
 "schema": "corecast.measured_runs/1",
 "context": {"cpu_model": "A", "kernel": "Linux", "granted_cpus": "0-3", "cpu_quota": null, "onnxruntime_version": "1.30.0", "more": 1},
 "runs": [
  {"model": "net", "model_sha256": "00", "inputs": [],
   "setting": {"runtime": "onnxruntime", "mode": "parallel", "instances": 2, "inter_op": 3, "intra_op": 4, "spin": "off", "batch": 8,
               "allocator": "system", "cpu_quota": 1.5, "cpus": [[0, 1], [2, 3]]},
   "rounds": [{"round": 0, "other_cpus": 0.5}, {"round": 1, "other_cpus": null}],
   "latency_ms_median": 2, "latency_ms_mean": 3, "latency_ms_min": 1, "latency_ms_max": 9, "spread": 0.25,
   "failures": [{"round": 2, "error": "out of memory"}]},
  {"model": "net", "model_sha256": "00", "inputs": null,
   "setting": {"runtime": "onnxruntime", "mode": "sequential", "instances": 1, "inter_op": 1, "intra_op": 1, "batch": 1},
   "rounds": []}]})";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kRuns;
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("runs are read with their setting, and a run without a round has no latency") {
  const MeasuredRuns all = parse_runs(kRuns, "r.json", "onnxruntime");
  CHECK(all.framework == "onnxruntime-1.30.0");
  CHECK_FALSE(all.cpu_quota.has_value());
  REQUIRE(all.runs.size() == 2);
  const Run& run = all.runs[0];
  PlanSetting setting{"parallel", 2, 3, 4, false, 8, "system", 1.5, {{0, 1}, {2, 3}}};
  CHECK(run.setting == setting);
  CHECK(run.rounds == 2);
  CHECK(run.other_cpus == 0.5);
  CHECK(*run.latencies == Latencies{3.0, 2.0, 1.0, 9.0, 0.25});
  CHECK(run.failure == "out of memory");
  CHECK(all.runs[1].setting == PlanSetting{});
  CHECK_FALSE(all.runs[1].latencies.has_value());
}

TEST_CASE("what is no file of runs is refused with the place") {
  const auto refused = [](const std::string& text, const char* part) {
    CHECK_THROWS_WITH_AS((void)parse_runs(text, "r.json", "onnxruntime"), doctest::Contains(part),
                         InputError);
  };
  refused("{", "r.json");
  refused("[]", "r.json");
  refused(with("measured_runs/1", "measured_runs/9"), "measured_runs/9");
  refused(with("\"intra_op\": 4", "\"intra_op\": 0"), "/runs/0/setting/intra_op");
  refused(with("\"latency_ms_mean\": 3,", ""), "latency_ms_mean");
  refused(with("[0, 1]", "[0, -1]"), "/runs/0/setting/cpus");
}

TEST_CASE("a plan is what the contract says, with nothing for what is not asked") {
  Plan plan;
  plan.model_name = "net";
  plan.model_file = "/m.onnx";
  plan.framework = "onnxruntime";
  plan.settings.resize(1);
  plan.settings[0].cpus = {{0}};
  const std::string text = to_json_text(plan);
  for (const char* part :
       {"\"schema\": \"corecast.measure_plan/1\"", "\"spin\": \"on\"", "\"cpus\"", "\"stable\": 0.02"})
    CHECK(text.find(part) != std::string::npos);
  for (const char* part : {"allocator", "cpu_quota"}) CHECK(text.find(part) == std::string::npos);
  plan.method.stable = 0.0;
  CHECK(to_json_text(plan).find("\"stable\": false") != std::string::npos);
}
