// Sleeping operators on Eigen's thread pool, as TensorFlow has it for inter-op: no common queue. A thread pushes what it
// made ready in front of its own queue and takes from that front, so the newest first; a thread without work takes from the
// back of another's. onnxruntime's pool is derived from it.
#pragma once

#include <vector>

#include "tests/sim/real_pools/sleeping_pool.hpp"

namespace corecast::test {

// Runs the graph once on `threads` threads; a thread goes on with the last successor that it made ready. Roots are scheduled
// from outside, in index order, so onto random queues.
[[nodiscard]] std::vector<RealRun> run_on_eigen(const graphs::Graph& graph,
                                                const std::vector<double>& lengths, int threads);

}  // namespace corecast::test
