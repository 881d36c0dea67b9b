#include "calibration/fit/levels.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace corecast::calibration {
namespace {

using hwmodels::CacheLevel;
using hwmodels::Machine;

constexpr double kInside = 0.7;
constexpr double kBeyondCache = 1.5;
constexpr double kBeyondLastCache = 2.5;

// Working set over capacity, of the instance that is asked for most (or least) of it.
struct Fill {
  double most, least;
};

Fill fill(const Machine& machine, const Layout& layout, const CacheLevel& cache, Bytes working_set) {
  const auto instances = cores_per_instance(machine, layout, cache);
  const auto [least, most] = std::minmax_element(instances.begin(), instances.end());
  const double per_core = working_set.value() / (layout.cores * cache.size.value.value());
  return {per_core * *most, per_core * *least};
}

}  // namespace

std::optional<LevelIndex> level_well_inside(const Machine& machine, const Layout& layout, Bytes working_set) {
  const auto& caches = machine.caches;
  if (!(working_set > Bytes(0.0))) return std::nullopt;
  for (LevelIndex level = 0; level <= caches.size(); ++level) {
    if (level > 0) {
      const bool memory = level == caches.size();
      const double beyond = memory ? kBeyondLastCache : kBeyondCache;
      if (!(fill(machine, layout, caches[level - 1], working_set).least > beyond)) return std::nullopt;
    }
    if (level == caches.size()) return level;
    if (fill(machine, layout, caches[level], working_set).most <= kInside) return level;
  }
  return std::nullopt;
}

LevelIndex level_holding(const Machine& machine, const Layout& layout, Bytes working_set) {
  for (LevelIndex level = 0; level < machine.caches.size(); ++level) {
    if (fill(machine, layout, machine.caches[level], working_set).most <= 1.0) return level;
  }
  return machine.caches.size();
}

std::string level_name(const Machine& machine, LevelIndex level) {
  return level < machine.caches.size() ? fmt::format("l{}", machine.caches[level].level) : "memory";
}

}  // namespace corecast::calibration
