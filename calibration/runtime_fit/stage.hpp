// One step of the fit: some numbers of the runtime against the samples that tell about them, the rest as it is.
//
//   minimise  sum rho( ln(forecast / measured) / s ),   s = hypot(model, spread)
//
// rho, bounds, standard errors and what is held at its prior: calibration/fit/least_squares.hpp. `model` = 5 %: no
// closed form of an operator is better than that, so that a few quiet cases do not outweigh all others. Derivatives are
// differences: the forecast is the simulation's own code, whose steps (cuts) are no matter of these numbers.
//
// The sum has several minima where one of two roofs explains the same cases (Add + LayerNormalization: a slow kernel
// or a slow memory). So the solver starts from the two best points of a grid over both efficiencies and from the prior,
// and the least sum wins.
#pragma once

#include <string>
#include <vector>

#include "calibration/runtime_fit/fitted_number.hpp"
#include "calibration/runtime_fit/forecaster.hpp"
#include "calibration/runtime_fit/knob.hpp"

namespace corecast::runtime_fit {

struct StageResult {
  std::vector<FittedNumber> numbers;
  double cost = 0.0;  // the sum above at the result
  bool converged = true;
  std::string message;
};

// Leaves the values found in forecaster.runtime(); where nothing converges, those that were there.
[[nodiscard]] StageResult fit_stage(Forecaster& forecaster, std::vector<Knob> knobs,
                                    const std::vector<const Sample*>& samples, bool several_starts);

// The sum above with the runtime as it is.
[[nodiscard]] double cost_of(const Forecaster& forecaster, const std::vector<const Sample*>& samples);
// ln(forecast / measured)
[[nodiscard]] double log_ratio(const Forecaster& forecaster, const Sample& sample);

}  // namespace corecast::runtime_fit
