// "Measured once": forecasts scaled to one measurement of each group. Internal to evidence.cpp.
#pragma once

#include <string>
#include <vector>

#include "calibration/evidence/evidence.hpp"

namespace corecast::evidence {

// Scales the points of each group by measured / forecast at its anchor (the first point that fits, in the order of
// settings); with Anchor::batch, at that of the group of this batch that is alike otherwise. Groups without one are taken out and
// returned.
[[nodiscard]] std::vector<Group> anchor_groups(std::vector<Group>& groups, const Anchor& anchor);

[[nodiscard]] std::string text_of(const Anchor& anchor);  // "intra_op=1,batch=8"

}  // namespace corecast::evidence
