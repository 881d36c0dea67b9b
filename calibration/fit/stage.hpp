// One stage of the fit: the unknowns that a set of rows shows, solved together and put into the machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/fit/calibration.hpp"

namespace corecast::calibration {

struct Stage {
  std::string name;               // for messages: "memory"
  std::vector<std::size_t> rows;  // indices into Measurements::rows; those without closed form are left out
  std::map<std::string, double> starts;  // by path; else the prior
  std::map<std::string, int> ranks;      // by path; else belief()'s
  bool machine_known = false;  // the machine's own values enter as they are: only factors are fitted
  std::map<std::string, std::string> hold;  // path -> why it stays at its prior
};

// Adds to parameters, correlations and warnings; a stage that fails leaves the machine as it was and says so
// in `failure`.
void fit_stage(const Stage& stage, const Measurements& measurements, const FitOptions& options,
               Calibration& calibration);

}  // namespace corecast::calibration
