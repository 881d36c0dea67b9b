// The rules people go by, as settings of the runtime at hand. Sources in baselines.cpp and in sim/README.md.
#pragma once

#include <string>
#include <vector>

#include "graphs/metrics.hpp"
#include "sim/search.hpp"

namespace corecast::sim {

// Without forecasts: name, title, source, setting, note. Order: framework default, all logical CPUs, all
// physical cores, one thread, Intel for TensorFlow, TensorFlow's guide, TensorFlow's default, the study's
// guideline, OpenVINO's hint.
[[nodiscard]] std::vector<Baseline> baseline_rules(const graphs::Graph& graph, const graphs::Metrics& metrics,
                                                   const Target& target, const Runtime& runtime,
                                                   Objective objective);

}  // namespace corecast::sim
