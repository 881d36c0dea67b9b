// The runs in a trace: which events belong together. Internal to profile_of().
#pragma once

#include <cstddef>
#include <vector>

#include "calibration/profile/trace.hpp"

namespace corecast::calibration::profile {

// One run: its nodes, outermost ones only, by date.
struct Run {
  std::vector<const Event*> nodes;
  std::vector<int> nested;       // events inside each, beside it
  const Event* whole = nullptr;  // the event that encloses it, where there is one
};

[[nodiscard]] std::vector<Run> onnxruntime_runs(const Trace& trace);
[[nodiscard]] std::vector<Run> pytorch_runs(const Trace& trace, std::size_t heavy);

}  // namespace corecast::calibration::profile
