// Simulated makespans against Eigen's thread pool, which has no common queue (real_pools/eigen_pool.hpp): what it costs a
// forecast for TensorFlow to assume one.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "tests/sim/real_pools/eigen_pool.hpp"
#include "tests/sim/real_pools/schedule.hpp"
#include "tests/sim/real_pools/shapes.hpp"

namespace corecast::test {
namespace {

// Whatever the order, a pool that never lets a thread wait while an operator is ready takes no longer than
//   work / threads + (1 - 1 / threads) critical path      (Graham 1966, Bell System Technical Journal 45)
// and never less than the lower bound of any schedule. 0.2 ms an operator on the way for wake-ups and timers.
void compare_with_eigen(std::string_view what, const graphs::Graph& graph, int threads) {
  const PoolShape shape{threads, 1, sim::Keep::last};
  const std::vector<double> lengths = separate_lengths(graph, shape, {});
  const sim::Plan plan = plan_for(shape, lengths);
  const double simulated = sim::simulate(graph, plan).duration().value();
  const double least = sim::lower_bound(graph, plan).value();
  const double critical =
      sim::lower_bound(graph, plan_for({static_cast<int>(graph.size()), 1, shape.keep}, lengths)).value();
  const double work = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  const double most = work / threads + (1.0 - 1.0 / threads) * critical;
  std::vector<double> real;
  for (int i = 0; i < 5; ++i) {
    double last = 0.0;
    for (const RealRun& run : run_on_eigen(graph, lengths, threads)) last = std::max(last, run.end);
    real.push_back(last);
  }
  std::sort(real.begin(), real.end());
  fmt::print("{:<16} {:>7} {:>9} {:>12.2f} {:>8.2f} to {:>7.2f} {:>+8.1f} % {:>8.2f} to {:>7.2f}\n", what,
             threads, graph.size(), simulated * 1e3, real.front() * 1e3, real.back() * 1e3,
             (real[2] / simulated - 1.0) * 100.0, least * 1e3, most * 1e3);
  INFO(what, " on ", threads, " threads");
  CHECK(real.front() > least);
  CHECK(real.front() < 1.02 * most + 0.0002 * static_cast<double>(graph.size()) / 2.0);
}

TEST_CASE("Eigen's pool, without a common queue, keeps within the bounds of any greedy schedule") {
  fmt::print("{:<16} {:>7} {:>9} {:>12} {:>19} {:>10} {:>19}\n", "graph", "threads", "operators",
             "forecast ms", "real ms, 5 runs", "median", "bounds ms");
  for (const int threads : {4, 24}) {
    compare_with_eigen("wide", wide(40), threads);
    compare_with_eigen("binary tree", binary_tree(32), threads);
    compare_with_eigen("inception-like", inception_like(4), threads);
    compare_with_eigen("chains joining", chains_joining(12, 3), threads);
    compare_with_eigen("random", random_dag(60, 20, 1), threads);
    compare_with_eigen("random", random_dag(60, 40, 2), threads);
  }
}

}  // namespace
}  // namespace corecast::test
