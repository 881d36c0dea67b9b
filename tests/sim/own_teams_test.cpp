// Runtimes in which every operator that runs has a team of threads of its own.
#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "graphs/metrics.hpp"
#include "sim/forecast.hpp"
#include "sim/search.hpp"
#include "tests/sim/planning_support.hpp"
#include "tests/support/dag.hpp"
#include "tests/support/machine_text.hpp"

namespace corecast::sim {
namespace {

Runtime runtime(bool own_teams) {
  Runtime r = test::plain_runtime();
  r.own_teams = own_teams;
  r.idle_inter_op_threads = 0;
  return r;
}

Setting parallel(int inter, int intra) {
  Setting setting;
  setting.mode = Mode::parallel;
  setting.inter_op = inter;
  setting.intra_op = intra;
  setting.spin = false;
  return setting;
}

Target target(const std::string& machine) {
  return {test::machine(machine), std::nullopt, std::nullopt};
}

// 1 Gflop in 8 rows on cores of 10 Gflop/s: 100 ms alone.
const char* kTwo = "a:1Gflop,units=8,shape=8x1000; b:1Gflop,units=8,shape=8x1000";

double latency(bool own_teams, int inter, int intra) {
  return evaluate(test::dag(kTwo), target("8 cores 10Gflop/s"), runtime(own_teams), parallel(inter, intra))
      .forecast.latency.value();
}

TEST_CASE("two operators at once have all threads of their teams, or share one pool") {
  CHECK(latency(true, 2, 4) == doctest::Approx(0.025));   // 4 threads each
  CHECK(latency(false, 2, 4) == doctest::Approx(0.040));  // 5 in all: 2.5 each
  CHECK(latency(true, 1, 8) == doctest::Approx(0.025));   // one after the other, 8 threads: 12.5 ms each
}

TEST_CASE("teams multiply threads where a shared pool adds them") {
  CHECK(computing_threads(runtime(true), parallel(3, 4)) == 12);
  CHECK(threads_of(runtime(true), parallel(3, 4)) == 12);
  CHECK(computing_threads(runtime(false), parallel(3, 4)) == 6);
  CHECK(most_intra_op(runtime(true), 13, 3) == 4);
  CHECK(most_slots(runtime(true), 13, 4) == 3);
  CHECK(most_slots(runtime(true), 3, 4) == 0);
  CHECK(most_intra_op(runtime(false), 6, 3) == 4);
}

TEST_CASE(
    "the space of teams holds every product of counts that the CPUs allow, once, and its size is known") {
  const graphs::Graph graph = test::dag(kTwo);
  graphs::Metrics metrics = graphs::measure(graph);
  metrics.max_width = 3;
  const Target eight = target("8 cores 10Gflop/s");
  const auto space = search_space(metrics, eight, runtime(true), Objective::latency, 1);
  // slots 1: intra 1..8; 2: 1..4; 3: 1..2
  CHECK(space.size() == 8 + 4 + 2);
  for (const Setting& setting : space) CHECK(computing_threads(runtime(true), setting) <= 8);
  const auto result = search(graph, prepare(graph, runtime(true)), eight, runtime(true), {});
  CHECK(result.covered == result.space);
  CHECK(result.best.forecast.latency.value() == doctest::Approx(0.025));
}

TEST_CASE("a runtime file says which pool it has, in one of two words") {
  const auto runtimes = read_runtimes(std::string(CORECAST_DATA_DIRECTORY) + "/runtimes");
  CHECK(find_runtime(runtimes, "tensorflow-onednn").own_teams);
  CHECK_FALSE(find_runtime(runtimes, "onnxruntime-1.13").own_teams);
}

}  // namespace
}  // namespace corecast::sim
