// Search: all settings that make sense for the machine and the runtime, ranked by simulation.
//
// The space and which part of it is looked at: search_space.hpp. In short: all of it up to 16384 settings (128 cores
// with two hardware threads each and a model of usual width); of a larger one counts on a grid first, then all counts
// between the grid's around the best ones, until nothing
// better turns up. Settings that the runtime runs alike are merged. Settings that cannot be had are left out: more
// threads than can be created, or more instances than memory holds (memory_need.hpp). Of the others a lower bound is
// made (critical path, work / capacity, draw / capacity); they are simulated in the order of their bounds, and a
// setting whose bound exceeds the K-th best so far is pruned. What is returned is the optimum of the model over the
// settings that were looked at; equal times are broken by fewer threads, then by the order of the space. Does not
// depend on the number of jobs.
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
  std::int64_t space = 0;           // settings that there are
  std::int64_t covered = 0;         // of these, looked at: merged + infeasible + pruned + simulated
  std::int64_t merged = 0;
  std::int64_t infeasible = 0;  // too many threads, or too little memory
  std::int64_t pruned = 0;
  std::int64_t simulated = 0;
  std::vector<Message> warnings;
  std::vector<Message> advice;
};

// `graph` is the model as imported (for the width that the study's rule wants), `prepared` what the runtime
// runs. Throws NoFeasibleSetting when not even one thread is allowed, or memory does not hold one instance.
[[nodiscard]] SearchResult search(const graphs::Graph& graph, const graphs::Graph& prepared,
                                  const Target& target, const Runtime& runtime, const SearchOptions& options);

// All settings of the space, in its order, however large: for comparison with what a search looks at.
[[nodiscard]] std::vector<Setting> search_space(const graphs::Metrics& metrics, const Target& target,
                                                const Runtime& runtime, Objective objective,
                                                std::int64_t batch);

}  // namespace corecast::sim
