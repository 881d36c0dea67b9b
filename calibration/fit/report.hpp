// What a finished fit says about itself: a status for every value of the machine, and residuals by row and
// group.
#pragma once

#include "calibration/fit/calibration.hpp"

namespace corecast::calibration {

// Sorts the parameters as the machine's values stand, and adds those that no stage touched, each with the
// reason.
void complete_parameters(const Measurements& measurements, Calibration& calibration);
// Nothing when no closed form covers the row.
[[nodiscard]] std::optional<Residual> residual_of(const Calibration& calibration, const Row& row,
                                                  std::size_t index);
[[nodiscard]] std::vector<ResidualGroup> groups_of(const std::vector<Residual>& residuals);  // by name

void add_residuals(const Measurements& measurements, Calibration& calibration);

}  // namespace corecast::calibration
