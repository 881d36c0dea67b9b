// Asks a framework for the time of every case: writes the models as ONNX into a folder of its own and starts the program
// that times them (scripts/measure/measure_suite.mjs, pytorch/measure_suite.py), which runs many in one process.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/runtime_fit/runs.hpp"
#include "calibration/runtime_fit/suite.hpp"

namespace corecast::runtime_fit {

struct SuiteRunOptions {
  std::vector<std::string> program;  // with its first arguments: {"node", ".../measure_suite.mjs"}
  std::string version;               // of the framework, as the program takes it: "1.30.0", "legacy"
  std::string mode;                  // of the framework: "torchscript"; empty: it has one
  std::vector<int> threads{1};
  int rounds = 3;
  double min_seconds = 0.1;  // of timing, a case, round and number of threads
  std::function<void(std::string_view what, double done)> progress;
};

// Runs in the order of the suite, then by threads; source, date and machine are left to the caller. A case that the
// framework refuses is a run with its error. InputError when the program cannot be started, fails as a whole, or
// answers something else than corecast.suite_runs/1: with the last line it printed.
[[nodiscard]] Runs run_suite(const std::vector<Case>& suite, const SuiteRunOptions& options);

// 1, 2, 4, ... and all `cores`.
[[nodiscard]] std::vector<int> thread_grid(int cores);

// What the program answered, as runs.
[[nodiscard]] Runs parse_suite_runs(std::string_view text, const std::string& file,
                                    const std::vector<Case>& suite);

}  // namespace corecast::runtime_fit
