#include "sim/search.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "planning_support.hpp"
#include "sim/baselines.hpp"
#include "sim/openvino_rule.hpp"
#include "tests/support/dag.hpp"
#include "tests/support/machine_text.hpp"

using namespace corecast;
using namespace corecast::sim;

namespace {

Target target(std::string_view machine) {
  Target t;
  t.machine = test::machine(machine);
  return t;
}

const char* const kFork =
    "s:1Mflop,gemm,matrix=64x64x64 -> a:50Mflop,gemm,matrix=128x128x512; s -> "
    "b:50Mflop,gemm,matrix=128x128x512; "
    "a,b -> j:1Mflop,units=8,shape=8x100";

SearchResult run(std::string_view graph, const Target& t, const Runtime& runtime,
                 SearchOptions options = {}) {
  const auto g = test::dag(graph);
  return search(g, prepare(g, runtime), t, runtime, options);
}

}  // namespace

TEST_CASE("the pick is the best of the whole space, simulated one by one") {
  Runtime runtime = test::plain_runtime();
  runtime.fork.value = Seconds(30e-6);
  runtime.fork_per_thread.value = Seconds(5e-6);
  runtime.hand_over.value = Seconds(20e-6);
  for (const auto objective : {Objective::latency, Objective::throughput}) {
    const Target t = target("3 cores 20Gflop/s; mem 20GB/s; sockets 2; link 10GB/s; smt 2; gain 1.2 1.3");
    SearchOptions options;
    options.objective = objective;
    const auto result = run(kFork, t, runtime, options);
    const auto graph = test::dag(kFork);
    double best = 1e9;
    const auto space = search_space(graphs::measure(graph), t, runtime, objective, 1);
    for (const auto& setting : space) {
      const auto forecast = evaluate(prepare(graph, runtime), t, runtime, setting).forecast;
      best = std::min(
          best, objective == Objective::latency ? forecast.latency.value() : 1.0 / forecast.throughput_per_s);
    }
    const auto& pick = result.best.forecast;
    CHECK((objective == Objective::latency ? pick.latency.value() : 1.0 / pick.throughput_per_s) ==
          doctest::Approx(best));
    CHECK(result.covered == static_cast<std::int64_t>(space.size()));
    CHECK(result.covered == result.merged + result.pruned + result.simulated);
    for (std::size_t i = 1; i < result.ranking.size(); ++i)
      CHECK(result.ranking[i].loss >= result.ranking[i - 1].loss);
  }
}

TEST_CASE("every rule stands in the result, in its order, and none beats the pick when it is in the space") {
  const auto result = run(kFork, target("8 cores 20Gflop/s; mem 100GB/s"), test::plain_runtime());
  std::vector<std::string> names;
  for (const auto& baseline : result.baselines) {
    names.push_back(baseline.name);
    CHECK(!baseline.source.empty());
    CHECK(baseline.loss >= -1e-9);
  }
  CHECK(names == std::vector<std::string>{"framework_default", "all_logical_cpus", "all_physical_cores",
                                          "one_thread", "intel_tensorflow", "tensorflow_guide",
                                          "tensorflow_default", "study_guideline", "openvino_hint"});
}

TEST_CASE("rules follow their guides on two sockets of 24 cores") {
  const Target t = target("24 cores 100Gflop/s; sockets 2; smt 2; gain 1.2 1.2; link 20GB/s; mem 100GB/s");
  const auto graph = test::dag(kFork);
  const auto metrics = graphs::measure(graph);  // heavy: s, a, b; longest path 2: width 1.5, rounded to 2
  const auto rules = baseline_rules(graph, metrics, t, test::plain_runtime(), Objective::latency);
  const auto find = [&](std::string_view name) {
    return std::find_if(rules.begin(), rules.end(), [&](const Baseline& b) { return b.name == name; })
        ->setting;
  };
  CHECK(find("framework_default").intra_op == 48);
  CHECK(find("all_logical_cpus").intra_op == 96);
  CHECK(find("intel_tensorflow").inter_op == 2);
  CHECK(find("intel_tensorflow").intra_op == 24);
  CHECK(find("tensorflow_guide").inter_op == 2);
  CHECK(find("tensorflow_guide").intra_op == 48);
  CHECK(find("tensorflow_default").inter_op == 96);
  CHECK(find("tensorflow_default").intra_op == 96);
  CHECK(find("study_guideline").inter_op == 3);  // two that run and the caller that waits
  CHECK(find("study_guideline").intra_op == 24);
  CHECK(find("openvino_hint").intra_op == 24);
}

TEST_CASE("OpenVINO's rule follows the pressure on L2") {
  // L2 1 MiB; products of 2 MiB in and out: tolerance 0.5, not above the threshold 0.5 / 0.5 = 1 of plain SSE code.
  Target t = target("8 cores 10Gflop/s; l2 1MiB 10GB/s");
  // By memory: 4 threads, 2 streams; while 2 streams <= threads they are halved: 2 threads, 4 streams.
  CHECK(openvino_streams(test::dag("a:gemm,2MiB"), t, Objective::throughput) == Streams{4, 2});
  // 0.4 MiB: tolerance 2.5: compute-bound, one thread a stream
  CHECK(openvino_streams(test::dag("a:gemm,400KiB"), t, Objective::throughput) == Streams{8, 1});
  // 1.25 MiB: 0.8: between: two threads
  CHECK(openvino_streams(test::dag("a:gemm,1280KiB"), t, Objective::throughput) == Streams{4, 2});
  // Convolutions with a window count as compute-bound; a model of nothing else has one thread a stream.
  CHECK(openvino_streams(test::dag("a:conv,window=3x3,64MiB"), t, Objective::throughput) == Streams{8, 1});
  CHECK(openvino_streams(test::dag("a:gemm,2MiB"), t, Objective::latency) == Streams{1, 8});
}

TEST_CASE("the number of jobs changes nothing") {
  const Target t = target("6 cores 20Gflop/s; mem 20GB/s; smt 2; gain 1.2 1.3");
  SearchOptions one, many;
  one.jobs = 1;
  many.jobs = 7;
  one.objective = many.objective = Objective::throughput;
  const auto a = run(kFork, t, test::plain_runtime(), one);
  const auto b = run(kFork, t, test::plain_runtime(), many);
  CHECK(a.pruned == b.pruned);
  REQUIRE(a.ranking.size() == b.ranking.size());
  for (std::size_t i = 0; i < a.ranking.size(); ++i) {
    CHECK(a.ranking[i].setting == b.ranking[i].setting);
    CHECK(a.ranking[i].forecast.latency == b.ranking[i].forecast.latency);
    CHECK(a.ranking[i].why == b.ranking[i].why);
  }
}

TEST_CASE("a quota keeps the search within its whole CPUs") {
  Target t = target("8 cores 20Gflop/s");
  t.quota_cpus = 2.7;
  CHECK(t.cpus() == 2);
  for (const auto& candidate : run(kFork, t, test::plain_runtime(), {Objective::latency, 50, 0}).ranking) {
    CHECK(threads_of(test::plain_runtime(), candidate.setting) <= 4);  // 2 computing, and callers that wait
    CHECK(candidate.setting.intra_op <= 2);
  }
  t.quota_cpus = 0.5;
  CHECK(t.cpus() == 1);
}

TEST_CASE("without a thread to create there is no setting") {
  Target t = target("8 cores 20Gflop/s");
  t.thread_limit = 0;
  CHECK_THROWS_AS(run(kFork, t, test::plain_runtime()), NoFeasibleSetting);
}

TEST_CASE("a rule that needs more threads than allowed says so and has no forecast") {
  Target t = target("8 cores 20Gflop/s");
  t.thread_limit = 4;
  const auto result = run(kFork, t, test::plain_runtime());
  const auto& all = result.baselines[1];
  CHECK(all.name == "all_logical_cpus");
  CHECK_FALSE(all.feasible);
  CHECK(all.note.find("only 4 more") != std::string::npos);
}

TEST_CASE("inter-op settings are merged into one where the runtime ignores them") {
  Runtime runtime = test::plain_runtime();
  const Target t = target("8 cores 20Gflop/s");
  const auto with = run(kFork, t, runtime);
  runtime.inter_op_works = false;
  const auto without = run(kFork, t, runtime);
  CHECK(without.covered == with.covered);
  CHECK(without.merged > with.merged);
  CHECK(without.best.setting.mode == Mode::sequential);
}
