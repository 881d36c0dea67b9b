// Times computed from a known runtime, with noise: the fit finds its numbers again.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "base/file.hpp"
#include "calibration/runtime_fit/fit.hpp"
#include "calibration/runtime_fit/forecaster.hpp"
#include "calibration/runtime_fit/runtime_file.hpp"
#include "sim/forecast.hpp"
#include "tests/support/machine_text.hpp"

namespace corecast::runtime_fit {
namespace {

constexpr double kNoise = 0.03;

hwmodels::Machine some_machine() {
  return test::machine("2 cores 100Gflop/s; mem 30GB/s; core 20GB/s; l2 1MB 120GB/s; l3 16MB 60GB/s");
}

sim::Runtime shipped() {
  return sim::find_runtime(sim::read_runtimes(CORECAST_DATA_DIR "/runtimes"), "onnxruntime");
}

// splitmix64, and a sum of twelve uniform numbers for a normal one.
class Noise {
 public:
  double normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  double uniform() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1.0p-53;
  }
  std::uint64_t state_ = 2026;
};

// What a framework with the numbers of `truth` takes for the cases whose subject `wanted` names, in three rounds.
std::vector<Sample> samples_from(const sim::Runtime& truth, const std::vector<std::string>& wanted,
                                 double noise) {
  Runs runs;
  runs.machine = some_machine();
  std::vector<Case> cases;
  for (Case& one : suite()) {
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), one.subject) != wanted.end();
    if (one.costs || is_wanted) cases.push_back(std::move(one));
  }
  const Forecaster forecaster(runs.machine, truth);
  Noise random;
  for (const Case& one : cases) {
    const graphs::Graph prepared = sim::prepare(one.model.graph, truth);
    for (const int threads : {1, 2}) {
      Run run{one.name, threads, {}, ""};
      const double exact = forecaster.seconds(prepared, threads);
      for (int round = 0; round < 3; ++round)
        run.seconds.push_back(exact * std::exp(noise * random.normal()));
      runs.runs.push_back(std::move(run));
    }
  }
  return samples_of(runs, shipped(), cases).list;
}

const FittedNumber& number_of(const RuntimeFit& fit, const std::string& path) {
  for (const FittedNumber& number : fit.numbers) {
    if (number.path == path) return number;
  }
  FAIL("no number " << path);
  return fit.numbers.front();
}

TEST_CASE("the sum of the closed forms is what the simulation gives") {
  const sim::Runtime runtime = shipped();
  const Forecaster forecaster(some_machine(), runtime);
  const sim::Target target{some_machine(), std::nullopt, std::nullopt};
  const auto cases = suite();
  for (std::size_t i = 0; i < cases.size(); i += 7) {
    const graphs::Graph prepared = sim::prepare(cases[i].model.graph, runtime);
    for (const int threads : {1, 2}) {
      sim::Setting setting;
      setting.intra_op = threads;
      const double simulated = sim::evaluate(prepared, target, runtime, setting).forecast.latency.value();
      CAPTURE(cases[i].name);
      CHECK(forecaster.seconds(prepared, threads) == doctest::Approx(simulated).epsilon(1e-6));
    }
  }
}

TEST_CASE("known numbers are found again within their standard errors") {
  sim::Runtime truth = shipped();
  truth.run.value = Seconds(17e-6);
  truth.run_per_input.value = Seconds(1.5e-6);
  truth.dispatch.value = Seconds(0.6e-6);
  truth.fork.value = Seconds(4e-6);
  sim::KernelModel& gemm = truth.kernels.at(KernelClass::gemm);
  gemm.efficiency.value = 0.7;
  gemm.memory_efficiency.value = 0.5;
  gemm.unpacked = 0.7;
  gemm.m_half = 2.5;
  truth.operators.at("LayerNormalization").efficiency.value = 0.05;
  const RuntimeFit fit = runtime_fit::fit(some_machine(), shipped(),
                                          samples_from(truth, {"MatMul", "LayerNormalization"}, kNoise));
  const std::map<std::string, double> exact{{"costs.run", 17e-6},
                                            {"costs.run_per_input", 1.5e-6},
                                            {"costs.fork", 4e-6},
                                            {"kernels.gemm.efficiency", 0.7},
                                            {"kernels.gemm.memory_efficiency", 0.5},
                                            {"operators.LayerNormalization.efficiency", 0.05}};
  for (const auto& entry : exact) {
    const std::string& path = entry.first;  // clang 14 captures no structured bindings, and CAPTURE does
    const double value = entry.second;
    const FittedNumber& number = number_of(fit, path);
    CAPTURE(path);
    CAPTURE(number.value);
    CAPTURE(number.relative_error);
    CHECK(number.status == Status::fitted);
    // Three standard errors, and 3 % for what the other numbers' errors leave.
    CHECK(std::abs(std::log(number.value / value)) <= 3.0 * number.relative_error + 0.03);
  }
  for (const EntryResult& entry : fit.entries) {
    CAPTURE(entry.entry);
    CHECK(entry.error.median < 0.06);
  }
  CHECK(fit.warnings.empty());
}

TEST_CASE("the right minimum is found where a slow kernel and a slow memory explain nearly the same") {
  sim::Runtime truth = shipped();
  sim::KernelModel& fused = truth.operators.at("Add+LayerNormalization");
  fused.efficiency.value = 0.3;
  fused.memory_efficiency.value = 0.08;
  const RuntimeFit fit =
      runtime_fit::fit(some_machine(), shipped(), samples_from(truth, {"Add+LayerNormalization"}, 0.01));
  CHECK(number_of(fit, "operators.Add+LayerNormalization.memory_efficiency").value ==
        doctest::Approx(0.08).epsilon(0.15));
}

TEST_CASE("what no case tells about stays as it was and says why") {
  const sim::Runtime truth = shipped();
  const RuntimeFit fit =
      runtime_fit::fit(some_machine(), shipped(), samples_from(truth, {"Transpose"}, kNoise));
  const FittedNumber& efficiency = number_of(fit, "kernels.transpose.efficiency");
  CHECK(efficiency.status == Status::prior);
  CHECK(efficiency.value == truth.kernels.at(KernelClass::transpose).efficiency.value);
  CHECK_FALSE(efficiency.why.empty());
  CHECK(fit.runtime.kernels.at(KernelClass::gemm).efficiency ==
        truth.kernels.at(KernelClass::gemm).efficiency);
}

TEST_CASE("held-out models are forecast better with the fit than before") {
  sim::Runtime truth = shipped();
  truth.kernels.at(KernelClass::gemm).efficiency.value = 0.5;
  const HoldOut held = hold_out(some_machine(), shipped(), samples_from(truth, {"MatMul"}, kNoise));
  CHECK(held.after.samples > 10);
  CHECK(held.after.median < 0.06);
  CHECK(held.before.median > 2.0 * held.after.median);
}

TEST_CASE("the file with a fit is read back as the fit's runtime, to three digits") {
  sim::Runtime truth = shipped();
  truth.kernels.at(KernelClass::gemm).efficiency.value = 0.6;
  const RuntimeFit fit = runtime_fit::fit(some_machine(), shipped(), samples_from(truth, {"MatMul"}, kNoise));
  const std::string text = with_fit(read_file(CORECAST_DATA_DIR "/runtimes/onnxruntime.json"), fit,
                                    {"measured in a test", "a description", 0.15});
  const sim::Runtime read = sim::parse_runtime_json(text, "fitted.json");
  CHECK(read.description == "a description");
  CHECK(read.fusion == shipped().fusion);
  const sim::KernelModel& gemm = read.kernels.at(KernelClass::gemm);
  CHECK(gemm.efficiency.value ==
        doctest::Approx(fit.runtime.kernels.at(KernelClass::gemm).efficiency.value).epsilon(0.006));
  CHECK(gemm.efficiency.origin == hwmodels::Origin::measured);
  CHECK(gemm.efficiency.relative_error >= 0.15);
  CHECK(gemm.efficiency.from.find("measured in a test") == 0);
  // Nothing was measured of it.
  CHECK(read.kernels.at(KernelClass::conv) == shipped().kernels.at(KernelClass::conv));
}

TEST_CASE("a runtime that extends another is the same one when it is written without its base") {
  const auto text_of = [](const std::string& name) {
    return read_file(CORECAST_DATA_DIR "/runtimes/" + name + ".json");
  };
  const std::string text = without_base(text_of("torchscript"), text_of("pytorch"));
  CHECK(text.find("extends") == std::string::npos);
  CHECK(sim::parse_runtime_json(text, "whole.json") ==
        sim::find_runtime(sim::read_runtimes(CORECAST_DATA_DIR "/runtimes"), "torchscript"));
}

}  // namespace
}  // namespace corecast::runtime_fit
