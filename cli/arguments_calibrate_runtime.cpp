#include "cli/arguments_calibrate_runtime.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/calibrate_runtime_program.hpp"

namespace corecast::cli {

CalibrateRuntimeOptions runtime_calibration_of(const std::string& runtime, const CalibrateOptions& options) {
  (void)suite_program(runtime);
  const auto refuse = [](const char* option, bool given, const char* why) {
    if (given) throw InputError(option, fmt::format("means nothing with --runtime: {}", why));
  };
  refuse("--only", !options.only.empty(), "its suite has no groups");
  refuse("--thorough", options.effort == calibration::microbench::Effort::thorough,
         "--quick is the only other effort");
  refuse("--hold-out", options.hold_out, "a third of the models is always held out");
  CalibrateRuntimeOptions result;
  result.runtime = runtime;
  result.output = options.output;
  result.measurements_only = options.measurements_only;
  result.from = options.from;
  result.quick = options.effort == calibration::microbench::Effort::quick;
  result.date = options.date;
  result.report = options.report;
  result.force = options.force;
  result.json = options.json;
  return result;
}

}  // namespace corecast::cli
