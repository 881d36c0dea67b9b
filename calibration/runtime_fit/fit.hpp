// Fits a runtime's numbers to what the framework took for the suite.
//
// In this order, each with all that came before it, twice (a case holds operators of other entries too):
//   costs       run, run_per_input, dispatch from one thread; fork from the others
//   entries     every kernel class and every operator with an entry of its own: efficiency, memory_efficiency, the
//               halves of products, smoothing with eight shapes or more, dispatch where a case is nearly nothing else
//   apart       operator types that miss the fit of their class by more than 12 % get an entry of their own, where that
//               explains the cases better by three standard deviations
//   cutting     the sizes from which operators are cut, over factors of two: steps, so they are scanned; one is changed
//               when that explains the cases on several threads better by three standard deviations
//
// What the cases do not determine stays as it is in `prior`, and says why. How well it does: hold_out() leaves every third
// shape of each entry out of the whole procedure and forecasts it, with the result and with `prior`.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/runtime_fit/fitted_number.hpp"
#include "calibration/runtime_fit/samples.hpp"

namespace corecast::runtime_fit {

// Absolute error of a forecast over the measurement, |f / m - 1|.
struct ErrorSummary {
  int samples = 0;
  double median = 0.0, p90 = 0.0, worst = 0.0;
  double bias = 0.0;  // median of f / m - 1
  friend bool operator==(const ErrorSummary&, const ErrorSummary&) = default;
};

struct CaseResult {
  std::string name, entry;
  int threads = 1;
  double measured = 0.0, forecast = 0.0;  // s
  double spread = 0.0;
};

struct EntryResult {
  std::string entry;
  int cases = 0;
  ErrorSummary error;
  double rms = 0.0;  // of ln(forecast / measured)
};

struct RuntimeFit {
  sim::Runtime runtime;
  std::vector<FittedNumber> numbers;
  std::vector<EntryResult> entries;
  std::vector<CaseResult> cases;
  std::vector<std::string> warnings;
};

// `tell`: what is being fitted, and the share of the work that is done; may be empty.
using Tell = std::function<void(std::string_view what, double done)>;

[[nodiscard]] RuntimeFit fit(const hwmodels::Machine& machine, const sim::Runtime& prior,
                             const std::vector<Sample>& samples, const Tell& tell = {});

struct HoldOutEntry {
  std::string entry;
  int cases = 0;  // held
  ErrorSummary before, after;
};

struct HoldOut {
  std::vector<HoldOutEntry> entries;
  ErrorSummary before, after;  // of all held samples
};

[[nodiscard]] HoldOut hold_out(const hwmodels::Machine& machine, const sim::Runtime& prior,
                               const std::vector<Sample>& samples, const Tell& tell = {});

[[nodiscard]] ErrorSummary summary_of(const std::vector<double>& log_ratios);

}  // namespace corecast::runtime_fit
