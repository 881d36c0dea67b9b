// Time measured, on the clock that never steps.
#pragma once

#include <chrono>

#include "base/quantity.hpp"

namespace corecast::calibration::microbench {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline Seconds between(Clock::time_point start, Clock::time_point end) {
  return Seconds(std::chrono::duration<double>(end - start).count());
}
[[nodiscard]] inline Seconds since(Clock::time_point start) {
  return between(start, Clock::now());
}

}  // namespace corecast::calibration::microbench
