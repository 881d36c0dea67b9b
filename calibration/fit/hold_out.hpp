// How well a fit forecasts core counts it has not seen: half of each curve is held out of it.
#pragma once

#include <cstddef>
#include <set>

#include "calibration/fit/calibration.hpp"

namespace corecast::calibration {

// Rows to leave out of the fit: of each curve over cores (same kernel, level of memory, hardware threads per core,
// placement and shape) every second core count, beginning with the second. Curves of fewer than `least` core counts are
// kept whole, for what is left of them would be no curve.
[[nodiscard]] std::set<std::size_t> every_second_core_count(const Measurements& measurements,
                                                            std::size_t least = 4);

struct HoldOut {
  Calibration fit;                    // to the rows that are not held
  std::vector<Residual> residuals;    // of the held rows that a closed form covers
  std::vector<ResidualGroup> groups;  // of these
};

// Fits without the rows in `held` and forecasts them.
[[nodiscard]] HoldOut hold_out(const Measurements& measurements, const std::set<std::size_t>& held,
                               const FitOptions& options = {});

}  // namespace corecast::calibration
