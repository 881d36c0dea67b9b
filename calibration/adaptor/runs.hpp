// What an adaptor measured: corecast.measured_runs/1 (scripts/measure/README.md, "Result"), as far as rows and reports need it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/adaptor/plan.hpp"

namespace corecast::adaptor {

struct Latencies {      // ms, of one batch on one instance
  double mean = 0.0;    // median of the rounds' means
  double median = 0.0;  // median of the rounds' medians
  double least = 0.0;
  double most = 0.0;
  std::optional<double> spread;  // (largest - smallest round median) / median; none: one round
  friend bool operator==(const Latencies&, const Latencies&) = default;
};

struct Run {
  std::string model;
  std::string model_sha256;
  std::string runtime;  // corecast's name for it: "onnxruntime-1.13"
  PlanSetting setting;
  int rounds = 0;
  std::optional<Latencies> latencies;  // of at least one round
  std::optional<double> other_cpus;    // CPUs that others used meanwhile, the busiest round
  std::string failure;                 // of the last round that failed and has not succeeded since
  friend bool operator==(const Run&, const Run&) = default;
};

struct MeasuredRuns {
  std::string cpu_model;
  std::string framework;  // "onnxruntime-1.30.0"
  std::string kernel;
  std::string granted_cpus;
  std::optional<double> cpu_quota;
  std::vector<Run> runs;
};

// `framework`: whose version the context states as "<framework>_version". InputError names the place in the file; keys that are not
// known are left alone.
[[nodiscard]] MeasuredRuns parse_runs(std::string_view text, const std::string& file,
                                      const std::string& framework);
[[nodiscard]] MeasuredRuns read_runs(const std::filesystem::path& file, const std::string& framework);

}  // namespace corecast::adaptor
