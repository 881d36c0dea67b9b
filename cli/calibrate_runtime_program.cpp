#include "cli/calibrate_runtime_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "calibration/adaptor/adaptor.hpp"

namespace corecast::cli {
namespace {

const std::vector<SuiteProgram>& programs() {
  static const std::vector<SuiteProgram> all{
      {"onnxruntime", "onnxruntime", "measure_suite.mjs", "current", ""},
      {"onnxruntime-1.13", "onnxruntime", "measure_suite.mjs", "legacy", ""},
      {"pytorch", "pytorch", "pytorch/measure_suite.py", "", "eager"},
      {"torchscript", "pytorch", "pytorch/measure_suite.py", "", "torchscript"}};
  return all;
}

}  // namespace

std::vector<std::string> calibrated_runtimes() {
  std::vector<std::string> names;
  for (const SuiteProgram& program : programs()) names.push_back(program.runtime);
  return names;
}

const SuiteProgram& suite_program(const std::string& runtime) {
  for (const SuiteProgram& program : programs()) {
    if (program.runtime == runtime) return program;
  }
  throw InputError("--runtime", "no program here times the kernels of " + quote(runtime),
                   fmt::format("wanted one of {}", fmt::join(calibrated_runtimes(), ", ")));
}

std::vector<std::string> command_of(const SuiteProgram& program) {
  adaptor::Framework framework = adaptor::framework_named(program.framework);
  framework.name = program.runtime;
  framework.script = program.script;
  return adaptor::command_of(framework, "", "--runtime");  // the suite's plan names the version
}

}  // namespace corecast::cli
