#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "calibration/microbench/suite.hpp"
#include "cli/calibrate_report.hpp"
#include "cli/checksum.hpp"
#include "cli/commands.hpp"
#include "cli/host_calibration.hpp"
#include "cli/inputs.hpp"
#include "cli/progress.hpp"
#include "cli/progress_bar.hpp"
#include "cli/terminal.hpp"
#include "hwmodels/machine_json.hpp"

namespace corecast::cli {
namespace {

namespace fs = std::filesystem;
using calibration::Measurements;

// Where results go: what the options name, else this host's own files.
struct Outputs {
  std::optional<fs::path> machine, measurements;
  bool own_files = false;  // the folder is ours to make
};

hwmodels::Host this_host() {
  try {
    return hwmodels::detect_host();
  } catch (const InputError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw InputError("host", error.what());
  }
}

// The options do not name this file, so nobody would expect them to replace it.
void keep_other_measurements(const fs::path& file) {
  std::error_code code;
  if (!fs::exists(file, code)) return;
  throw InputError("--output",
                   fmt::format("{} holds the measurements of another run, which took minutes, and would be "
                               "overwritten",
                               quote(file.string())),
                   "fit them with --from, name another file, or say --force");
}

Outputs outputs_of(const CalibrateOptions& options, const hwmodels::Host* host) {
  Outputs outputs;
  if (options.measurements_only) {
    check_output("--measurements-only", *options.measurements_only);
    outputs.measurements = options.measurements_only;
  } else if (options.output) {
    check_output("--output", *options.output, {options.from ? options.from->string() : ""});
    outputs.machine = options.output;
    // Repetitions took minutes to make: they are kept beside the machine, for another fit.
    if (host != nullptr) {
      outputs.measurements = fs::path(*options.output).replace_extension(".measurements.json");
      check_output("--output", *outputs.measurements);
      if (!options.force) keep_other_measurements(*outputs.measurements);
    }
  } else if (host != nullptr) {
    const CalibrationFiles files = calibration_files(*host);
    outputs = {files.machine, files.measurements, true};
    std::error_code code;
    fs::create_directories(files.machine.parent_path(), code);
    if (code) {
      throw InputError(files.machine.parent_path().string(),
                       fmt::format("cannot be made: {}", code.message()), "name the machine file with -o");
    }
    check_output("calibration", files.machine);
    if (!options.only.empty() && !options.force && fs::exists(files.machine, code)) {
      throw InputError("--only",
                       fmt::format("some groups alone would replace this host's calibration in {}",
                                   quote(files.machine.string())),
                       "name another file with -o, or say --force");
    }
  }
  return outputs;
}

// A fit, a check and what does not fit into a budget come on top: under 20 s, 2 minutes and 8 minutes in all.
Seconds budget_of(calibration::microbench::Effort effort) {
  switch (effort) {
    case calibration::microbench::Effort::quick:
      return Seconds(15.0);
    case calibration::microbench::Effort::thorough:
      return Seconds(440.0);
    case calibration::microbench::Effort::normal:
      break;
  }
  return Seconds(100.0);
}

Measurements measure(const CalibrateOptions& options, const hwmodels::Host& host) {
  ProgressBar bar("calibrate");
  calibration::microbench::SuiteOptions suite;
  suite.effort = options.effort;
  suite.only = options.only;
  suite.budget = budget_of(options.effort);
  suite.progress = [&](std::string_view what, double done) { bar.step(what, done); };
  Measurements measurements = calibration::microbench::run_suite(host, suite);
  measurements.context.date = options.date.empty() ? now_text() : options.date;
  measurements.context.corecast_version = CORECAST_VERSION;
  // How the host was detected is no doubt about what was measured there: a quiet machine would not change it.
  std::erase_if(measurements.context.warnings, [&](const std::string& warning) {
    return std::find(host.warnings.begin(), host.warnings.end(), warning) != host.warnings.end();
  });
  return measurements;
}

void fit_into(CalibrateReport& report, const CalibrateOptions& options) {
  const Measurements& measurements = report.measurements;
  calibration::Calibration fit = calibration::fit(measurements);
  const bool nothing = std::none_of(fit.parameters.begin(), fit.parameters.end(), [](const auto& parameter) {
    return parameter.status == calibration::Status::fitted && parameter.rows > 0;
  });
  if (nothing) {
    fit.converged = false;
    if (fit.failure.empty()) fit.failure = "these rows determine no parameter of the machine (a wrong unit?)";
  }
  if (!fit.converged && !options.force) {
    throw NotConverged(fmt::format(
        "the fit did not converge: {}; nothing is written (--force writes it all the same)", fit.failure));
  }
  if (!fit.converged) report.warnings.push_back("the fit did not converge: " + fit.failure);
  fit.machine.calibration = hwmodels::CalibrationRecord{
      measurements.context.date, measurements.context.source, static_cast<int>(fit.residuals.size()),
      Checksum().add(calibration::to_json_text(measurements)).text(), fit.warnings};
  report.fit = std::move(fit);
}

void fit_all(CalibrateReport& report, const CalibrateOptions& options) {
  const Measurements& measurements = report.measurements;
  const Progress progress(fmt::format("fitting {} rows", measurements.rows.size()));
  try {
    fit_into(report, options);
    if (!options.hold_out) return;
    report.hold_out = calibration::hold_out(measurements, calibration::every_second_core_count(measurements));
  } catch (const std::system_error& error) {
    // Ceres starts a thread for the covariances, even where one is enough.
    rlimit limit{};
    const bool limited = ::getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    throw InputError(
        "host",
        fmt::format("the fit needs one thread more, and none can be created: {}{}", error.code().message(),
                    limited ? fmt::format("; `ulimit -u` is {}", limit.rlim_cur) : ""),
        "raise the limit; --from fits measurements that are kept");
  }
}

}  // namespace

std::string run(const CalibrateOptions& options) {
  CalibrateReport report;
  report.full = options.report;
  std::optional<hwmodels::Host> host;
  if (!options.from) host = this_host();
  const Outputs outputs = outputs_of(options, host ? &*host : nullptr);
  report.of_this_host = outputs.own_files;
  if (host) {
    const auto begin = std::chrono::steady_clock::now();
    report.measurements = measure(options, *host);
    report.warnings = host->warnings;
    drop_advice_to_calibrate(report.warnings);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  } else {
    const Progress progress("reading " + options.from->string());
    report.measurements = calibration::read_measurements(*options.from);
  }
  // Measured values are worth more than a fit: they are kept before it can fail.
  if (outputs.measurements) {
    write_file(*outputs.measurements, calibration::to_json_text(report.measurements));
    report.measurement_file = outputs.measurements;
  }
  if (!options.measurements_only) {
    fit_all(report, options);
    if (outputs.machine) {
      write_file(*outputs.machine, hwmodels::to_json_text(report.fit->machine));
      report.machine_file = outputs.machine;
    }
  }
  return options.json ? text_of(tree_of(report)) : text_of(report, terminal_width());
}

}  // namespace corecast::cli
