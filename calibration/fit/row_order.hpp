// An order of rows by what they say, so that a fit does not depend on the order in which a file lists them (sums of
// floating-point numbers do).
#pragma once

#include <vector>

#include "calibration/measurements.hpp"

namespace corecast::calibration {

// Indices into `rows`; equal rows keep the order of their indices. Samples must be numbers.
[[nodiscard]] std::vector<std::size_t> order_by_content(const std::vector<Row>& rows);

}  // namespace corecast::calibration
