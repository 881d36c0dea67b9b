#include "sim/dependencies.hpp"

#include "graphs/topology.hpp"

#include <algorithm>

namespace corecast::sim {

Dependencies::Dependencies(const graphs::Graph& graph) : predecessors_(graph.size(), 0) {
  const auto& edges = graph.topology().graph;
  begin_.reserve(graph.size() + 1);
  targets_.reserve(boost::num_edges(edges));
  begin_.push_back(0);
  for (std::size_t from = 0; from < graph.size(); ++from) {
    const auto [first, last] = boost::out_edges(from, edges);
    for (auto edge = first; edge != last; ++edge) {
      targets_.push_back(boost::target(*edge, edges));
      ++predecessors_[targets_.back()];
    }
    std::sort(targets_.begin() + static_cast<std::ptrdiff_t>(begin_.back()), targets_.end());
    begin_.push_back(targets_.size());
  }
}

std::span<const std::size_t> Dependencies::successors(std::size_t op) const {
  return {targets_.data() + begin_[op], begin_[op + 1] - begin_[op]};
}

}  // namespace corecast::sim
