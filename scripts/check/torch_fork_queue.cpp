#include "scripts/check/torch_fork_queue.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <queue>
#include <utility>

namespace corecast::check {

std::vector<double> fork_queue_starts(const graphs::Graph& graph, const std::vector<double>& lengths,
                                      int threads) {
  std::vector<std::vector<OpIndex>> predecessors;
  std::deque<std::size_t> queue;  // all are forked at once
  for (std::size_t op = 0; op < graph.size(); ++op) {
    predecessors.push_back(graph.predecessors(OpIndex(op)));
  }
  for (const OpIndex op : graph.topological_order()) queue.push_back(op.value());
  std::vector<std::size_t> waited(graph.size(), 0);               // predecessors that it has waited for
  std::vector<std::vector<std::size_t>> callbacks(graph.size());  // who waits for it, first come first
  std::vector<char> ended(graph.size(), 0);
  std::vector<double> starts(graph.size(), 0.0);
  using End = std::pair<double, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> running;
  double now = 0.0;
  for (;;) {
    while (!queue.empty() && running.size() < static_cast<std::size_t>(threads)) {
      const std::size_t op = queue.front();
      queue.pop_front();
      std::size_t& next = waited[op];
      while (next < predecessors[op].size() && ended[predecessors[op][next].value()] != 0) ++next;
      if (next < predecessors[op].size()) {
        callbacks[predecessors[op][next].value()].push_back(op);
        continue;
      }
      starts[op] = now;
      running.emplace(now + lengths[op], op);
    }
    if (running.empty()) return starts;
    const auto [end, op] = running.top();
    running.pop();
    now = end;
    ended[op] = 1;
    for (const std::size_t waiting : callbacks[op]) queue.push_back(waiting);
  }
}

}  // namespace corecast::check
