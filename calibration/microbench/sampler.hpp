// Repeats one benchmark until its median is known well enough or its time budget is gone.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/quantity.hpp"

namespace corecast::calibration::microbench {

struct SamplingOptions {
  double target = 0.01;  // relative_spread of measurements.hpp to stop at
  int least = 11;        // repetitions at least, the budget permitting (one always): fewer agree by chance
  int most = 200;
  Seconds budget{0.25};  // wall time of all repetitions, warm-up included
  Seconds repetition{
      0.005};  // what one repetition should last: long against the clock's resolution and a wake-up
};

struct Sampling {
  std::vector<double> seconds;  // of one operation, each repetition
  std::int64_t operations = 1;  // per repetition
  bool reached = false;         // the target; false: the budget ended first
};

// `run(operations)` does the work that many times and returns the wall time it took. The number of operations is
// doubled until one repetition lasts long enough; those runs are the warm-up and not kept.
[[nodiscard]] Sampling sample(const std::function<Seconds(std::int64_t operations)>& run,
                              const SamplingOptions& options);

}  // namespace corecast::calibration::microbench
