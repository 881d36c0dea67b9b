// One setting, simulated, and its two views.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs.hpp"
#include "cli/profile_input.hpp"
#include "sim/advice.hpp"
#include "sim/forecast.hpp"

namespace corecast::cli {

struct SimulateReport {
  ModelInput model;
  MachineInput machine;
  sim::Runtime runtime;
  graphs::Graph prepared;  // as the runtime runs it
  sim::Setting setting;    // as asked for
  sim::Setting effective;  // as the runtime runs it
  sim::Evaluation evaluation;
  std::optional<ProfileInput> profile;
  std::vector<sim::Message> warnings;
  std::vector<sim::Advice> advice;  // for this setting
  std::vector<sim::Message> more;   // advice that holds for any setting here
  int top = 10;
};

[[nodiscard]] std::string text_of(const SimulateReport& report, int width);
[[nodiscard]] std::string json_of(const SimulateReport& report);

}  // namespace corecast::cli
