// A model as a builder wrote it: every operator with its tensors, beside the graph of its work. What an export needs
// and a graph forgets: shapes of all inputs, attributes, weights.
#pragma once

#include <vector>

#include "graphs/graph.hpp"
#include "graphs/work_rules.hpp"

namespace corecast::graphs {

struct WrittenModel {
  Graph graph;
  // In the order of the graph's operators; nodes[i] belongs to operator i. Tensors are known by their names; a weight
  // (`constant`) has a name of its own in each node that reads it. A Reshape has no second input: its shape is that of
  // its output.
  std::vector<NodeView> nodes;
  std::vector<TensorView> inputs;   // in the order of the calls of Builder::input
  std::vector<TensorView> outputs;  // results that no node reads, in the order of the nodes
};

}  // namespace corecast::graphs
