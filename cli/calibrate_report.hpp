// What `calibrate` has to tell, and its two views.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibration/fit/hold_out.hpp"
#include "calibration/measurements.hpp"
#include "cli/json_views.hpp"

namespace corecast::cli {

struct CalibrateReport {
  calibration::Measurements measurements;
  std::optional<calibration::Calibration> fit;                          // none: only measured
  std::optional<std::filesystem::path> machine_file, measurement_file;  // written
  std::optional<calibration::HoldOut> hold_out;
  std::optional<double> seconds;  // of measuring
  bool of_this_host = true;       // and kept where `tune` finds it
  bool full = false;              // all parameters and the worst rows
  std::vector<std::string> warnings;
};

// Of the fit's residuals the largest, by size.
[[nodiscard]] std::vector<calibration::Residual> worst_of(const calibration::Calibration& fit,
                                                          std::size_t most);
// Of the measurements, the fit and the command.
[[nodiscard]] std::vector<std::string> all_warnings(const CalibrateReport& report);

[[nodiscard]] std::string text_of(const CalibrateReport& report, int width);
[[nodiscard]] Tree tree_of(const CalibrateReport& report);

}  // namespace corecast::cli
