// Simulated schedules against a real pool of 24 to 96 threads whose operators sleep (real_pools/sleeping_pool.hpp).
//
// Prints a row for each comparison: the makespan simulated and real, what the measured costs of the pool beside its
// operators make of that on the chain that ends last, how late an operator started at most. A host that is busy disturbs
// a run: it is repeated, and fails when it never agrees.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/real_pools/schedule.hpp"
#include "tests/sim/real_pools/shapes.hpp"

namespace corecast::test {
namespace {

constexpr int kRepetitions = 40;  // of which one must agree: a busy host is late, a wrong order never agrees
constexpr double kGap = 0.002;
constexpr std::uint32_t kTelling = 123;  // seed of a graph for which each two rules give different schedules
constexpr std::array kKeeps{sim::Keep::first, sim::Keep::last, sim::Keep::chain, sim::Keep::none};

std::string_view name(sim::Keep keep) {
  constexpr std::array<std::string_view, 4> kNames{"first", "last", "chain", "none"};
  return kNames.at(static_cast<std::size_t>(keep));
}

// 2 to 20 ms, but where more operators start at once than there are dates for them to end at.
std::vector<double> lengths_for(const graphs::Graph& graph, const PoolShape& shape) {
  LengthRule rule;
  rule.gap = kGap;
  return separate_lengths(graph, shape, rule);
}

void compare_with_pool(std::string_view what, const graphs::Graph& graph, SleepingPool& pool,
                       const PoolShape& shape) {
  const std::vector<double> lengths = lengths_for(graph, shape);
  const std::vector<Parts> parts = uneven_parts(lengths, shape.threads_each, 7);
  const sim::Timeline timeline = sim::simulate(graph, plan_for(shape, lengths));
  std::string complaints;
  for (int i = 1; i <= kRepetitions; ++i) {
    const PoolCost cost = measure_cost(pool);
    const Agreement a = compare(timeline, pool.run(graph, parts, shape.keep), cost, kGap);
    if (a.complaint.empty()) {
      fmt::print("{:<16} {:>3} x {:<2} {:<5} {:>9} {:>10.2f} {:>8.2f} {:>+7.2f} % {:>8.2f} {:>8.2f} {:>5}\n",
                 what, shape.slots, shape.threads_each, name(shape.keep), graph.size(), a.simulated * 1e3,
                 a.real * 1e3, (a.real / a.simulated - 1.0) * 100.0,
                 cost.per_operator() * static_cast<double>(a.chain) * 1e3, a.worst_start * 1e3, i);
      return;
    }
    complaints +=
        fmt::format(" repetition {}: {:.0f} us an operator\n{}", i, cost.per_operator() * 1e6, a.complaint);
  }
  FAIL_CHECK(what << ", " << shape.slots << " x " << shape.threads_each << ", keeps " << name(shape.keep)
                  << ": no repetition agrees\n"
                  << complaints);
}

void compare_all_keeps(std::string_view what, const graphs::Graph& graph, int slots, int threads_each) {
  SleepingPool pool(slots, threads_each);
  for (const sim::Keep keep : kKeeps) {
    compare_with_pool(what, graph, pool, {slots, threads_each, keep});
  }
}

TEST_CASE(
    "a pool of sleeping operators takes up operators in the simulated order and at the simulated time") {
  fmt::print("{:<16} {:>8} {:<5} {:>9} {:>10} {:>8} {:>9} {:>8} {:>8} {:>5}\n", "graph", "threads", "keep",
             "operators", "forecast", "real ms", "error", "cost ms", "start ms", "tries");
  compare_all_keeps("wide", wide(40), 24, 1);
  compare_all_keeps("binary tree", binary_tree(32), 24, 1);
  compare_all_keeps("chains joining", chains_joining(30, 3), 24, 1);
  compare_all_keeps("random", random_dag(80, 30, 1), 24, 1);
  compare_all_keeps("random", random_dag(160, 150, 2), 96, 1);
}

TEST_CASE("pools with a team of threads each run operators as long as the slowest of the team") {
  compare_all_keeps("inception-like", inception_like(3), 3, 8);
  compare_all_keeps("random", random_dag(40, 12, 3), 4, 6);
  compare_all_keeps("chains joining", chains_joining(6, 3), 4, 12);
  compare_all_keeps("binary tree", binary_tree(16), 8, 12);
  compare_all_keeps("random", random_dag(40, 12, 4), 4, 24);
}

// Mean distance of the operators' starts.
double distance(const std::vector<RealRun>& real, const sim::Timeline& timeline) {
  double sum = 0.0;
  for (const sim::Run& run : timeline.runs) {
    sum += std::abs(real[run.op.value()].start - sim::to_seconds(run.start).value());
  }
  return sum / static_cast<double>(real.size());
}

TEST_CASE("of the four rules the simulation with the pool's own is nearest to what the pool did") {
  SleepingPool pool(4, 6);
  const graphs::Graph graph = random_dag(60, 12, kTelling);
  for (const sim::Keep keep : kKeeps) {
    const std::vector<double> lengths = lengths_for(graph, {4, 6, keep});
    std::vector<sim::Timeline> timelines;
    for (const sim::Keep simulated : kKeeps) {
      timelines.push_back(sim::simulate(graph, plan_for({4, 6, simulated}, lengths)));
    }
    const auto own = static_cast<std::size_t>(keep);
    std::array<double, kKeeps.size()> off{};
    bool nearest = false;
    for (int i = 0; i < kRepetitions && !nearest; ++i) {
      const std::vector<RealRun> real = pool.run(graph, uneven_parts(lengths, 6, 7), keep);
      nearest = true;
      for (std::size_t k = 0; k < off.size(); ++k) off[k] = distance(real, timelines[k]);
      for (std::size_t k = 0; k < off.size(); ++k) nearest = nearest && (k == own || off[k] > 2.0 * off[own]);
    }
    fmt::print("keeps {:<5}  starts off by", name(keep));
    for (std::size_t k = 0; k < off.size(); ++k)
      fmt::print(" {:>6.2f} ms ({})", off[k] * 1e3, name(kKeeps[k]));
    fmt::print("\n");
    CHECK_MESSAGE(nearest, "the pool keeps ", name(keep));
  }
}

}  // namespace
}  // namespace corecast::test
