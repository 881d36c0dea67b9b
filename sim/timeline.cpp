#include "sim/timeline.hpp"

#include <cmath>

#include "base/error.hpp"

namespace corecast::sim {

Picoseconds to_picoseconds(Seconds t) {
  const double ps = t.value() * kPicosecondsPerSecond;
  // Also false for NaN. 9.2e18 < 2^63.
  CORECAST_CHECK(ps >= 0.0 && ps <= 9.2e18, "{} s is no date", t.value());
  return static_cast<Picoseconds>(std::llround(ps));
}

Seconds to_seconds(Picoseconds t) {
  return Seconds(static_cast<double>(t) / kPicosecondsPerSecond);
}

std::string_view name_of(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::dispatch:
      return "dispatch";
    case PhaseKind::serial:
      return "serial";
    case PhaseKind::fork_join:
      return "fork_join";
    case PhaseKind::parallel:
      return "parallel";
  }
  return "?";
}

}  // namespace corecast::sim
