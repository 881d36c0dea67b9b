#include "calibration/fit/report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "calibration/fit/machine_values.hpp"
#include "calibration/fit/prediction.hpp"
#include "calibration/fit/row_model.hpp"
#include "calibration/statistics.hpp"

namespace corecast::calibration {
namespace {

using hwmodels::Machine;

constexpr double kFarOff = 0.2;

bool mentions(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

// The group of rows that shows a value.
std::string_view group_of(const std::string& path) {
  if (path.starts_with("clock.") || path == "smt_gain.compute") return "peak";
  if (path.ends_with("latency")) return "latency";
  if (path.starts_with("threads.")) return "threads";
  if (path.starts_with("kernels.")) return "kernels";
  return "bandwidth";
}

std::string why_not_measured(const Measurements& measurements, const std::string& path) {
  const Machine& machine = measurements.machine;
  if (path.starts_with("link.") && machine.sockets < 2) return "one socket";
  if (path.starts_with("smt_gain.") && machine.groups.front().smt < 2) return "no SMT";
  if (path.starts_with("peak.") || path.ends_with(".size") || path.ends_with(".capacity")) {
    return "a design number, not fitted";
  }
  const std::string_view group = group_of(path);
  for (const std::string& reason : measurements.context.not_measured) {
    if (mentions(reason, group)) return reason;
  }
  const bool any = std::any_of(measurements.rows.begin(), measurements.rows.end(),
                               [&](const Row& row) { return name_of(row.group) == group; });
  return any ? "no row shows it" : fmt::format("no rows of group {} in the measurements", group);
}

Parameter untouched(const MachineValue& value, const Measurements& measurements) {
  Parameter parameter{value.path,  value.unit,           value.value, value.relative_error,
                      value.value, Status::not_measured, "",          0};
  // Chosen, not fitted: a flop count or a cache size that the rows contradicted.
  if (value.origin == hwmodels::Origin::measured &&
      (value.path.starts_with("peak.") || value.path.ends_with(".size"))) {
    parameter.status = Status::fitted;
    parameter.why = value.from;
    return parameter;
  }
  parameter.why = why_not_measured(measurements, value.path);
  return parameter;
}

}  // namespace

void complete_parameters(const Measurements& measurements, Calibration& calibration) {
  std::map<std::string, Parameter> known;
  for (const Parameter& parameter : calibration.parameters) known[parameter.path] = parameter;
  const MachineIndex before(measurements.machine);
  std::vector<Parameter> all;
  std::size_t after_memory = 0;
  for (const MachineValue& value : values_of(calibration.machine)) {
    const auto found = known.find(value.path);
    Parameter parameter = found == known.end() ? untouched(value, measurements) : found->second;
    // A clock point that is new has the interpolated clock as its prior.
    if (const MachineValue* prior = before.find(value.path)) parameter.prior = prior->value;
    all.push_back(std::move(parameter));
    if (value.path.starts_with("memory.")) after_memory = all.size();
  }
  std::vector<Parameter> factors;
  for (const auto& [path, parameter] : known) {
    if (is_factor(path)) (path.starts_with("bandwidth_factor.") ? factors : all).push_back(parameter);
  }
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(after_memory), factors.begin(), factors.end());
  if (!calibration.machine.link) {
    for (const char* path : {"link.bandwidth", "link.latency"}) {
      all.push_back({path, path == std::string("link.latency") ? "s" : "B/s", 0.0, 0.0, 0.0,
                     Status::not_measured, "one socket", 0});
    }
  }
  calibration.parameters = std::move(all);
}

std::vector<Residual> residuals_of(const Calibration& calibration, const std::vector<Row>& rows,
                                   const std::vector<std::size_t>& indices) {
  const Prediction prediction(calibration);
  std::vector<Residual> residuals;
  for (const std::size_t i : indices) {
    const auto modelled = rows[i].samples.empty() ? std::nullopt : prediction.of(rows[i]);
    if (!modelled) continue;
    const double measured = median(rows[i].samples);
    residuals.push_back({i, modelled->group, measured, modelled->value, modelled->value / measured - 1.0});
  }
  return residuals;
}

std::vector<ResidualGroup> groups_of(const std::vector<Residual>& residuals) {
  std::map<std::string, std::vector<double>> sizes;
  for (const Residual& residual : residuals) sizes[residual.group].push_back(std::abs(residual.relative));
  std::vector<ResidualGroup> groups;
  for (auto& [name, values] : sizes) {
    std::sort(values.begin(), values.end());
    groups.push_back({name, static_cast<int>(values.size()), quantile(values, 0.5), quantile(values, 0.95),
                      values.back()});
  }
  return groups;
}

void add_residuals(const Measurements& measurements, Calibration& calibration) {
  std::vector<std::size_t> all(measurements.rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  calibration.residuals = residuals_of(calibration, measurements.rows, all);
  calibration.groups = groups_of(calibration.residuals);
  std::string far_off;
  for (const ResidualGroup& group : calibration.groups) {
    if (group.median <= kFarOff) continue;
    far_off += fmt::format("{}{} ({:.0f} %)", far_off.empty() ? "" : ", ", group.name, 100.0 * group.median);
  }
  if (!far_off.empty()) {
    calibration.warnings.push_back(
        fmt::format("the closed form misses half of the rows by more than {:.0f} %, so do not trust the "
                    "parameters of: {}",
                    100.0 * kFarOff, far_off));
  }
  std::string border;
  for (const Parameter& parameter : calibration.parameters) {
    if (!parameter.odd) continue;
    border += (border.empty() ? "" : ", ") + parameter.path;
  }
  if (!border.empty()) {
    calibration.warnings.push_back(
        "no machine is known to be like this (a wrong unit, or rows of something else?): " + border);
  }
}

}  // namespace corecast::calibration
