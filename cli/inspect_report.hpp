// What `inspect` found, and its two views.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs.hpp"
#include "graphs/metrics.hpp"

namespace corecast::cli {

struct InspectReport {
  ModelInput model;
  graphs::Metrics metrics;
  std::vector<OpIndex> top;             // most flop first, then most bytes
  std::vector<OpIndex> not_understood;  // in the graph's order
};

[[nodiscard]] std::string text_of(const InspectReport& report, int width);
[[nodiscard]] std::string json_of(const InspectReport& report);

}  // namespace corecast::cli
