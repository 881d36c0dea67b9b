// The figures of one group, and of many. Internal to evidence.cpp.
#pragma once

#include <vector>

#include "calibration/evidence/evidence.hpp"

namespace corecast::evidence {

// Fills errors, correlations and noise from the group's points.
void fill_figures(Group& group);
[[nodiscard]] Noise noise_of(const std::vector<Point>& points);
[[nodiscard]] Summary summary_of(const std::vector<const Group*>& groups);
[[nodiscard]] std::vector<BetweenSources> between_sources(const std::vector<Group>& groups);

}  // namespace corecast::evidence
