#include "tests/cases/bars.hpp"

#include <algorithm>
#include <cmath>

namespace corecast::cases {
namespace {

constexpr double kNoise = 1.1;        // below: no difference that two runs tell apart
constexpr double kLarge = 1.3;        // above: half of the effect is asked for
constexpr double kSameWithin = 1.25;  // of what shows no difference

bool within(double a, double b, double factor) {
  return std::abs(std::log(a / b)) <= std::log(factor) * (1.0 + 1e-9);
}

template <typename Iterator>
std::size_t place(std::span<const double> values, Iterator found) {
  return static_cast<std::size_t>(found - values.begin());
}

}  // namespace

bool agrees(double forecast, std::optional<double> measured) {
  if (!measured) return forecast > 1.0;
  if (*measured < kNoise) return within(forecast, *measured, kSameWithin);
  return *measured > kLarge ? forecast >= std::sqrt(*measured) : forecast > 1.0;
}

bool overstates(double forecast, std::optional<double> measured) {
  return measured && *measured >= kNoise && forecast > *measured * *measured;
}

bool follows(std::span<const double> forecast, std::span<const double> measured,
             std::optional<double> tolerance) {
  for (std::size_t i = 1; i < measured.size(); ++i) {
    if (tolerance && !within(forecast[i] / forecast[0], measured[i] / measured[0], 1.0 + *tolerance))
      return false;
    const double step = measured[i] / measured[i - 1];
    if (within(step, 1.0, kNoise)) continue;
    if ((step > 1.0) != (forecast[i] > forecast[i - 1]) || forecast[i] == forecast[i - 1]) return false;
  }
  return true;
}

Pick pick_least(std::span<const double> forecast, std::span<const double> measured) {
  Pick pick{place(forecast, std::min_element(forecast.begin(), forecast.end())),
            place(measured, std::min_element(measured.begin(), measured.end()))};
  pick.regret = measured[pick.forecast] / measured[pick.measured] - 1.0;
  return pick;
}

Pick pick_most(std::span<const double> forecast, std::span<const double> measured) {
  Pick pick{place(forecast, std::max_element(forecast.begin(), forecast.end())),
            place(measured, std::max_element(measured.begin(), measured.end()))};
  pick.regret = measured[pick.measured] / measured[pick.forecast] - 1.0;
  return pick;
}

}  // namespace corecast::cases
