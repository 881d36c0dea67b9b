// Operator fusion as a runtime's graph optimiser does it: which producer absorbs which consumer.
//
// A producer p absorbs a consumer c when a rule names both and c is the only user of p's result. With T the bytes
// that flow from p to c, the fused operator has
//
//   flop              p + c                     c's vanishes when the rule folds
//   activations_read  p + max(0, c - T)         the other addend of a residual stays
//   weights_read      p + c                     c's vanishes when the rule folds, as do c's parameters
//   written           max(0, p - T) + c
//   working set       max(p, c - T)
//   steps             max(p, c)                 p's when the rule folds, as is the serial share
//   serial share      mean of both, weighted by flop (by traffic where there is no flop)
//   output shape      c's
//   type              "p+c", e.g. "Conv+Add+Relu"
//   name, class, compute type, matrix, window, units    p's
//
// Where several producers could absorb c (a residual Add after two Convs) the one that comes last in topological
// order does. No fusion can create a cycle: c is all that follows p, so there is no second way from p to c.
// Leaves out: a result that is also an output of the model counts as used by its operators only; the bias that
// folding adds to a producer without one; whether shapes broadcast.
#pragma once

#include <string>
#include <vector>

#include "graphs/graph.hpp"

namespace corecast::graphs {

struct FusionRule {
  std::vector<std::string> into;  // operator types, e.g. {"Conv"}; a fused "Conv+Add" still counts as "Conv"
  std::vector<std::string> consumer;  // e.g. {"Relu", "Clip"}; only as long as it has absorbed nothing itself
  bool folds = false;  // c's work is done once, before the run: batch normalisation folded into weights
  friend bool operator==(const FusionRule&, const FusionRule&) = default;
};

// Removes operators of class `shape` (their consumers depend on their producers instead) and applies the
// rules, in order, until nothing changes. Work is conserved but for what the rules fold or no longer move.
//
// An edge past a removed operator carries the lesser of the bytes that went in and out of it; its parameters
// go to its first consumer. One stays when it has flop after all, or when it joins so many producers to so
// many consumers that the edges past it would outnumber its own by more than 64. Operators keep their order;
// time is that of sorting operators and edges, whatever the rules. Throws InputError when the graph has a
// cycle.
[[nodiscard]] Graph fuse(const Graph& graph, const std::vector<FusionRule>& rules);

}  // namespace corecast::graphs
