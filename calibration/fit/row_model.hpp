// The closed form of one row: which machine values it depends on, and what the row should have measured given
// them. predicted() and the fit both go through it, so they cannot disagree.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "calibration/fit/scalar.hpp"
#include "calibration/measurements.hpp"
#include "hwmodels/machine.hpp"

namespace corecast::calibration {

struct RowModel {
  std::string group;               // reporting group: "bandwidth memory read"
  std::vector<std::string> paths;  // machine_values.hpp, and bandwidth_factor.KERNEL[...]
  std::function<double(std::span<const double>)> value;  // in the row's unit, of the values at the paths
  std::function<Jet(std::span<const Jet>)> jet;
};

// `form` takes std::span<const T> for T = double and Jet, and returns T.
template <typename Form>
[[nodiscard]] RowModel make_row_model(std::string group, std::vector<std::string> paths, const Form& form) {
  return {std::move(group), std::move(paths), [form](std::span<const double> p) { return form(p); },
          [form](std::span<const Jet> p) { return form(p); }};
}

// Nothing when no closed form covers the row. One function a group, one file each.
[[nodiscard]] std::optional<RowModel> row_model(const hwmodels::Machine& machine, const Row& row);
[[nodiscard]] std::optional<RowModel> peak_row_model(const hwmodels::Machine& machine, const Row& row);
[[nodiscard]] std::optional<RowModel> cache_row_model(const hwmodels::Machine& machine, const Row& row);
[[nodiscard]] std::optional<RowModel> memory_row_model(const hwmodels::Machine& machine, const Row& row);
[[nodiscard]] std::optional<RowModel> thread_row_model(const hwmodels::Machine& machine, const Row& row);
[[nodiscard]] std::optional<RowModel> kernel_row_model(const hwmodels::Machine& machine, const Row& row);

// What rows show besides values of the machine, and what it usually is, before anybody measured it:
//   bandwidth_factor.KERNEL            rate of a streaming kernel over that of a read, memory saturated
//   bandwidth_factor.KERNEL.one_core   the same, one core alone
//   bandwidth_factor.KERNEL.lN         the same, in a cache
//   fork_factor.LIBRARY.CLASS.TYPE     fork and join of a library's team over the machine's barrier
[[nodiscard]] double usual_factor(const std::string& path);
[[nodiscard]] double usual_factor_error(const std::string& path);  // relative, one standard deviation
[[nodiscard]] bool is_factor(const std::string& path);

}  // namespace corecast::calibration
