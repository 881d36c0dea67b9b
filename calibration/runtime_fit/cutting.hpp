// Sizes from which operators are cut into parts for threads: constants of the framework's code, hence steps of the
// forecast, so they are scanned rather than solved for. Internal to runtime_fit.
#pragma once

#include <string>
#include <vector>

#include "calibration/runtime_fit/forecaster.hpp"
#include "calibration/runtime_fit/samples.hpp"

namespace corecast::runtime_fit {

struct CutResult {
  std::string name;  // as in the file: "gemm_multiplications_per_part"
  double value = 0.0, prior = 0.0;
  bool changed = false;
  std::string why;  // it was not
  int cases = 0;    // whose time depends on it within the scan
};

// Scans 1/8 to 8 times each value that the runtime's cuts use. Leaves what it finds in forecaster.runtime().
[[nodiscard]] std::vector<CutResult> fit_cutting(Forecaster& forecaster,
                                                 const std::vector<const Sample*>& many_threads,
                                                 double clearly_better);

}  // namespace corecast::runtime_fit
