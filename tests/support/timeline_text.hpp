// Timelines as text, for golden files: one line a run, all dates in ps.
//
//   0..13000000 slot 0 conv, 4 threads, ready 0: dispatch 0..1000000, parallel 1000000..13000000; compute
//   makespan 13000000, 3 events; compute 0.5, memory 0.25, overhead 0.1, wait 0.1, idle 0.05
#pragma once

#include <string>

#include "graphs/graph.hpp"
#include "sim/timeline.hpp"

namespace corecast::test {

[[nodiscard]] std::string text_of(const sim::Timeline& timeline, const graphs::Graph& graph);

}  // namespace corecast::test
