// What `corecast measure` measured, and its views.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibration/adaptor/plan.hpp"
#include "calibration/adaptor/runs.hpp"
#include "cli/measure_model.hpp"
#include "cli/measure_settings.hpp"

namespace corecast::cli {

// A round median this far from another, relative to the latency, says that the host was not quiet.
inline constexpr double kNoisySpread = 0.1;
// CPUs that others used, of the busiest round, from which on the report says so.
inline constexpr double kBusyOthers = 0.2;

// Samples per second of all instances of a run that has latencies.
[[nodiscard]] double throughput_of(const adaptor::Run& run);

struct MeasureRow {
  MeasureSetting asked;
  adaptor::PlanSetting plan;
  adaptor::Run run;  // rounds = 0: not measured
  [[nodiscard]] bool measured() const { return run.latencies.has_value(); }
  [[nodiscard]] bool noisy() const {
    return measured() && run.latencies->spread && *run.latencies->spread > kNoisySpread;
  }
};

using ContextLines = std::vector<std::pair<std::string, std::string>>;

struct MeasureReport {
  MeasuredModel model;
  std::string framework;  // "onnxruntime-1.30.0"
  std::string machine;    // this host's calibration name
  std::string cpus;       // granted
  std::optional<double> quota;
  adaptor::Method method;
  std::vector<MeasureRow> rows;      // in the order of the plan
  std::vector<adaptor::Run> others;  // measured, in the same file, but not asked for now
  std::vector<std::string> warnings;
  std::filesystem::path csv, state;
  bool out_of_budget = false;

  [[nodiscard]] int measured() const;                       // rows with all their rounds
  [[nodiscard]] int remaining() const;                      // rounds that are neither measured nor failed
  [[nodiscard]] const MeasureRow* best_latency() const;     // least mean
  [[nodiscard]] const MeasureRow* best_throughput() const;  // only where instances differ
};

// Rows of settings without any round are left out: the CSV holds measurements.
[[nodiscard]] std::string csv_of(const MeasureReport& report, const ContextLines& context);
// The leading "# key: value" lines of a file; none where it has no such lines.
[[nodiscard]] ContextLines context_of(const std::string& csv);

[[nodiscard]] std::string text_of(const MeasureReport& report, int width);
[[nodiscard]] std::string json_of(const MeasureReport& report);

}  // namespace corecast::cli
