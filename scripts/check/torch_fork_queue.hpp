// What PyTorch's inter-op pool does with a graph that forks every operator, as its sources say (1.13):
//
//   c10/core/thread_pool.cpp             one queue, first in, first out, for all threads of the pool
//   torch/csrc/jit/runtime/interpreter   fork queues the function; wait on a result that is not there yet gives the thread
//                                        back and queues the rest of the function when the result comes, behind what is
//                                        queued then; the thread that made the result does not go on with it
//
// So an operator stands in the queue from when it was forked, not from when it is ready, and again after every wait that
// found nothing: simulate() knows no such places in the queue.
#pragma once

#include <vector>

#include "graphs/graph.hpp"

namespace corecast::check {

// Start of each operator, by OpIndex, when they are forked in the graph's topological order at date 0 and wait for their predecessors in
// ascending order. No cost beside the operators' lengths.
[[nodiscard]] std::vector<double> fork_queue_starts(const graphs::Graph& graph,
                                                    const std::vector<double>& lengths, int threads);

}  // namespace corecast::check
