// Statistics of plain numbers; those of rows stand in measurements.hpp.
#pragma once

#include <span>

namespace corecast::calibration {

// q(p) = x_i + (h - i) (x_{i+1} - x_i), h = p (n - 1), i = floor(h), of x_0 <= ... <= x_{n-1}: straight lines between
// the samples, 0 the least, 1 the largest (Hyndman and Fan, Am. Statistician 50(4), 1996, definition 7).
// `sorted` must not be empty, `share` must be in [0, 1].
[[nodiscard]] double quantile(std::span<const double> sorted, double share);

}  // namespace corecast::calibration
