#include "calibration/fit/cache_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "calibration/fit/layout.hpp"

namespace corecast::calibration {
namespace {

using hwmodels::CacheLevel;
using hwmodels::Machine;

constexpr double kPlateauRate = 0.7;
constexpr double kPlateauLatency = 2.5;
constexpr double kFarSmaller = 0.5, kFarLarger = 2.5;
constexpr double kSizeError = 0.3;

// Rate of one thread over the working set; for latencies 1 / time.
using Curve = std::map<double, double>;

Curve curve_of(const std::vector<Row>& rows, Group group, const std::string& kernel) {
  Curve curve;
  for (const Row& row : rows) {
    if (row.group != group || row.kernel != kernel || row.threads != 1 || row.samples.empty()) continue;
    if (row.placement == Placement::remote || !(row.working_set > Bytes(0.0))) continue;
    const double value = median(row.samples);
    curve[row.working_set.value()] = row.unit == Unit::seconds ? 1.0 / value : value;
  }
  return curve;
}

struct Fall {
  double before, after;  // working sets
};

// The plateau is the first two points beyond `from`; the fall is where the curve leaves it for good.
std::optional<Fall> find_fall(const Curve& curve, double from, double part) {
  const auto first = curve.lower_bound(from);
  if (std::distance(first, curve.end()) < 3) return std::nullopt;
  const double plateau = std::max(first->second, std::next(first)->second);
  std::optional<Fall> fall;
  for (auto at = std::next(first); at != curve.end(); ++at) {
    if (at->second > part * plateau) {
      fall.reset();
    } else if (!fall) {
      fall = Fall{std::prev(at)->first, at->first};
    }
  }
  return fall;
}

bool contradicts(const std::optional<Fall>& fall, double size) {
  if (!fall) return false;
  return fall->after < kFarSmaller * size || fall->before > kFarLarger * size;
}

// Streams hardly feel page translation, random loads do: where rates say something of a size, they decide.
bool reaches(const Curve& rates, double from, double size) {
  const auto first = rates.lower_bound(from);
  return std::distance(first, rates.end()) >= 3 && rates.rbegin()->first > size;
}

}  // namespace

void check_cache_sizes(const Measurements& measurements, Calibration& calibration) {
  Machine& machine = calibration.machine;
  const Curve rates = curve_of(measurements.rows, Group::bandwidth, "read");
  const Curve latencies = curve_of(measurements.rows, Group::latency, "chase");
  for (std::size_t level = 1; level < machine.caches.size(); ++level) {
    CacheLevel& cache = machine.caches[level];
    if (sharers(machine, cache) == 1 && level + 1 < machine.caches.size()) continue;
    const double size = cache.size.value.value();
    const double from = 1.5 * machine.caches[level - 1].size.value.value();
    const auto by_rate = find_fall(rates, from, kPlateauRate);
    const auto by_latency = find_fall(latencies, from, 1.0 / kPlateauLatency);
    const bool rate_says = contradicts(by_rate, size);
    if (!rate_says && !contradicts(by_latency, size)) continue;
    if (!rate_says && reaches(rates, from, size)) {
      calibration.warnings.push_back(
          fmt::format("latency rises between {} and {} although bandwidth shows an L{} of {}: page "
                      "translation, not the cache",
                      to_text(Bytes(by_latency->before)), to_text(Bytes(by_latency->after)), cache.level,
                      to_text(cache.size.value)));
      continue;
    }
    const Fall fall = rate_says ? *by_rate : *by_latency;
    const double found = std::sqrt(fall.before * fall.after);
    calibration.warnings.push_back(
        fmt::format("L{} is stated as {}, but {} between {} and {}: {} is taken", cache.level,
                    to_text(cache.size.value), rate_says ? "bandwidth falls" : "latency rises",
                    to_text(Bytes(fall.before)), to_text(Bytes(fall.after)), to_text(Bytes(found))));
    cache.size = {Bytes(found), kSizeError, hwmodels::Origin::measured,
                  rate_says ? "where bandwidth falls over the working set"
                            : "where latency rises over the working set"};
  }
}

}  // namespace corecast::calibration
