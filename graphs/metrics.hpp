// Shape of a graph: levels, width, critical path.
//
//   depth(v)       = [v counts] + max over predecessors of depth, 0 where there are none
//   levels         = largest depth when all operators count but those of class `shape`
//   heavy_levels   = largest depth when heavy operators count: those on the longest path of heavy operators
//   average_width  = heavy / heavy_levels, not rounded, at least 1            (the study's definition)
//   max_width      = largest set of heavy operators and their gradients of which none waits for another, at least 1
//   critical_path  = path of most flop, of equal ones that of most traffic, of equal ones that of lower indices
//
// "Heavy" operators are the matrix products and convolutions, and embedding lookups where there are any:
// KernelClass gemm, conv*, recurrent, and gather that reads mostly constants (weight rows; not an index into
// activations). Gradients and updates of a training graph (training.hpp) are not heavy: the study sets its pools by the
// forward pass. They do run side by side, so max_width counts the gradients of the same classes. Source: Wang et al., ACM TACO 18(1) 9, 2020, section 8, and its public tuner, which counts
// operators named Conv or MatMul.
//
// Exact: all of it, up to kMostForExactWidth operators that max_width counts. max_width is then found by Dilworth's theorem
// (antichain.hpp). Above, max_width is the largest set of them of one depth, a lower bound, and
// max_width_exact is false.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "graphs/graph.hpp"

namespace corecast::graphs {

inline constexpr std::int64_t kMostForExactWidth = 3000;

[[nodiscard]] bool is_heavy(const Operator& op);
// By its type, "ConvGradData", "ConvGradWeights", "ReluGrad"; that of the first operator where several are fused.
[[nodiscard]] bool is_gradient(const Operator& op);

struct Metrics {
  std::int64_t operators = 0;  // all but class `shape`
  std::int64_t heavy = 0;
  std::int64_t levels = 0;
  std::int64_t heavy_levels = 0;
  double average_width = 1.0;
  std::int64_t max_width = 1;
  bool max_width_exact = true;
  std::vector<OpIndex> critical_path;  // from its first to its last operator, without class `shape`
  double critical_path_share = 0.0;    // its flop over all flop; 0 when there is none
  struct ByClass {
    std::int64_t count = 0;
    Flops flops{};
    Bytes traffic{};
    std::int64_t parameters = 0;
  };
  std::map<KernelClass, ByClass> by_class;  // classes that occur, `shape` too
};

// Throws InputError when the graph has a cycle. Time: operators + edges, and for max_width what antichain.hpp
// says.
[[nodiscard]] Metrics measure(const Graph& graph);

}  // namespace corecast::graphs
