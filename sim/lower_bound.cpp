#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "sim/dependencies.hpp"
#include "sim/simulator.hpp"

namespace corecast::sim {
namespace {

Seconds critical_path(const Dependencies& dependencies, const Plan& plan) {
  std::vector<std::size_t> pending = dependencies.predecessors();
  std::vector<Seconds> start(pending.size());
  std::vector<std::size_t> placed;  // in topological order
  placed.reserve(pending.size());
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (pending[i] == 0) placed.push_back(i);
  }
  Seconds longest{};
  for (std::size_t k = 0; k < placed.size(); ++k) {
    const std::size_t i = placed[k];
    const Seconds end = start[i] + plan.operators[i].alone();
    longest = std::max(longest, end);
    for (const std::size_t successor : dependencies.successors(i)) {
      start[successor] = std::max(start[successor], end);
      if (--pending[successor] == 0) placed.push_back(successor);
    }
  }
  CORECAST_CHECK(placed.size() == pending.size(), "the graph has a cycle: {} of {} placed", placed.size(),
                 pending.size());
  return longest;
}

}  // namespace

Seconds lower_bound(const graphs::Graph& graph, const Plan& plan) {
  Seconds alone{};
  // fork_join holds all its threads but needs one: with fewer than wanted it is no longer.
  Seconds thread_time{};
  std::vector<double> drawn(plan.resources.size(), 0.0);
  for (const OperatorPlan& op : plan.operators) {
    alone += op.alone();
    thread_time += op.dispatch + op.serial + op.fork_join + static_cast<double>(op.threads) * op.parallel;
    if (!(op.parallel > Seconds{})) continue;  // nothing is drawn in no time
    for (const Draw& draw : op.draws) drawn[draw.resource.value()] += draw.amount;
  }
  const double threads = static_cast<double>(plan.executor.slots) + plan.executor.shared_workers;
  Seconds bound = critical_path(Dependencies(graph), plan);
  bound = std::max(bound, alone / static_cast<double>(plan.executor.slots));
  bound = std::max(bound, thread_time / std::min({plan.cpus, plan.quota, threads}));
  for (std::size_t j = 0; j < drawn.size(); ++j) {
    bound = std::max(bound, Seconds(drawn[j] / plan.resources[j].capacity));
  }
  return bound;
}

}  // namespace corecast::sim
