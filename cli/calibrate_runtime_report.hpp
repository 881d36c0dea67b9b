// What `calibrate --runtime` has to tell, and its two views.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibration/runtime_fit/fit.hpp"
#include "calibration/runtime_fit/runs.hpp"
#include "cli/json_views.hpp"

namespace corecast::cli {

struct CalibrateRuntimeReport {
  runtime_fit::Runs runs;
  std::optional<runtime_fit::RuntimeFit> fit;  // none: only measured
  std::optional<runtime_fit::HoldOut> hold_out;
  std::optional<std::filesystem::path> runtime_file, measurement_file;  // written
  std::optional<double> seconds;                                        // of measuring
  bool of_this_host = false;                                            // and kept where `tune` finds it
  bool full = false;                                                    // all numbers and the worst models
  std::vector<std::string> warnings;
};

// Of the fit's cases the largest misses.
[[nodiscard]] std::vector<runtime_fit::CaseResult> worst_of(const runtime_fit::RuntimeFit& fit,
                                                            std::size_t most);

// "pytorch 1.13.1 (openblas-openmp, oneDNN 2.6.3)"
[[nodiscard]] std::string framework_text(const runtime_fit::Runs& runs);

[[nodiscard]] std::string text_of(const CalibrateRuntimeReport& report, int width);
[[nodiscard]] Tree tree_of(const CalibrateRuntimeReport& report);

}  // namespace corecast::cli
