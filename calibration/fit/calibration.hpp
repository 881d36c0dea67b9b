// Fits a Machine to Measurements with Ceres. The closed forms are those of hwmodels/kernel_time.hpp that the simulator
// calls. Reads nothing but the measurements; the same input gives the same bytes.
//
//   minimise  sum over rows i of  rho( (ln f_i(p) - ln y_i) / sigma_i )      within bounds of p
//   sigma_i = hypot(floor, relative spread of the row's median);  rho: a robust loss
//
// y_i median of the row's samples, f_i closed form, p parameters (fitted as logarithms where they are positive, so that
// standard errors are relative). Standard errors: Ceres' covariance times the residual variance RSS / (N - P).
#pragma once

#include <string>
#include <vector>

#include "calibration/measurements.hpp"
#include "hwmodels/machine.hpp"

namespace corecast::calibration {

enum class Status {
  fitted,
  at_bound,        // the best value lies on the border of what is believed: treat as not identified
  not_identified,  // rows there are do not determine it: stays at its prior
  not_measured,    // no row shows it: stays at its prior
};
[[nodiscard]] std::string_view name_of(Status status);

struct Parameter {
  // Of the machine's JSON: "memory.core_bandwidth", "clock.avx512.2"; or "kernels.LIBRARY.CLASS.TYPE.m_half", or
  // "bandwidth_factor.KERNEL", "fork_factor.LIBRARY.CLASS.TYPE" (no values of the machine).
  std::string path;
  std::string unit;  // "B/s", "s", "Hz", "" for ratios
  double value = 0.0;
  double relative_error = 0.0;
  double prior = 0.0;
  Status status = Status::not_measured;
  std::string why;   // of any status but fitted
  int rows = 0;      // that determine it
  bool odd = false;  // at a bound that no machine is known to reach: something is wrong
};

struct Correlation {
  std::string first, second;
  double value = 0.0;  // beyond +-0.95
};

struct Residual {
  std::size_t row = 0;    // index into Measurements::rows
  std::string group;      // reporting group: "bandwidth memory read", "kernels gemm", ...
  double measured = 0.0;  // in the row's unit
  double modelled = 0.0;
  double relative = 0.0;  // modelled / measured - 1
};

struct ResidualGroup {
  std::string name;
  int rows = 0;
  double median = 0.0, p95 = 0.0, worst = 0.0;  // of |relative|
};

struct FitOptions {
  double noise_floor = 0.01;  // sigma of a row at least
  int max_iterations = 200;
};

struct Calibration {
  hwmodels::Machine
      machine;  // fitted values Origin::fitted (measured where a row says it directly), others as they were
  std::vector<Parameter>
      parameters;  // sorted as fitted: clocks, peaks, caches, memory, link, threads, kernels
  std::vector<Correlation> correlations;
  std::vector<Residual> residuals;  // by row
  std::vector<ResidualGroup> groups;
  std::vector<std::string> warnings;  // what looks wrong, in sentences
  bool converged = true;
  std::string failure;  // why not
};

[[nodiscard]] Calibration fit(const Measurements& measurements, const FitOptions& options = {});

// What the fitted machine says a row should have measured, in the row's unit; nothing when no closed form covers it.
// The leave-out test and the report use this; the fit's own residuals agree with it.
[[nodiscard]] std::optional<double> predicted(const hwmodels::Machine& machine, const Row& row);
// The same with what was fitted besides the machine, which has no place for it: bandwidth_factor.KERNEL of copy, triad
// and so on, fork_factor.LIBRARY... of kernels on several threads. Without a calibration the usual ones stand in; for
// all other rows the two agree. The fit's residuals are this one's.
[[nodiscard]] std::optional<double> predicted(const Calibration& calibration, const Row& row);

}  // namespace corecast::calibration
