// The edges of a graph in two flat arrays, for loops that run often.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "graphs/graph.hpp"

namespace corecast::sim {

class Dependencies {
 public:
  explicit Dependencies(const graphs::Graph& graph);

  [[nodiscard]] std::size_t size() const { return predecessors_.size(); }
  [[nodiscard]] std::span<const std::size_t> successors(std::size_t op) const;  // ascending
  // Number of predecessors of each operator.
  [[nodiscard]] const std::vector<std::size_t>& predecessors() const { return predecessors_; }

 private:
  std::vector<std::size_t> begin_;  // of each operator's successors in targets_, and the end
  std::vector<std::size_t> targets_;
  std::vector<std::size_t> predecessors_;
};

}  // namespace corecast::sim
