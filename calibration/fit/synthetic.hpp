// Measurements as a known machine would give them, to check a fit against the truth.
#pragma once

#include <cstdint>

#include "calibration/measurements.hpp"
#include "hwmodels/machine.hpp"

namespace corecast::calibration {

struct SyntheticOptions {
  double noise = 0.03;        // of a row: standard deviation of its logarithm, common to its samples
  double repetition = 0.003;  // of a sample about its row
  int samples = 7;            // of a row
  std::uint64_t seed = 1;     // equal seeds, equal bytes, on any platform
  bool kernels = true;        // matrix products and elementwise passes of the libraries that `truth` lists
};

// The rows that the microbenchmarks take, each of them predicted(truth, row) times exp(noise z): clocks and
// multiply-adds over cores and hardware threads, bandwidth and latency over levels, cores and sockets,
// barriers, wake-ups and kernels. `known` is what the fit is told of the machine beforehand (topology and
// priors).
[[nodiscard]] Measurements synthetic_measurements(const hwmodels::Machine& truth,
                                                  const hwmodels::Machine& known,
                                                  const SyntheticOptions& options = {});

}  // namespace corecast::calibration
