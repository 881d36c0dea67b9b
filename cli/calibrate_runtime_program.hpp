// `calibrate --runtime`: which program times the suite of which runtime. Below the adaptors' folder, beside those of `measure`.
#pragma once

#include <string>
#include <vector>

namespace corecast::cli {

struct SuiteProgram {
  std::string runtime;  // as --runtime names it
  std::string
      framework;        // of adaptor::frameworks(): interpreter, its variable, what to do where it is missing
  std::string script;   // below the adaptors' folder
  std::string version;  // of the framework, where several are installed side by side; else empty
  std::string mode;     // that the framework runs models in; empty: it has one
};

// Runtimes that there is a program for, in the order in which they are named to the user.
[[nodiscard]] std::vector<std::string> calibrated_runtimes();
// InputError with the names there are.
[[nodiscard]] const SuiteProgram& suite_program(const std::string& runtime);
// Interpreter and script; InputError with the hint where one is missing.
[[nodiscard]] std::vector<std::string> command_of(const SuiteProgram& program);

}  // namespace corecast::cli
