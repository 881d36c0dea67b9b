// Factors derived by hand.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "calibration/profile/fit.hpp"
#include "tests/profile/traces.hpp"
#include "tests/sim/planning_support.hpp"
#include "tests/support/dag.hpp"
#include "tests/support/machine_text.hpp"

using namespace corecast;
using namespace corecast::calibration::profile;
using namespace corecast::test;

namespace {

sim::Target target() {
  return {machine("4 cores 10Gflop/s; mem 1PB/s"), {}, {}};
}

sim::Setting threads(int n) {
  sim::Setting setting;
  setting.intra_op = n;
  return setting;
}

ProfileFit fitted(const std::string& trace, const graphs::Graph& graph,
                  const sim::Runtime& runtime = plain_runtime()) {
  const Profile profile = profile_of(parse_trace(trace, "run.json"), heavy_operators(graph));
  return fit_profile(profile, graph, target(), runtime, threads(1));
}

double ms(Seconds t) {
  return t.value() * 1e3;
}

Seconds forecast(const ProfileFit& fit, const graphs::Graph& graph, int n) {
  return sim::evaluate(sim::prepare(graph, fit.runtime), target(), fit.runtime, threads(n)).forecast.latency;
}

// 100 ms and 200 ms on one core of 10 Gflop/s, cut into 1000 rows.
graphs::Graph two() {
  return dag(
      "a:1Gflop,conv,type=Conv,units=1000,shape=1x1000 -> b:2Gflop,conv,type=Conv,units=1000,shape=1x1000");
}

}  // namespace

TEST_CASE("a factor is measured over forecast, and holds for every number of threads") {
  // 200 ms for 100 and 150 ms for 200: 2 and 0.75; the event's 3 us and the timer's 1 us are a few 1e-5 of that.
  const graphs::Graph graph = two();
  const ProfileFit fit = fitted(onnxruntime_trace({{"a", "Conv", 200e3}, {"b", "Conv", 150e3}}), graph);
  CHECK(fit.runtime.operator_factors.at("a").factor == doctest::Approx(2.0).epsilon(1e-4));
  CHECK(fit.runtime.operator_factors.at("b").factor == doctest::Approx(0.75).epsilon(1e-4));
  CHECK(ms(fit.before) == doctest::Approx(300.0).epsilon(1e-4));  // and the call: 6 us
  CHECK(ms(fit.after) == doctest::Approx(350.0).epsilon(1e-4));
  CHECK(ms(fit.measured) == doctest::Approx(350.0).epsilon(1e-4));
  CHECK(ms(forecast(fit, graph, 2)) == doctest::Approx(175.0).epsilon(1e-4));
  CHECK(ms(forecast(fit, graph, 4)) == doctest::Approx(87.5).epsilon(1e-4));
  REQUIRE(fit.classes.size() == 1);
  CHECK(fit.classes[0].operators == 2);
}

TEST_CASE("an operator too short for the timer takes the median of its class") {
  // b, c: factor 2. s would take 2 us and shows 4, of which 3 are the event's: f = 0.5, w = 1 / (1 + 1),
  // f = exp(0.5 log 0.5 + 0.5 log 2) = 1.
  const graphs::Graph graph =
      dag("b:1Gflop,conv,type=Conv,units=1000 -> c:1Gflop,conv,type=Conv,units=1000; c -> "
          "s:20kflop,conv,type=Conv,units=1000");
  const ProfileFit fit =
      fitted(onnxruntime_trace({{"b", "Conv", 200003}, {"c", "Conv", 200003}, {"s", "Conv", 4}}), graph);
  CHECK(fit.runtime.operator_factors.at("s").factor == doctest::Approx(1.0).epsilon(1e-4));
  CHECK(fit.runtime.operator_factors.at("s").relative_error > 0.5);
}

TEST_CASE("what a kernel takes that the model hardly sees is the cost of calling it") {
  // s would take 0.1 us, twice that with the class; 5 us are measured beside the event.
  const graphs::Graph graph = dag("b:1Gflop,conv,type=Conv,units=1000 -> s:1kflop,conv,type=Conv,units=1000");
  const ProfileFit fit = fitted(onnxruntime_trace({{"b", "Conv", 200003}, {"s", "Conv", 8}}), graph);
  const sim::OperatorFactor& s = fit.runtime.operator_factors.at("s");
  CHECK(s.factor == doctest::Approx(2.0).epsilon(1e-4));
  CHECK(s.serial.value() == doctest::Approx(4.8e-6).epsilon(1e-3));
}

TEST_CASE("copies without an operator stay on one thread") {
  // 100 ms for a; 50 ms of a copy before b, which takes 200.
  const graphs::Graph graph = two();
  const ProfileFit fit =
      fitted(onnxruntime_trace({{"a", "Conv", 100e3}, {"copy", "Cast", 50e3}, {"b", "Conv", 200e3}}), graph);
  CHECK(ms(fit.runtime.operator_factors.at("b").serial) == doctest::Approx(50.0).epsilon(1e-3));
  CHECK(ms(forecast(fit, graph, 1)) == doctest::Approx(350.0).epsilon(1e-3));
  CHECK(ms(forecast(fit, graph, 2)) == doctest::Approx(200.0).epsilon(1e-3));  // 50 + 300 / 2
}

TEST_CASE("operators that ran in one kernel share its time as the model divides it") {
  // e left no node: with b, the next, 100 us + 200 ms of the model are 400.2 ms measured: 2 for both.
  const graphs::Graph graph =
      dag("a:1Gflop,conv,type=Conv,units=1000 -> e:1Mflop,elementwise,type=Div,units=1000; e -> "
          "b:2Gflop,conv,type=Conv,units=1000");
  const ProfileFit fit = fitted(onnxruntime_trace({{"a", "Conv", 100e3}, {"b", "Conv", 400203}}), graph);
  CHECK(fit.runtime.operator_factors.at("b").factor == doctest::Approx(2.0).epsilon(1e-4));
  CHECK(fit.runtime.operator_factors.at("e").factor == doctest::Approx(2.0).epsilon(1e-4));
}

TEST_CASE("memory's share takes the factor as the arithmetic does, forks and dispatch do not") {
  // 100 MB at 1 GB/s: 100 ms, twice as long: the draw stays, the time doubles. Dispatch 1 ms is beside the kernel.
  const sim::Target slow{machine("2 cores 10Gflop/s; mem 1GB/s; core 1GB/s"), {}, {}};
  const graphs::Graph graph = dag("a:100MB,transpose,type=Transpose,units=1000");
  sim::Runtime runtime = plain_runtime();
  runtime.dispatch.value = Seconds(1e-3);
  const Profile profile =
      profile_of(parse_trace(onnxruntime_trace({{"a", "Transpose", 200e3}}), "run.json"), 0);
  const ProfileFit fit = fit_profile(profile, graph, slow, runtime, threads(1));
  CHECK(fit.runtime.operator_factors.at("a").factor == doctest::Approx(2.0).epsilon(1e-3));
  CHECK(ms(fit.after) == doctest::Approx(201.0).epsilon(1e-3));
}

TEST_CASE("a kernel faster than memory in the model is believed") {
  // 100 ms in the model, 50 measured, also where another operator would share the memory.
  const sim::Target slow{machine("2 cores 10Gflop/s; mem 1GB/s; core 1GB/s"), {}, {}};
  const graphs::Graph graph = dag("a:100MB,transpose,type=Transpose,units=1000");
  const Profile profile =
      profile_of(parse_trace(onnxruntime_trace({{"a", "Transpose", 50e3}}), "run.json"), 0);
  const ProfileFit fit = fit_profile(profile, graph, slow, plain_runtime(), threads(1));
  CHECK(ms(fit.after) == doctest::Approx(50.0).epsilon(1e-3));
}

TEST_CASE("a profile narrows the interval, but not below what other settings may do") {
  const graphs::Graph graph = two();
  sim::Runtime runtime = plain_runtime();
  for (auto& [kernel, model] : runtime.kernels) model.efficiency.relative_error = 0.3;
  std::vector<std::vector<TraceNode>> runs(20, {{"a", "Conv", 200e3}, {"b", "Conv", 150e3}});
  const ProfileFit fit = fitted(onnxruntime_trace(runs), graph, runtime);
  const graphs::Graph prepared = sim::prepare(graph, runtime);
  const auto width = [&](const sim::Runtime& r) {
    const sim::Forecast f = sim::evaluate(prepared, target(), r, threads(2)).forecast;
    return f.high / f.latency - 1.0;
  };
  CHECK(width(runtime) == doctest::Approx(1.645 * 0.3));
  CHECK(width(fit.runtime) == doctest::Approx(1.645 * kTransfer).epsilon(0.01));
}

TEST_CASE("a trace of another framework is refused, with the runtime to ask for") {
  try {
    (void)fitted(pytorch_trace({{"aten::conv2d", 0, 100}}), two());
    FAIL("fitted");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) ==
          "run.json: is a trace of PyTorch, but the runtime is plain (--runtime pytorch)");
  }
}

TEST_CASE("a weak match and a single run are said to be weak") {
  // 40 of 100 ms are of an operator nobody knows.
  const ProfileFit fit = fitted(
      onnxruntime_trace({{"a", "Conv", 30e3}, {"b", "Conv", 30e3}, {"x", "SomethingElse", 40e3}}), two());
  REQUIRE(fit.warnings.size() == 2);
  CHECK(fit.warnings[0].code == "PROFILE_WEAK");
  CHECK(fit.warnings[1].code == "PROFILE_ONE_RUN");
  CHECK(ms(fit.after) == doctest::Approx(100.0).epsilon(1e-3));  // the sum is kept
}
