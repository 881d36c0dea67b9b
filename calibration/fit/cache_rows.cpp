// Rows of the groups bandwidth and latency whose working set lies in a cache.
//
//   read   private    n b f(n)/f(N)                     b at the all-core clock: they run at the core's
//          shared     n min over instances B(k) / k     shared_cache_bandwidth of closed_forms.hpp
//   other  the same times bandwidth_factor.KERNEL.lN
//   chase  L
//
// The clock correction is made where clocks were measured: under a fixed clock, or an unknown one, a turbo
// table would do harm. One hardware thread per core only: a second one changes cache rates by a few per cent
// either way (published runs), for which the machine has no value.
#include <algorithm>

#include "base/error.hpp"
#include "calibration/fit/closed_forms.hpp"
#include "calibration/fit/levels.hpp"
#include "calibration/fit/machine_values.hpp"
#include "calibration/fit/row_model.hpp"

namespace corecast::calibration {
namespace {

using hwmodels::CacheLevel;
using hwmodels::Extension;
using hwmodels::Machine;
using hwmodels::Origin;

constexpr int kCoresOfCluster = 16;  // more share a ring or a mesh
constexpr double kClusterShape = 6.0;
constexpr double kSocketShape = 1.0;

double clock_against_all_cores(const Machine& machine, int active) {
  const auto& group = machine.groups.front();
  const bool measured = std::any_of(group.clock.begin(), group.clock.end(), [](const auto& point) {
    return point.extension == Extension::scalar &&
           (point.clock.origin == Origin::fitted || point.clock.origin == Origin::measured);
  });
  if (!measured) return 1.0;
  return hwmodels::clock_at(group, Extension::scalar, active) /
         hwmodels::clock_at(group, Extension::scalar, group.cores_per_socket);
}

std::optional<RowModel> latency_model(const Machine& machine, const Row& row, LevelIndex level) {
  if (row.kernel != "chase" || row.threads != 1 || row.unit != Unit::seconds) return std::nullopt;
  return make_row_model(fmt::format("latency {} chase", level_name(machine, level)),
                        {cache_path(machine.caches[level].level, "latency")},
                        []<typename T>(std::span<const T> p) { return p[0]; });
}

// n min B(k)/k, whose smallest is that of the instance with most cores: B is concave.
std::optional<RowModel> bandwidth_model(const Machine& machine, const Row& row, const Layout& layout,
                                        LevelIndex level) {
  if (row.unit != Unit::bytes_per_second || row.threads_per_core != 1) return std::nullopt;
  const CacheLevel& cache = machine.caches[level];
  const std::string name = level_name(machine, level);
  std::vector<std::string> paths{cache_path(cache.level, "bandwidth_per_core")};
  const bool factor = row.kernel != "read";
  if (factor) paths.push_back(fmt::format("bandwidth_factor.{}.{}", row.kernel, name));
  const std::string group = fmt::format("bandwidth {} {}", name, row.kernel);
  const int all = sharers(machine, cache);
  const auto instances = cores_per_instance(machine, layout, cache);
  const int most = *std::max_element(instances.begin(), instances.end());
  const int n = layout.cores;
  if (all == 1 || most == 1 || !cache.bandwidth_per_instance) {
    const double cores = all == 1 ? n * clock_against_all_cores(machine, layout.most_of_a_socket()) : n;
    return make_row_model(group, std::move(paths), [factor, cores]<typename T>(std::span<const T> p) {
      return factor ? p[0] * p[1] * T(cores) : p[0] * T(cores);
    });
  }
  paths.push_back(cache_path(cache.level, "bandwidth_per_instance"));
  const double shape = all <= kCoresOfCluster && cache.shared_by_cores != 0 ? kClusterShape : kSocketShape;
  return make_row_model(group, std::move(paths), [=]<typename T>(std::span<const T> p) {
    const T together = shared_cache_bandwidth(most, all, shape, p[0], p.back());
    const T rate = together * T(static_cast<double>(n) / most);
    return factor ? rate * p[1] : rate;
  });
}

}  // namespace

std::optional<RowModel> cache_row_model(const Machine& machine, const Row& row) {
  if (row.placement == Placement::remote) return std::nullopt;
  const Layout layout = layout_of(machine, row);
  const auto level = level_well_inside(machine, layout, row.working_set);
  if (!level || *level == machine.caches.size()) return std::nullopt;
  return row.group == Group::latency ? latency_model(machine, row, *level)
                                     : bandwidth_model(machine, row, layout, *level);
}

}  // namespace corecast::calibration
