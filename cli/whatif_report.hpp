// A machine before and after a change, each tuned, and the two views of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/inputs.hpp"
#include "hwmodels/machine_json.hpp"
#include "sim/search.hpp"

namespace corecast::cli {

struct WhatIfPoint {
  std::vector<hwmodels::Change> changes;
  sim::Candidate best;   // tuned again
  double speedup = 1.0;  // of the objective, against the machine as it is
  // The setting that is best before the change, kept; absent when it cannot be had any more.
  struct Kept {
    sim::Forecast forecast;
    double speedup = 1.0;
  };
  std::optional<Kept> kept;
};

struct WhatIfReport {
  ModelInput model;
  MachineInput machine;
  sim::Runtime runtime;
  sim::Objective objective = sim::Objective::latency;
  sim::Candidate base;
  std::vector<WhatIfPoint> points;
  std::vector<sim::Message> warnings;
  std::optional<double> seconds;
};

[[nodiscard]] std::string text_of(const WhatIfReport& report, int width);
[[nodiscard]] std::string json_of(const WhatIfReport& report);

}  // namespace corecast::cli
