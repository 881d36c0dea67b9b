// `calibrate --runtime`: what of the options of `calibrate` it takes. Internal to arguments.cpp and the command.
#pragma once

#include <string>

#include "cli/options.hpp"

namespace corecast::cli {

// InputError for a runtime that cannot be measured, and for options that mean nothing to it.
[[nodiscard]] CalibrateRuntimeOptions runtime_calibration_of(const std::string& runtime,
                                                             const CalibrateOptions& options);

}  // namespace corecast::cli
