// From rows to groups of measured settings with their forecasts. Internal to evidence.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/evidence/evidence.hpp"
#include "calibration/evidence/forecaster.hpp"

namespace corecast::evidence {

using ReasonCounts = std::map<std::string, std::int64_t>;

// Groups by key, points by setting; each point with its forecast. What cannot be forecast is counted in `skipped`.
[[nodiscard]] std::vector<Group> groups_of(const Request& request, Forecaster& forecaster,
                                           ReasonCounts& skipped);

}  // namespace corecast::evidence
