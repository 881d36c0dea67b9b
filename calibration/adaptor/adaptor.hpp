// Finds the program that runs a framework, and has it measure a plan.
//
// An adaptor is a script of scripts/measure. It is called with a plan and the file that it keeps its result in, says on standard output
// what it has done, one JSON line a round of a setting, and rewrites its result before each line: whoever stops it loses one round at
// the most. What it says and when it ends is its contract, in scripts/measure/README.md.
//
// Leaves out: which CPUs a setting should have (cli/cpu_numbers.hpp), and rows and reports (cli/measure*).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/adaptor/plan.hpp"
#include "calibration/adaptor/runs.hpp"

namespace corecast::adaptor {

// A framework that can be measured.
struct Framework {
  std::string name;        // as `--framework` names it
  std::string reports_as;  // as rows and contexts name it
  std::string
      interpreter;  // "node", "python3": the program in PATH; its variable in the environment stands before it
  std::string variable;        // "CORECAST_PYTHON"
  std::string script;          // below the scripts' folder
  std::string needs;           // what to do where it is missing
  bool takes_version = false;  // `--version`: several are installed side by side
};
[[nodiscard]] const std::vector<Framework>& frameworks();
// InputError with the names there are.
[[nodiscard]] const Framework& framework_named(std::string_view name);

// The first of: CORECAST_SCRIPTS from the environment (it must be right when it is set); <program>/../share/corecast/measure;
// the source tree's scripts/measure. InputError when there is none.
[[nodiscard]] std::filesystem::path script_directory();

// Program and script; InputError with the hint where one is missing. `version` is for frameworks that take one, else empty. `asked_by`: the
// option that an error names.
[[nodiscard]] std::vector<std::string> command_of(const Framework& framework, const std::string& version,
                                                  const std::string& asked_by = "--framework");

struct Step {
  int done = 0;  // rounds of settings that are done, failed ones too
  int total = 0;
  std::optional<double> latency_ms;
  std::string error;  // of this step; empty: none
};

struct Request {
  std::vector<std::string> command;          // of command_of()
  std::filesystem::path plan;                // file of the plan
  std::filesystem::path result;              // continued when it exists
  double patience_s = 180.0;                 // an adaptor that says nothing for so long hangs and is ended
  std::optional<double> budget_s;            // then it is told to stop
  std::function<void(const Step&)> on_step;  // the result is on disk
};

enum class Outcome {
  complete,     // all is measured
  some_failed,  // the result says which, and why
  out_of_budget,
  interrupted,  // by SIGINT or SIGTERM to this process
};

// Runs it to its end. While it runs, SIGINT and SIGTERM to this process are passed on to it instead of ending this process. InputError for
// a plan that it refuses, with its own words, and when it crashes or hangs; what it had written stays.
struct Answer {
  Outcome outcome = Outcome::complete;
  std::vector<std::string> warnings;  // its own
};
[[nodiscard]] Answer run(const Request& request);

}  // namespace corecast::adaptor
