// What each framework makes of a setting, against timelines worked out by hand.
#include "sim/policy.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "graphs/builtin.hpp"
#include "hwmodels/machine_json.hpp"
#include "sim/forecast.hpp"
#include "tests/sim/planning_support.hpp"
#include "tests/sim/simulate_support.hpp"
#include "tests/support/machine_text.hpp"

namespace corecast::test {
namespace {

using sim::Keep;
using sim::Mode;
using sim::Setting;

// Two slots, 10 us an operator, 2 us to hand one over. a ends at 10 and makes b, c and d ready.
const char* kGraph = "a -> b, c, d; b -> e";

Simulated with_rule(const std::string& rule) {
  return {kGraph, "slots 2; hand-over 2us; keep " + rule + "; *: 10us"};
}

TEST_CASE("onnxruntime's parallel executor goes on with the first successor and queues the others") {
  // Slot 0: a, b 10..20, e 20..30. Slot 1 takes c at 12..22 and then d 22..32.
  const Simulated s = with_rule("first");
  CHECK(s.start("b") == us(10));
  CHECK(s.start("c") == us(12));
  CHECK(s.start("e") == us(20));
  CHECK(s.start("d") == us(22));
  CHECK(s.timeline.makespan == us(32));
}

TEST_CASE("TensorFlow's executor goes on with the last successor") {
  // Slot 0: a, d 10..20, c 20..30. Slot 1: b 12..22, e 22..32.
  const Simulated s = with_rule("last");
  CHECK(s.start("d") == us(10));
  CHECK(s.start("b") == us(12));
  CHECK(s.start("c") == us(20));
  CHECK(s.start("e") == us(22));
  CHECK(s.timeline.makespan == us(32));
}

TEST_CASE("Caffe2's pools follow a chain and queue whatever branches off") {
  // a has three successors: all are queued. b -> e is a chain: no hand-over.
  const Simulated s = with_rule("chain");
  CHECK(s.start("b") == us(12));
  CHECK(s.start("c") == us(12));
  CHECK(s.start("e") == us(22));
  CHECK(s.start("d") == us(22));
  CHECK(s.timeline.makespan == us(32));
}

TEST_CASE("a successor with two predecessors ends a chain") {
  // b and c end at 22 both; d is queued by the second of them and starts 2 us later.
  const Simulated s("a -> b, c; b,c -> d", "slots 2; hand-over 2us; keep chain; *: 10us");
  CHECK(s.start("d") == us(24));
}

TEST_CASE("where every operator goes through the queue, each pays the hand-over") {
  const Simulated s = with_rule("none");
  CHECK(s.start("b") == us(12));
  CHECK(s.start("d") == us(22));  // in the queue since 10
  CHECK(s.start("e") == us(24));  // made ready at 22
  CHECK(s.timeline.makespan == us(34));
}

sim::Runtime runtime_of(const std::string& policy) {
  sim::Runtime runtime = plain_runtime();
  runtime.policy = policy;
  runtime.idle_inter_op_threads = policy == "onnxruntime" ? 1 : 0;
  runtime.own_teams = policy == "caffe2";
  return runtime;
}

// 1 Gflop in 8 rows on cores of 10 Gflop/s: 100 ms alone on one thread.
double latency(const sim::Runtime& runtime, int inter, int intra, int instances = 1) {
  const graphs::Graph graph = dag("a:1Gflop,units=8,shape=8x1000; b:1Gflop,units=8,shape=8x1000");
  Setting setting;
  setting.mode = inter > 1 ? Mode::parallel : Mode::sequential;
  setting.inter_op = inter;
  setting.intra_op = intra;
  setting.instances = instances;
  setting.spin = false;
  return sim::evaluate(graph, {machine("8 cores 10Gflop/s"), std::nullopt, std::nullopt}, runtime, setting)
      .forecast.latency.value();
}

TEST_CASE("the same two pools of two threads mean something else in every framework") {
  // Two operators that overlap: teams of 2 each: 50 ms. A shared pool of one worker beside two callers: 1.5 threads each:
  // 66.7 ms. One after the other on 2 threads: 2 x 50 ms. onnxruntime's inter-op 2 runs one at once, because its caller waits.
  CHECK(latency(runtime_of("caffe2"), 2, 2) == doctest::Approx(0.050));
  CHECK(latency(runtime_of("tensorflow"), 2, 2) == doctest::Approx(0.2 / 3.0));
  CHECK(latency(runtime_of("onnxruntime"), 2, 2) == doctest::Approx(0.100));
  CHECK(latency(runtime_of("onnxruntime"), 3, 2) == doctest::Approx(0.2 / 3.0));
  for (const char* sequential : {"pytorch", "openvino", "llama"})
    CHECK(latency(runtime_of(sequential), 2, 2) == doctest::Approx(0.100));
}

TEST_CASE("streams and processes do not slow each other down while cores and memory suffice") {
  CHECK(latency(runtime_of("openvino"), 1, 2, 4) == doctest::Approx(0.100));
}

TEST_CASE(
    "every policy has a name, a default with a source, and a reason when it runs one operator at a time") {
  for (const std::string& name : sim::policy_names()) {
    CAPTURE(name);
    const sim::Runtime runtime = runtime_of(name);
    const sim::Policy& policy = sim::policy_of(runtime);
    const sim::Default chosen = policy.defaults(runtime, {16, 8, 4});
    CHECK(chosen.inter_op >= 1);
    CHECK(chosen.intra_op >= 1);
    CHECK(chosen.intra_op <= 16);
    CHECK_FALSE(chosen.words.empty());
    CHECK_FALSE(chosen.source.empty());
    CHECK(policy.why_not(runtime).empty() == policy.overlaps(runtime));
  }
}

TEST_CASE("the null test: inter-op threads change nothing where the framework has none for a graph") {
  const auto runtimes = sim::read_runtimes(CORECAST_DATA_DIRECTORY "/runtimes");
  const hwmodels::Machine machine =
      hwmodels::find_machine(hwmodels::read_catalogue(CORECAST_DATA_DIRECTORY "/machines"), "xeon-gold-6142");
  const graphs::Graph model = graphs::build_model("inception_v3");
  for (const char* name : {"pytorch", "torchscript", "openvino", "llama", "onnxruntime"}) {
    CAPTURE(name);
    const sim::Runtime runtime = sim::find_runtime(runtimes, name);
    const graphs::Graph prepared = sim::prepare(model, runtime);
    Setting setting;
    setting.intra_op = 4;
    const double alone = sim::evaluate(prepared, {machine, std::nullopt, std::nullopt}, runtime, setting)
                             .forecast.latency.value();
    for (const int inter : {2, 4, 16}) {
      for (const Mode mode : {Mode::sequential, Mode::parallel}) {
        setting.inter_op = inter;
        setting.mode = mode;
        CHECK(sim::evaluate(prepared, {machine, std::nullopt, std::nullopt}, runtime, setting)
                  .forecast.latency.value() == alone);
      }
    }
  }
}

}  // namespace
}  // namespace corecast::test
