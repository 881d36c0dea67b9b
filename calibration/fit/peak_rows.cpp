// Rows of group peak.
//
//   clock         f(e, n)                          n busy cores of the socket that has most of them
//   multiply_add  cores f(e, n) F g                F flop per cycle: a design number, not fitted (peaks.hpp)
//
// f clock [Hz], linear between its points; g SMT gain with all hardware threads of a core, else 1.
#include <algorithm>

#include "base/error.hpp"
#include "calibration/fit/layout.hpp"
#include "calibration/fit/machine_values.hpp"
#include "calibration/fit/row_model.hpp"

namespace corecast::calibration {
namespace {

using hwmodels::ClockPoint;
using hwmodels::CoreGroup;
using hwmodels::Extension;

// The point or the two points that clock_at() interpolates between, the second one's share last.
struct ClockTerms {
  std::vector<std::string> paths;
  double second = 0.0;
};

ClockTerms clock_terms(const CoreGroup& group, Extension extension, int active) {
  const ClockPoint* below = nullptr;
  const ClockPoint* above = nullptr;
  for (const ClockPoint& point : group.clock) {
    if (point.extension != extension) continue;
    if (point.active_cores <= active) {
      if (below == nullptr || point.active_cores > below->active_cores) below = &point;
    } else if (above == nullptr || point.active_cores < above->active_cores) {
      above = &point;
    }
  }
  ClockTerms terms;
  if (below == nullptr && above == nullptr) return terms;
  if (below == nullptr || above == nullptr || below->active_cores == active) {
    const ClockPoint* only = below != nullptr ? below : above;
    terms.paths = {clock_path(extension, only->active_cores)};
    return terms;
  }
  terms.paths = {clock_path(extension, below->active_cores), clock_path(extension, above->active_cores)};
  terms.second =
      static_cast<double>(active - below->active_cores) / (above->active_cores - below->active_cores);
  return terms;
}

const hwmodels::Peak* find_peak(const CoreGroup& group, DataType type, Extension extension) {
  const auto found = std::find_if(group.peaks.begin(), group.peaks.end(), [&](const hwmodels::Peak& peak) {
    return peak.type == type && peak.extension == extension;
  });
  return found == group.peaks.end() ? nullptr : &*found;
}

}  // namespace

std::optional<RowModel> peak_row_model(const hwmodels::Machine& machine, const Row& row) {
  const CoreGroup& group = machine.groups.front();
  const Layout layout = layout_of(machine, row);
  const int active = layout.most_of_a_socket();
  // Cores of a slower kind would be among them.
  if (machine.groups.size() > 1 && active > group.cores_per_socket) return std::nullopt;
  const bool is_clock = row.kernel == "clock" && row.unit == Unit::hertz;
  const bool is_peak = row.kernel == "multiply_add" && row.unit == Unit::flop_per_second;
  if (!is_clock && !is_peak) return std::nullopt;
  const Extension extension = row.extension.value_or(Extension::scalar);
  ClockTerms terms = clock_terms(group, extension, active);
  if (terms.paths.empty()) return std::nullopt;
  double per_hertz = 1.0;
  if (is_peak) {
    const hwmodels::Peak* peak = find_peak(group, row.type.value_or(DataType::fp32), extension);
    if (peak == nullptr) return std::nullopt;
    per_hertz = row.cores * peak->flop_per_cycle.value;
  }
  const bool gain = is_peak && row.threads_per_core > 1;
  if (gain) {
    if (row.threads_per_core != group.smt) return std::nullopt;
    terms.paths.emplace_back("smt_gain.compute");
  }
  const bool two = terms.paths.size() == (gain ? 3U : 2U);
  const auto form = [two, gain, per_hertz, second = terms.second]<typename T>(std::span<const T> p) {
    T clock = two ? p[0] * T(1.0 - second) + p[1] * T(second) : p[0];
    if (gain) clock *= p.back();
    return clock * T(per_hertz);
  };
  std::string name = "peak clock";
  if (is_peak) {
    name =
        fmt::format("peak {} {}", corecast::name_of(row.type.value_or(DataType::fp32)), name_of(extension));
  }
  return make_row_model(std::move(name), std::move(terms.paths), form);
}

}  // namespace corecast::calibration
