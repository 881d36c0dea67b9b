// The report of `calibrate --runtime`, of made-up results.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/arguments_calibrate_runtime.hpp"
#include "cli/calibrate_runtime_report.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/machine_text.hpp"

namespace corecast::cli {
namespace {

using runtime_fit::FittedNumber;
using runtime_fit::Status;

CalibrateRuntimeReport some_report() {
  CalibrateRuntimeReport report;
  report.full = true;
  report.seconds = 321.0;
  report.runs.date = "2026-12-03T06:00:00Z";
  report.runs.runtime = "onnxruntime";
  report.runs.framework_version = "1.30.0";
  report.runs.rounds = 3;
  report.runs.machine = test::machine("2 cores 100Gflop/s; mem 20GB/s");
  report.runs.machine.description = "a machine of two cores";
  report.runs.runs = {{"gemm_64x512x384", 1, {1e-3}, ""}, {"call_1_inputs", 1, {1e-5}, ""}};
  runtime_fit::RuntimeFit fit;
  fit.numbers = {FittedNumber{"costs.run", 1.2e-5, 0.08, 1e-5, Status::fitted, "", 9},
                 FittedNumber{"kernels.gemm.efficiency", 0.91, 0.02, 0.97, Status::fitted, "", 44},
                 FittedNumber{"kernels.gemm.memory_efficiency", 0.6, 0.0, 0.6, Status::prior,
                              "these cases do not determine it", 44}};
  fit.entries = {{"costs", 9, {18, 0.05, 0.12, 0.2, 0.01}, 0.06},
                 {"kernels.gemm", 44, {88, 0.04, 0.11, 0.3, 0.0}, 0.07}};
  fit.cases = {{"call_1_inputs", "costs", 1, 1e-5, 1.1e-5, 0.01},
               {"gemm_64x512x384", "kernels.gemm", 1, 1e-3, 7e-4, 0.01}};
  report.fit = fit;
  runtime_fit::HoldOut held;
  held.entries = {{"kernels.gemm", 14, {28, 0.09, 0.3, 0.5, 0.02}, {28, 0.045, 0.12, 0.3, 0.0}}};
  held.before = held.entries.front().before;
  held.after = held.entries.front().after;
  report.hold_out = held;
  report.warnings = {"the machine is not calibrated"};
  report.runtime_file = "runtime.json";
  return report;
}

TEST_CASE("the report is as kept and fits 80 columns") {
  const std::string text = text_of(some_report(), 80);
  CHECK(test::golden_difference("cli_calibrate_runtime/report.txt", text) == "");
  std::size_t column = 0;
  for (const char c : text) {
    column = c == '\n' ? 0 : column + 1;
    CHECK(column <= 80);
  }
}

TEST_CASE("the JSON report has its schema, numbers, entries, hold-out and every model") {
  const Tree tree = tree_of(some_report());
  CHECK(tree["schema"] == "corecast.runtime_calibration/1");
  CHECK(tree["numbers"].size() == 3);
  CHECK(tree["numbers"][2]["status"] == "prior");
  CHECK(tree["hold_out"]["after"]["median"] == 0.045);
  CHECK(tree["models"].size() == 2);
}

TEST_CASE("the worst models come first, by the ratio of forecast and measurement") {
  const auto worst = worst_of(*some_report().fit, 5);
  REQUIRE(worst.size() == 2);
  CHECK(worst.front().name == "gemm_64x512x384");
}

TEST_CASE("options that mean nothing with --runtime are refused, as is a runtime without a program") {
  CHECK(runtime_calibration_of("onnxruntime", {}).runtime == "onnxruntime");
  CHECK_THROWS_AS((void)runtime_calibration_of("llama", {}), InputError);
  CalibrateOptions thorough;
  thorough.effort = calibration::microbench::Effort::thorough;
  CHECK_THROWS_AS((void)runtime_calibration_of("onnxruntime", thorough), InputError);
  CalibrateOptions only;
  only.only.insert(calibration::Group::peak);
  CHECK_THROWS_AS((void)runtime_calibration_of("onnxruntime", only), InputError);
}

}  // namespace
}  // namespace corecast::cli
