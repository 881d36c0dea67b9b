// What looks wrong about the measurements themselves: a noisy or throttled host, neighbours, a clock that
// moved.
#pragma once

#include <string>
#include <vector>

#include "calibration/measurements.hpp"

namespace corecast::calibration {

[[nodiscard]] std::vector<std::string> measurement_warnings(const Measurements& measurements);

}  // namespace corecast::calibration
