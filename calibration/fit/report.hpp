// What a finished fit says about itself: a status for every value of the machine, and residuals by row and
// group.
#pragma once

#include "calibration/fit/calibration.hpp"

namespace corecast::calibration {

// Sorts the parameters as the machine's values stand, and adds those that no stage touched, each with the
// reason.
void complete_parameters(const Measurements& measurements, Calibration& calibration);
// Of the rows among `indices` that a closed form covers.
[[nodiscard]] std::vector<Residual> residuals_of(const Calibration& calibration, const std::vector<Row>& rows,
                                                 const std::vector<std::size_t>& indices);
[[nodiscard]] std::vector<ResidualGroup> groups_of(const std::vector<Residual>& residuals);  // by name

// Residuals, their groups, and warnings of what fits badly or lies at the border of what is believed.
void add_residuals(const Measurements& measurements, Calibration& calibration);

}  // namespace corecast::calibration
