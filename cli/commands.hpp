// One function a command: from its options to what belongs on standard output. Throws InputError and
// NoAnswer; writes nothing but the files that the options name, and progress on standard error.
#pragma once

#include <string>

#include "cli/options.hpp"

namespace corecast::cli {

[[nodiscard]] std::string run(const InspectOptions& options);
[[nodiscard]] std::string run(const MachineShowOptions& options);
[[nodiscard]] std::string run(const MachineListOptions& options);
[[nodiscard]] std::string run(const SimulateOptions& options);
[[nodiscard]] std::string run(const TuneOptions& options);
[[nodiscard]] std::string run(const WhatIfOptions& options);
[[nodiscard]] std::string run(const ModelListOptions& options);
[[nodiscard]] std::string run(const ModelWriteOptions& options);
[[nodiscard]] std::string run(const RuntimeListOptions& options);
[[nodiscard]] std::string run(const CalibrateOptions& options);
[[nodiscard]] std::string run(const CalibrateRuntimeOptions& options);
[[nodiscard]] std::string run(const StudyOptions& options);
[[nodiscard]] std::string run(const MeasureOptions& options);
[[nodiscard]] std::string run(const ValidateOptions& options);

}  // namespace corecast::cli
