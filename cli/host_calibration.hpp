// Where this host's calibration is kept, and taking it in place of what detection guessed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hwmodels/host.hpp"

namespace corecast::cli {

// $XDG_DATA_HOME/corecast/calibrations, else $HOME/.local/share/corecast/calibrations; InputError when neither variable
// is set to an absolute path (XDG Base Directory Specification).
[[nodiscard]] std::filesystem::path calibration_directory();

// Names this host by CPU and topology: "amd-epyc-7r13-zen3-2x48-smt2". Two hosts of one kind share a name.
[[nodiscard]] std::string calibration_name(const hwmodels::Host& host);

// The machine file, and the measurements it was fitted to beside it.
struct CalibrationFiles {
  std::filesystem::path machine;
  std::filesystem::path measurements;
};
[[nodiscard]] CalibrationFiles calibration_files(const hwmodels::Host& host);

// The runtime as `calibrate --runtime` found it on this host, and the times of the suite it was fitted to.
struct RuntimeCalibrationFiles {
  std::filesystem::path runtime;
  std::filesystem::path measurements;
};
[[nodiscard]] RuntimeCalibrationFiles runtime_calibration_files(const hwmodels::Host& host,
                                                                const std::string& runtime);
// Where it is, when this host has one; nothing when no directory is known.
[[nodiscard]] std::optional<std::filesystem::path> calibrated_runtime(const hwmodels::Host& host,
                                                                      const std::string& runtime);

struct HostCalibration {
  std::filesystem::path file;
  std::string date;             // as its measurements state it
  std::optional<int> age_days;  // unknown when the date is no date
  friend bool operator==(const HostCalibration&, const HostCalibration&) = default;
};

// Replaces host.machine by its calibration where there is one. Nothing without a file, or when no directory is known.
// InputError for a file that cannot be read; one whose topology is another is left out with a warning in host.warnings.
[[nodiscard]] std::optional<HostCalibration> apply_calibration(hwmodels::Host& host);

// For warnings of a host whose calibration is in use: what was advised has been done.
void drop_advice_to_calibrate(std::vector<std::string>& warnings);

// Whole days from one ISO 8601 date to another, e.g. "2026-11-29T08:00:00Z" to "2026-12-02"; nothing when one is no date.
[[nodiscard]] std::optional<int> days_between(const std::string& from, const std::string& to);
// The system clock, UTC: "2026-12-02T09:00:00Z".
[[nodiscard]] std::string now_text();

}  // namespace corecast::cli
