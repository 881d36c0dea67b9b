// What the framework took for each case of the suite, on one machine: schema corecast.runtime_measurements/1.
//
// {"schema", "context": {"source", "date", "runtime", "framework_version", "libraries", "cpu", "rounds", "warnings"},
//  "machine": {corecast.machine/1: as its calibration, or detection, knew it when this was measured, as granted},
//  "runs": [{"case", "threads", "seconds": [median of each round]} or {"case", "threads", "error"}]}
//
// The fit reads this alone, so it can be repeated on any computer. Times are of one call of the whole model.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hwmodels/machine.hpp"

namespace corecast::runtime_fit {

struct Run {
  std::string name;  // of the case
  int threads = 1;
  std::vector<double> seconds;  // median of each round; empty: `error` says why
  std::string error;
  friend bool operator==(const Run&, const Run&) = default;
};

struct Runs {
  std::string source = "corecast calibrate --runtime";
  std::string date;  // given by the caller, ISO 8601
  std::string runtime;
  std::string framework_version;
  std::vector<std::string> libraries;  // of its kernels, where builds differ: "oneDNN 2.6.3"
  std::string cpu;
  int rounds = 1;
  std::vector<std::string> warnings;
  hwmodels::Machine machine;
  std::vector<Run> runs;
  friend bool operator==(const Runs&, const Runs&) = default;
};

// InputError naming the run and the field: times that are not positive, threads out of range, a case measured twice
// with the same threads, a run with neither times nor an error.
[[nodiscard]] Runs parse_runs_json(std::string_view text, const std::string& file);
[[nodiscard]] Runs read_runs(const std::filesystem::path& path);
[[nodiscard]] std::string to_json_text(const Runs& runs);  // stable bytes, round trips

}  // namespace corecast::runtime_fit
