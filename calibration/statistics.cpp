#include "calibration/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "calibration/measurements.hpp"

namespace corecast::calibration {
namespace {

// Standard error of the median of normal samples over that of their mean, sqrt(pi / 2).
constexpr double kMedianOverMean = 1.2533;
// Standard deviation of normal samples over their median absolute deviation.
constexpr double kDeviationOverMad = 1.4826;

}  // namespace

double median(std::vector<double> samples) {
  CORECAST_CHECK(!samples.empty(), "samples={}", samples.size());
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  const double below = *std::max_element(samples.begin(), middle);
  return below + (*middle - below) / 2.0;  // not the sum: it may overflow
}

double quantile(std::span<const double> sorted, double share) {
  CORECAST_CHECK(!sorted.empty() && share >= 0.0 && share <= 1.0, "samples={} share={}", sorted.size(),
                 share);
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

double relative_spread(const std::vector<double>& samples) {
  const double centre = median(samples);
  if (samples.size() < 2 || !(centre > 0.0)) return 0.0;
  std::vector<double> deviations;
  deviations.reserve(samples.size());
  for (const double sample : samples) deviations.push_back(std::abs(sample - centre));
  const double deviation = kDeviationOverMad * median(std::move(deviations));
  return kMedianOverMean * deviation / (std::sqrt(static_cast<double>(samples.size())) * centre);
}

double best(const Row& row) {
  CORECAST_CHECK(!row.samples.empty(), "samples={}", row.samples.size());
  return row.unit == Unit::seconds ? *std::min_element(row.samples.begin(), row.samples.end())
                                   : *std::max_element(row.samples.begin(), row.samples.end());
}

}  // namespace corecast::calibration
