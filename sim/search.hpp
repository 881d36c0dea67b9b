// Search: all settings that make sense for the machine and the runtime, simulated and ranked.
//
// Space: instances 1..CPUs (throughput only; all of a size), intra_op 1..CPUs / instances; mode; in parallel
// mode inter_op up to the widest antichain of the graph plus the runtime's idle threads; placement compact or
// scattered over the sockets (one instance); threads on cores of their own first or packed on siblings. Never
// more computing threads than CPUs. Settings that the runtime runs alike are merged; a setting whose lower
// bound (critical path, work / capacity, draw / capacity) exceeds the K-th best so far is pruned. What is
// returned is the optimum of the model over the space; equal times are broken by fewer threads, then by the
// order of the space. Does not depend on the number of jobs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/graph.hpp"
#include "graphs/metrics.hpp"
#include "sim/forecast.hpp"

namespace corecast::sim {

enum class Objective { latency, throughput };
[[nodiscard]] std::string_view name_of(Objective objective);

struct SearchOptions {
  Objective objective = Objective::latency;
  int top = 5;
  int jobs = 0;  // threads of this search; 0 = all of this host
};

struct Candidate {
  Setting setting;
  Forecast forecast;
  double loss = 0.0;  // time per sample over the best, minus one
  std::string why;    // in words
};

// What a simple rule would give. A rule that this machine or runtime cannot express says so in `note`.
struct Baseline {
  std::string name;    // stable: "framework_default", "all_logical_cpus", ...
  std::string title;   // "Intel for TensorFlow: inter = sockets, intra = cores per socket"
  std::string source;  // the guide that states it
  Setting setting;     // translated to the runtime at hand
  Forecast forecast;
  double loss = 0.0;
  std::string note;
  bool feasible = true;  // false: it cannot run here (`note` says why), there is no forecast
};

struct SearchResult {
  Candidate best;
  std::vector<Candidate> ranking;   // the best first, at most `top`
  std::vector<Baseline> baselines;  // always all of them, in a fixed order
  std::int64_t covered = 0;         // settings of the space
  std::int64_t merged = 0;
  std::int64_t pruned = 0;
  std::int64_t simulated = 0;
  std::vector<Message> warnings;
  std::vector<Message> advice;
};

// `graph` is the model as imported (for the width that the study's rule wants), `prepared` what the runtime
// runs. Throws NoFeasibleSetting when not even one thread is allowed.
[[nodiscard]] SearchResult search(const graphs::Graph& graph, const graphs::Graph& prepared,
                                  const Target& target, const Runtime& runtime, const SearchOptions& options);

// The settings of the space, in a fixed order (exposed for tests and exhaustive comparison).
[[nodiscard]] std::vector<Setting> search_space(const graphs::Metrics& metrics, const Target& target,
                                                const Runtime& runtime, Objective objective,
                                                std::int64_t batch);

// The space without settings that the runtime runs alike, each as the runtime runs it; the first of its kind
// stays.
[[nodiscard]] std::vector<Setting> distinct_settings(const std::vector<Setting>& space, const Target& target,
                                                     const Runtime& runtime);

}  // namespace corecast::sim
