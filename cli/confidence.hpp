// How far a forecast can be trusted: where the machine's and the runtime's values come from, and how close
// the first settings are to one another.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "hwmodels/machine.hpp"
#include "sim/runtime.hpp"
#include "sim/search.hpp"

namespace corecast::cli {

// Values by origin, in the order of hwmodels::Origin.
struct OriginCounts {
  std::array<int, 5> counts{};
  [[nodiscard]] int all() const;
  [[nodiscard]] int of(hwmodels::Origin origin) const { return counts[static_cast<std::size_t>(origin)]; }
};

[[nodiscard]] OriginCounts origins_of(const hwmodels::Machine& machine);
[[nodiscard]] OriginCounts origins_of(const sim::Runtime& runtime);

struct Confidence {
  bool calibrated = false;  // neither the machine nor the runtime rests on priors
  OriginCounts machine;
  OriginCounts runtime;
  int profiled = 0;       // operators that a profile of the model measured
  double interval = 0.0;  // of the best: high / latency - 1
  int within_2_percent =
      1;  // settings of the ranking shown whose time is within 2 % of the best, itself included
  std::string text;
};

[[nodiscard]] Confidence confidence_of(const hwmodels::Machine& machine, const sim::Runtime& runtime,
                                       const std::vector<sim::Candidate>& ranking);

}  // namespace corecast::cli
