// A model with known factors is simulated, written as a trace and fitted: the factors come back, on any number of threads.
#include <doctest/doctest.h>

#include <cmath>

#include "calibration/profile/fit.hpp"
#include "tests/profile/traces.hpp"
#include "tests/sim/planning_support.hpp"
#include "tests/support/dag.hpp"
#include "tests/support/machine_text.hpp"

using namespace corecast;
using namespace corecast::calibration::profile;
using namespace corecast::test;

namespace {

graphs::Graph model() {
  return dag(
      "c1:300Mflop,8MB,conv,type=Conv,units=64,shape=1x64x56x56 -> "
      "p1:2Mflop,9MB,pool,type=MaxPool,units=64,shape=1x64x28x28; "
      "p1 -> c2:200Mflop,2MB,conv,type=Conv,units=28,shape=1x128x28x28; "
      "p1 -> c3:90Mflop,30MB,conv,type=Conv,units=56,shape=1x32x28x28; "
      "c2,c3 -> t:12MB,transpose,type=Concat,units=160,shape=1x160x28x28; "
      "t -> g:40Mflop,16MB,gemm,type=Gemm,units=8,shape=1x1000,matrix=1x1000x20000");
}

sim::Runtime with_factors(const graphs::Graph& prepared) {
  sim::Runtime runtime = plain_runtime();
  runtime.smoothing.value = 2.0;
  runtime.dispatch.value = Seconds(2e-6);
  runtime.fork.value = Seconds(3e-6);
  for (std::size_t i = 0; i < prepared.size(); ++i)
    runtime.operator_factors[prepared.op(OpIndex(i)).name] = {0.6 + 0.4 * static_cast<double>(i), Seconds{},
                                                              0.0};
  return runtime;
}

// What onnxruntime's profiler would write: kernels with their forks, 3 us each for the event.
std::string trace_of(const graphs::Graph& prepared, const sim::Evaluation& evaluation) {
  std::vector<TraceNode> nodes{{"flat", "Reshape", 3.0}};
  for (const sim::Run& run : evaluation.timeline.runs) {
    const graphs::Operator& op = prepared.op(run.op);
    Seconds dispatch{};
    for (const sim::Span& span : run.spans)
      if (span.kind == sim::PhaseKind::dispatch) dispatch = sim::to_seconds(span.end - span.start);
    const Seconds kernel = sim::to_seconds(run.end - run.start) - dispatch;
    nodes.push_back({op.name + "_nchwc", op.type, 3.0 + kernel.value() * 1e6,
                     fmt::format("{}", fmt::join(op.output_shape, ","))});
  }
  return onnxruntime_trace(nodes, "");
}

}  // namespace

TEST_CASE("factors come back from a trace of a simulated run, whatever its threads") {
  const graphs::Graph graph = model();
  const sim::Target target{
      machine("4 cores 20Gflop/s; mem 20GB/s; core 12GB/s; barrier 1us; l3 4MB 100GB/s"), {}, {}};
  const sim::Runtime truth = with_factors(graph);
  sim::Runtime blank = truth;
  blank.operator_factors.clear();
  for (const int profiled : {1, 2, 4, 6}) {
    sim::Setting setting;
    setting.intra_op = profiled;
    const std::string trace = trace_of(graph, sim::evaluate(graph, target, truth, setting));
    const Profile profile = profile_of(parse_trace(trace, "run.json"), heavy_operators(graph));
    const ProfileFit fit = fit_profile(profile, graph, target, blank, setting);
    CHECK(fit.matching.by_name == graph.size());
    for (const auto& entry : truth.operator_factors) {
      const std::string& name = entry.first;  // clang 14 captures no structured bindings, and INFO captures
      const sim::OperatorFactor& expected = entry.second;
      INFO(profiled << " threads, " << name);
      CHECK(fit.runtime.operator_factors.at(name).factor == doctest::Approx(expected.factor).epsilon(0.02));
    }
    for (const int asked : {1, 2, 3, 4}) {
      sim::Setting other;
      other.intra_op = asked;
      const Seconds real = sim::evaluate(graph, target, truth, other).forecast.latency;
      const Seconds told = sim::evaluate(graph, target, fit.runtime, other).forecast.latency;
      INFO(profiled << " threads profiled, " << asked << " asked");
      CHECK(told / real == doctest::Approx(1.0).epsilon(0.01));
    }
  }
}
