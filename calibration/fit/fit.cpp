#include <array>
#include <cmath>

#include "base/error.hpp"
#include "calibration/fit/cache_sizes.hpp"
#include "calibration/fit/calibration.hpp"
#include "calibration/fit/machine_values.hpp"
#include "calibration/fit/peaks.hpp"
#include "calibration/fit/report.hpp"
#include "calibration/fit/row_order.hpp"
#include "calibration/fit/stages.hpp"
#include "calibration/fit/warnings.hpp"

namespace corecast::calibration {
namespace {

constexpr std::array<std::string_view, 4> kStatusNames{"fitted", "at_bound", "not_identified",
                                                       "not_measured"};

// The measurements come through check(), but a caller may have made them: a fit of nonsense must not look
// like one.
void check_samples(const Measurements& measurements) {
  for (std::size_t i = 0; i < measurements.rows.size(); ++i) {
    for (const double sample : measurements.rows[i].samples) {
      if (std::isfinite(sample) && sample > 0.0) continue;
      throw InputError(fmt::format("rows[{}].samples", i),
                       fmt::format("is {}, must be finite and positive", sample));
    }
  }
}

// Limits that prepare_machine() added and no row showed.
void drop_unused(const hwmodels::Machine& before, hwmodels::Machine& machine) {
  for (std::size_t i = 0; i < machine.caches.size(); ++i) {
    auto& limit = machine.caches[i].bandwidth_per_instance;
    if (!before.caches[i].bandwidth_per_instance && limit && limit->origin == hwmodels::Origin::prior)
      limit.reset();
  }
}

Measurements sorted_by_content(const Measurements& given) {
  Measurements sorted{given.context, given.machine, {}};
  sorted.rows.reserve(given.rows.size());
  for (const std::size_t i : order_by_content(given.rows)) sorted.rows.push_back(given.rows[i]);
  return sorted;
}

}  // namespace

std::string_view name_of(Status status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}

Calibration fit(const Measurements& given, const FitOptions& options) {
  check_samples(given);
  const Measurements measurements = sorted_by_content(given);
  Calibration calibration;
  calibration.machine = measurements.machine;
  calibration.warnings = measurement_warnings(measurements);
  hwmodels::Machine& machine = calibration.machine;
  choose_peaks(measurements, calibration);
  choose_clock_points(measurements, calibration);
  check_cache_sizes(measurements, calibration);
  prepare_machine(measurements, machine);
  fit_stage(peak_stage(measurements), measurements, options, calibration);
  // Each from the machine that the stages before have fitted.
  fit_stage(cache_stage(measurements, machine), measurements, options, calibration);
  fit_stage(memory_stage(measurements, machine), measurements, options, calibration);
  fit_stage(stream_stage(measurements, machine), measurements, options, calibration);
  fit_stage(thread_stage(measurements), measurements, options, calibration);
  for (const Stage& stage : kernel_stages(measurements, machine)) {
    fit_stage(stage, measurements, options, calibration);
  }
  drop_unused(measurements.machine, machine);
  complete_parameters(measurements, calibration);
  add_residuals(given, calibration);
  if (calibration.residuals.empty()) {
    calibration.converged = false;
    calibration.failure = "no row that a closed form covers";
  }
  hwmodels::check(machine, "fitted machine");
  return calibration;
}

}  // namespace corecast::calibration
