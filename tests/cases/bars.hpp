// When a forecast agrees with what was measured. The bars were set before any forecast was looked at.
//
// m a measured ratio of two settings, at least 1, f the forecast one:
//
//   m < 1.1           two runs do not tell it from none:  m / 1.25 <= f <= 1.25 m, either direction
//   1.1 <= m <= 1.3   f > 1
//   m > 1.3           f >= sqrt(m): half of the effect in logarithms, which is not had by chance
//   not stated        f > 1
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace corecast::cases {

[[nodiscard]] bool agrees(double forecast, std::optional<double> measured);
// Agrees, but by more than m^2, for m of at least 1.1: the decision is right, the figure is not.
[[nodiscard]] bool overstates(double forecast, std::optional<double> measured);

// Every value over the first is within a factor 1 + tolerance of what was measured, where a tolerance is given; and every
// step of more than 10 % goes the same way. As many of the one as of the other, all above zero.
[[nodiscard]] bool follows(std::span<const double> forecast, std::span<const double> measured,
                           std::optional<double> tolerance);

// What is lost by taking what is forecast best: measured there over the best measured, minus one. Of values forecast equal
// the first counts.
struct Pick {
  std::size_t forecast = 0, measured = 0;  // which one is best
  double regret = 0.0;
};
[[nodiscard]] Pick pick_least(std::span<const double> forecast, std::span<const double> measured);
[[nodiscard]] Pick pick_most(std::span<const double> forecast, std::span<const double> measured);

}  // namespace corecast::cases
