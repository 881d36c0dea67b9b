#include "sim/search.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "planning_support.hpp"
#include "sim/baselines.hpp"
#include "sim/memory_need.hpp"
#include "sim/openvino_rule.hpp"
#include "sim/placement.hpp"
#include "sim/reasons.hpp"
#include "sim/search_space.hpp"
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
    CHECK(result.covered == result.merged + result.infeasible + result.pruned + result.simulated);
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

namespace {

double cost_of(const Candidate& c, Objective objective) {
  return objective == Objective::latency ? c.forecast.latency.value() : 1.0 / c.forecast.throughput_per_s;
}

// The least cost over the whole space, every setting simulated.
double exhaustive(std::string_view text, const Target& t, const Runtime& runtime, Objective objective) {
  const auto graph = test::dag(text);
  const auto prepared = prepare(graph, runtime);
  double best = 1e300;
  for (const auto& setting : search_space(graphs::measure(graph), t, runtime, objective, 1)) {
    Candidate c;
    c.forecast = evaluate(prepared, t, runtime, setting).forecast;
    best = std::min(best, cost_of(c, objective));
  }
  return best;
}

Runtime runtime_with_costs() {
  Runtime runtime = test::plain_runtime();
  runtime.dispatch.value = Seconds(1e-6);
  runtime.fork.value = Seconds(2e-6);
  runtime.fork_per_thread.value = Seconds(0.1e-6);
  runtime.hand_over.value = Seconds(5e-6);
  return runtime;
}

// Arithmetic in uneven parts, memory, short operators, branches.
const std::vector<const char*> kGraphs{
    "a:900Mflop,units=231,shape=231x100 -> b:5Mflop,units=77,shape=77x10",
    "a:1Mflop,40MB,units=500,shape=500x100 -> b:300Mflop,units=91,shape=91x100",
    "s:1Mflop,units=4,shape=4x10 -> a:200Mflop,units=37,shape=37x50; s -> b:150Mflop,units=53,shape=53x50; "
    "a,b -> j:2Mflop,units=8,shape=8x100"};

}  // namespace

TEST_CASE("up to two sockets of 64 cores with SMT the pick is that of the whole space") {
  for (const char* graph : kGraphs) {
    for (const char* machine :
         {"64 cores 20Gflop/s; mem 100GB/s; sockets 2; link 40GB/s; smt 2; gain 1.2 1.3",
          "28 cores 20Gflop/s; mem 60GB/s; sockets 2; link 20GB/s; barrier 1us"}) {
      for (const auto objective : {Objective::latency, Objective::throughput}) {
        const Target t = target(machine);
        const auto result = run(graph, t, runtime_with_costs(), {objective, 1, 0});
        INFO(graph << " on " << machine);
        CHECK(result.covered == result.space);
        CHECK(cost_of(result.best, objective) == exhaustive(graph, t, runtime_with_costs(), objective));
      }
    }
  }
}

TEST_CASE("on larger machines part of the space is looked at, and the pick is within half a percent") {
  const Target t = target("512 cores 20Gflop/s; mem 300GB/s; sockets 2; link 80GB/s; smt 2; gain 1.2 1.3");
  for (const char* graph : kGraphs) {
    const auto result = run(graph, t, runtime_with_costs(), {Objective::throughput, 1, 0});
    INFO(graph);
    CHECK(result.space > kSmallSpace);
    CHECK(result.covered < result.space);
    CHECK(cost_of(result.best, Objective::throughput) <=
          1.005 * exhaustive(graph, t, runtime_with_costs(), Objective::throughput));
  }
}

TEST_CASE("the work of a search grows slower than its space") {
  const auto covered = [](const char* machine) {
    return run(kGraphs[2], target(machine), runtime_with_costs(), {Objective::throughput, 1, 0});
  };
  const auto one = covered("1024 cores 20Gflop/s"), four = covered("4096 cores 20Gflop/s");
  CHECK(four.space > 4 * one.space);
  CHECK(four.covered < 3 * one.covered);
}

TEST_CASE("jobs and rows shown do not change the pick of a search over a grid") {
  const Target t = target("512 cores 20Gflop/s; mem 300GB/s; sockets 2; link 80GB/s; smt 2; gain 1.2 1.3");
  const auto one = run(kGraphs[1], t, runtime_with_costs(), {Objective::throughput, 1, 1});
  const auto two = run(kGraphs[1], t, runtime_with_costs(), {Objective::throughput, 1, 2});
  const auto more = run(kGraphs[1], t, runtime_with_costs(), {Objective::throughput, 20, 2});
  CHECK(one.best.setting == two.best.setting);
  CHECK(one.best.setting == more.best.setting);
  CHECK(one.covered == two.covered);
  CHECK(one.pruned == two.pruned);
}

TEST_CASE("a grid holds its marks, their halves and their neighbours, and all that is dense") {
  const auto counts = grid(1000, {32, 16}, {770});
  CHECK(std::is_sorted(counts.begin(), counts.end()));
  for (int c = 1; c <= 32; ++c) CHECK(counts[static_cast<std::size_t>(c - 1)] == c);
  for (const int wanted : {384, 385, 386, 769, 770, 771, 999, 1000})
    CHECK(std::find(counts.begin(), counts.end(), wanted) != counts.end());
  CHECK(counts.size() < 32 + 16 * 5 + 10);  // log2(1000 / 32) < 5 doublings
  CHECK(counts.back() == 1000);
  CHECK(grid(1, {32, 16}, {770}) == std::vector<int>{1});
}

TEST_CASE("the size of a space is the number of its settings") {
  for (const char* machine :
       {"5 cores 1Gflop/s", "3 cores 1Gflop/s; smt 2", "3 cores 1Gflop/s; sockets 2; smt 2; link 1GB/s"}) {
    for (const auto objective : {Objective::latency, Objective::throughput}) {
      for (const int width : {1, 4, 40}) {
        graphs::Metrics metrics;
        metrics.max_width = width;
        const Target t = target(machine);
        const Runtime runtime = test::plain_runtime();
        const Space space(metrics, t, runtime, objective, 1);
        CHECK(space.size() == static_cast<std::int64_t>(space.all().size()));
        CHECK(space.coarse() == space.all());
      }
    }
  }
}

TEST_CASE("SMT stands in a setting exactly when two of its threads share a core") {
  const Runtime runtime = runtime_with_costs();
  for (const char* machine : {"4 cores 1Gflop/s; smt 2; gain 1.2 1.2",
                              "3 cores 1Gflop/s; sockets 2; smt 2; link 1GB/s; gain 1.3 1.5"}) {
    const Target t = target(machine);
    for (const auto objective : {Objective::latency, Objective::throughput}) {
      for (const Setting& s : search_space(graphs::measure(test::dag(kFork)), t, runtime, objective, 1)) {
        const int each = computing_threads(runtime, s);
        const auto order = cpu_order(t.machine, s.smt, s.placement);
        std::set<int> cores;
        for (int i = 0; i < each * s.instances; ++i) cores.insert(order[static_cast<std::size_t>(i)].core);
        CHECK(s.smt == (static_cast<int>(cores.size()) < each * s.instances));
        CHECK(shares_cores(t.machine, s, each) == s.smt);
        CHECK(effective(t, runtime, s) == s);
      }
      for (const auto& rule : run(kFork, t, runtime, {objective, 3, 0}).baselines) {
        if (computing_threads(runtime, rule.setting) * rule.setting.instances >= t.machine.logical_cpus())
          CHECK(rule.setting.smt);
      }
    }
  }
  // One thread, or no second hardware thread: nothing to share.
  Setting packed;
  packed.smt = true;
  CHECK_FALSE(effective(target("4 cores 1Gflop/s; smt 2"), runtime, packed).smt);
  packed.intra_op = 4;
  CHECK_FALSE(effective(target("4 cores 1Gflop/s"), runtime, packed).smt);
}

TEST_CASE("reasons and advice count the same threads: those that compute at once") {
  const Target t = target("64 cores 20Gflop/s; smt 2; gain 1.1 1.1");
  const Runtime runtime = test::plain_runtime();
  Setting setting;
  setting.mode = Mode::parallel;
  setting.inter_op = 5;  // the caller waits, four operators at once
  setting.intra_op = 13;
  CHECK(computing_threads(runtime, setting) == 16);
  CHECK(placement_words(t, runtime, setting) == "16 threads on 16 cores");
  SearchResult result;
  result.best.setting = setting;
  const auto small = [&] {
    for (const Message& m : advice({}, t, runtime, result, Objective::latency)) {
      if (m.code == "INTRA_SMALL") return m.text;
    }
    return std::string();
  };
  CHECK(small().find("16 of 64 cores are enough") == 0);
  result.best.setting.smt = true;  // packed: two on a core
  CHECK(placement_words(t, runtime, result.best.setting) == "16 threads on 8 cores");
  CHECK(small().find("8 of 64 cores are enough") == 0);
  result.best.setting = Setting{};
  CHECK(small().find("1 of 64 cores is enough") == 0);
  // One thread each of two instances on a core: the counts of one do not show it.
  setting = Setting{};
  setting.instances = 2;
  setting.smt = true;
  CHECK(placement_words(t, runtime, setting) ==
        "2 instances, each 1 thread on 1 core that others share (SMT)");
}

TEST_CASE("a caller that only waits does not make too many threads") {
  const Runtime runtime = test::plain_runtime();
  const Target t = target("2 cores 1Gflop/s");
  Setting setting;
  setting.mode = Mode::parallel;
  setting.inter_op = 2;
  setting.intra_op = 2;
  CHECK(setting_warnings(t, runtime, setting).empty());
  setting.inter_op = 3;  // two operators at once: three threads
  REQUIRE(setting_warnings(t, runtime, setting).size() == 1);
  CHECK(setting_warnings(t, runtime, setting)[0].text.find("3 threads on 2 CPUs") == 0);
}

TEST_CASE("threads beyond the cores are told of when SMT was not asked for") {
  Setting setting;
  setting.intra_op = 3;
  const Target t = target("2 cores 1Gflop/s; smt 2");
  REQUIRE(setting_warnings(t, test::plain_runtime(), setting).size() == 1);
  CHECK(setting_warnings(t, test::plain_runtime(), setting)[0].code == "SHARED_CORES");
  setting.intra_op = 2;
  CHECK(setting_warnings(t, test::plain_runtime(), setting).empty());
}

TEST_CASE("an instance needs its weights and the results that are live at once") {
  // 1000 fp32 weights: 4 kB. a's 3 kB live until c has read them: a and b 5 kB, then b and c 2 + 4 kB beside a: 9 kB.
  const auto need = memory_need(test::dag(
      "a:parameters=1000,written=3kB -[3000B]-> b:written=2kB; a -[3000B]-> c:written=4kB; b -[2000B]-> c"));
  CHECK(need.weights.value() == 4000.0);
  CHECK(need.activations.value() == 9000.0);
  // A graph that counts no parameters: what is read as weights. What comes from outside is live while it is read.
  const auto other =
      memory_need(test::dag("a:weights=1MB,10kB,written=1kB -[1000B]-> b:weights=2MB,1kB,written=1kB"));
  CHECK(other.weights.value() == 3e6);
  CHECK(other.activations.value() == 11e3);
}

TEST_CASE("settings that memory does not hold are left out, and told of") {
  const char* graph = "a:100Mflop,weights=1GB,written=24MB,units=8,shape=8x100";
  Target t = target("8 cores 20Gflop/s; sockets 2; link 10GB/s");
  const SearchOptions options{Objective::throughput, 100, 0};
  const auto free = run(graph, t, test::plain_runtime(), options);
  CHECK(free.infeasible == 0);
  // 3.2 GB in all: three instances of 1.024 GB
  t.machine.memory.capacity.emplace().value = Bytes(1.6e9);
  const auto result = run(graph, t, test::plain_runtime(), options);
  CHECK(result.infeasible > 0);
  CHECK(result.covered == result.merged + result.infeasible + result.pruned + result.simulated);
  for (const Candidate& c : result.ranking) CHECK(c.setting.instances <= 3);
  REQUIRE(!result.warnings.empty());
  CHECK(result.warnings[0].code == "MEMORY_CAPACITY");
  CHECK(result.warnings[0].text.find("of more than 3 instances left out") != std::string::npos);
  for (const Baseline& rule : result.baselines) CHECK(rule.feasible == (rule.setting.instances <= 3));

  Setting four;
  four.instances = 4;
  const auto need = memory_need(test::dag(graph));
  REQUIRE(memory_warning(need, t, four));
  CHECK(memory_warning(need, t, four)->code == "MEMORY_CAPACITY");
  four.instances = 3;
  CHECK_FALSE(memory_warning(need, t, four));

  t.machine.memory.capacity->value = Bytes(0.4e9);
  try {
    (void)run(graph, t, test::plain_runtime(), {Objective::latency, 1, 0});
    FAIL("memory of 0.8 GB holds an instance of 1.024 GB");
  } catch (const NoFeasibleSetting& error) {
    const std::string text = error.what();
    CHECK(text.find("one instance needs 1.02 GB of memory") != std::string::npos);
    CHECK(text.find("the machine has 800 MB") != std::string::npos);
  }
}
