// What the system says about itself, and how it changes while a suite runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "calibration/measurements.hpp"
#include "hwmodels/host.hpp"

namespace corecast::calibration::microbench {

// Counters and gauges at one moment.
struct Moment {
  std::optional<double> load;                     // load average over one minute
  std::optional<std::int64_t> throttled_periods;  // of the process's control group and its ancestors
  std::optional<double> steal_seconds;            // of all CPUs
  std::optional<double> busy_cpu_seconds;         // of all CPUs, everybody's, steal apart
  double own_cpu_seconds = 0.0;                   // of this process
  double wall_seconds = 0.0;                      // steady clock
  std::optional<Hertz> clock;                     // of one core, by the chain of additions
};
[[nodiscard]] Moment observe(const hwmodels::Host& host);

// From text of /proc/stat, first line: CPU time of all CPUs in ticks.
struct CpuTicks {
  double busy = 0.0;
  double steal = 0.0;
};
[[nodiscard]] std::optional<CpuTicks> parse_cpu_ticks(std::string_view proc_stat);
// nr_throttled of a cpu.stat file, both versions.
[[nodiscard]] std::optional<std::int64_t> parse_throttled(std::string_view cpu_stat);

// Everything that does not change while it runs: host, CPU, kernel, compiler, governor, SMT, huge pages, grant.
void describe_host(Context& context, const hwmodels::Host& host);

// What changed between two moments, and warnings where it makes the rows doubtful: clock moved by more than 3 %, the
// quota throttled, others used more than 0.2 CPUs, steal above 1 % of the time of the granted CPUs.
void compare(Context& context, const hwmodels::Host& host, const Moment& before, const Moment& after);

// A warning when more than a tenth of the rows have a spread above three times `target`.
void judge_spread(Context& context, const std::vector<Row>& rows, double target);

}  // namespace corecast::calibration::microbench
