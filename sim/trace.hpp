// Chrome trace JSON of a timeline: loads in Perfetto (ui.perfetto.dev) and chrome://tracing.
#pragma once

#include <string>

#include "graphs/graph.hpp"
#include "sim/timeline.hpp"

namespace corecast::sim {

struct TraceInfo {
  std::string model;
  std::string machine;
  std::string setting;
};

// One track per inter-op slot with an "X" event per operator and nested ones per phase, a counter of busy
// threads. Times in microseconds with picosecond digits. Same timeline, same bytes. Format: "Trace Event
// Format" (Google, 2016): events M (metadata), X (complete), C (counter). Leaves out: which worker threads
// ran an operator; the simulation does not know them.
[[nodiscard]] std::string chrome_trace(const Timeline& timeline, const graphs::Graph& graph, const Plan& plan,
                                       const TraceInfo& info);

}  // namespace corecast::sim
