// Multiply-adds as papers count them: convolutions, products and recurrent layers.
#pragma once

#include "graphs/graph.hpp"
#include "graphs/metrics.hpp"

namespace corecast::test {

inline double multiply_adds(const graphs::Graph& graph) {
  double sum = 0.0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graphs::is_heavy(graph.op(OpIndex(i)))) sum += graph.op(OpIndex(i)).work.flops.value() / 2.0;
  }
  return sum;
}

}  // namespace corecast::test
