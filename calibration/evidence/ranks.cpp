#include "calibration/evidence/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"

namespace corecast::evidence {
namespace {

int sign(double value) {
  return (value > 0.0) - (value < 0.0);
}

}  // namespace

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    const double shared = 1.0 + static_cast<double>(first + last) / 2.0;
    for (std::size_t i = first; i <= last; ++i) ranks[order[i]] = shared;
    first = last + 1;
  }
  return ranks;
}

std::optional<double> spearman(std::span<const double> x, std::span<const double> y) {
  CORECAST_CHECK(x.size() == y.size(), "x={} y={}", x.size(), y.size());
  const std::vector<double> r = ranks_of(x), s = ranks_of(y);
  const double mean = (static_cast<double>(x.size()) + 1.0) / 2.0;
  double rr = 0.0, ss = 0.0, rs = 0.0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    rr += (r[i] - mean) * (r[i] - mean);
    ss += (s[i] - mean) * (s[i] - mean);
    rs += (r[i] - mean) * (s[i] - mean);
  }
  if (!(rr > 0.0 && ss > 0.0)) return std::nullopt;
  return rs / (std::sqrt(rr) * std::sqrt(ss));
}

std::optional<double> kendall_tau_b(std::span<const double> x, std::span<const double> y) {
  CORECAST_CHECK(x.size() == y.size(), "x={} y={}", x.size(), y.size());
  std::int64_t difference = 0, unequal_x = 0, unequal_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int in_x = sign(x[i] - x[j]), in_y = sign(y[i] - y[j]);
      difference += in_x * in_y;
      unequal_x += in_x != 0;
      unequal_y += in_y != 0;
    }
  }
  if (unequal_x == 0 || unequal_y == 0) return std::nullopt;
  return static_cast<double>(difference) /
         (std::sqrt(static_cast<double>(unequal_x)) * std::sqrt(static_cast<double>(unequal_y)));
}

std::optional<double> PairOrder::share() const {
  if (compared == 0) return std::nullopt;
  return alike / static_cast<double>(compared);
}

PairOrder pair_order(std::span<const double> x, std::span<const double> y, double apart) {
  CORECAST_CHECK(x.size() == y.size(), "x={} y={}", x.size(), y.size());
  PairOrder order;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double distance = std::log(x[i] / x[j]);
      if (x[i] == x[j] || std::abs(distance) <= apart) continue;
      ++order.compared;
      const int in_y = sign(y[i] - y[j]);
      if (in_y == 0) {
        order.alike += 0.5;
      } else if (in_y == sign(distance)) {
        order.alike += 1.0;
      }
    }
  }
  return order;
}

}  // namespace corecast::evidence
