#include "calibration/fit/hold_out.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "calibration/fit/levels.hpp"
#include "calibration/fit/report.hpp"

namespace corecast::calibration {
namespace {

// Equal for rows that differ in the number of cores only.
std::string curve_of(const hwmodels::Machine& machine, const Row& row) {
  std::string key = fmt::format("{} {} {} {} {}", name_of(row.group), row.kernel, row.library,
                                row.threads_per_core, name_of(row.placement));
  if (row.type) key += fmt::format(" type {}", corecast::name_of(*row.type));
  if (row.extension) key += fmt::format(" extension {}", hwmodels::name_of(*row.extension));
  for (const auto& [name, value] : row.shape) key += fmt::format(" {} {}", name, value);
  if (row.working_set > Bytes(0.0)) {
    key += fmt::format(" level {}", level_holding(machine, layout_of(machine, row), row.working_set));
  }
  return key;
}

}  // namespace

std::set<std::size_t> every_second_core_count(const Measurements& measurements, std::size_t least) {
  std::map<std::string, std::map<int, std::vector<std::size_t>>> curves;
  for (std::size_t i = 0; i < measurements.rows.size(); ++i) {
    const Row& row = measurements.rows[i];
    curves[curve_of(measurements.machine, row)][row.cores].push_back(i);
  }
  std::set<std::size_t> held;
  for (const auto& [key, by_cores] : curves) {
    if (by_cores.size() < least) continue;
    bool hold = false;
    for (const auto& [cores, rows] : by_cores) {
      if (hold) held.insert(rows.begin(), rows.end());
      hold = !hold;
    }
  }
  return held;
}

HoldOut hold_out(const Measurements& measurements, const std::set<std::size_t>& held,
                 const FitOptions& options) {
  Measurements kept = measurements;
  kept.rows.clear();
  for (std::size_t i = 0; i < measurements.rows.size(); ++i) {
    if (held.count(i) == 0) kept.rows.push_back(measurements.rows[i]);
  }
  HoldOut result;
  result.fit = fit(kept, options);
  result.residuals = residuals_of(result.fit, measurements.rows, {held.begin(), held.end()});
  result.groups = groups_of(result.residuals);
  return result;
}

}  // namespace corecast::calibration
