#include "calibration/fit/warnings.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"

namespace corecast::calibration {
namespace {

constexpr double kNoisy = 0.05;      // standard error of a median
constexpr double kNoisyShare = 0.1;  // of a group's rows
constexpr double kClockMoved = 0.03;
constexpr double kBusy = 0.25;  // load average over granted CPUs, before anything of ours ran
constexpr double kStealSeconds = 0.5;

void warn_of_spread(const std::vector<Row>& rows, std::vector<std::string>& warnings) {
  struct Count {
    int rows = 0, noisy = 0;
  };
  std::map<Group, Count> counts;
  for (const Row& row : rows) {
    if (row.samples.empty()) continue;
    Count& count = counts[row.group];
    ++count.rows;
    if (relative_spread(row.samples) > kNoisy) ++count.noisy;
  }
  for (const auto& [group, count] : counts) {
    if (count.noisy <= kNoisyShare * count.rows) continue;
    warnings.push_back(fmt::format("{}: {} of {} rows have a median that is uncertain by more than {:.0f} %",
                                   name_of(group), count.noisy, count.rows, 100.0 * kNoisy));
  }
}

}  // namespace

std::vector<std::string> measurement_warnings(const Measurements& measurements) {
  const Context& context = measurements.context;
  std::vector<std::string> warnings = context.warnings;
  warn_of_spread(measurements.rows, warnings);
  if (context.clock_before && context.clock_after && context.clock_before->value() > 0.0) {
    const double change = *context.clock_after / *context.clock_before - 1.0;
    if (std::abs(change) > kClockMoved) {
      warnings.push_back(fmt::format("the clock moved by {:+.1f} % while it was measured", 100.0 * change));
    }
  }
  if (context.throttled_periods.value_or(0) > 0) {
    warnings.push_back(fmt::format("the CPU quota throttled the run in {} periods: times are too long",
                                   *context.throttled_periods));
  }
  if (context.steal_seconds.value_or(0.0) > kStealSeconds) {
    warnings.push_back(
        fmt::format("the hypervisor gave {:.1f} s of CPU time to others", *context.steal_seconds));
  }
  const double cpus = std::max<double>(1.0, static_cast<double>(context.granted_cpus.size()));
  if (context.load_before.value_or(0.0) > kBusy * cpus) {
    warnings.push_back(fmt::format("others were running: load average {:.1f} on {:.0f} CPUs before the start",
                                   *context.load_before, cpus));
  }
  return warnings;
}

}  // namespace corecast::calibration
