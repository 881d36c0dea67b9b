#include <chrono>
#include <future>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "calibration/runtime_fit/runtime_file.hpp"
#include "calibration/runtime_fit/suite_run.hpp"
#include "cli/calibrate_runtime_program.hpp"
#include "cli/calibrate_runtime_report.hpp"
#include "cli/commands.hpp"
#include "cli/data_directory.hpp"
#include "cli/host_calibration.hpp"
#include "cli/inputs.hpp"
#include "cli/progress.hpp"
#include "cli/progress_bar.hpp"
#include "cli/terminal.hpp"

namespace corecast::cli {
namespace {

namespace fs = std::filesystem;
using runtime_fit::Runs;

// One host stands for all of its kind when the file is for others too.
constexpr double kHostError = 0.15;

struct Outputs {
  std::optional<fs::path> runtime, measurements;
  bool own_files = false;
};

Outputs outputs_of(const CalibrateRuntimeOptions& options, const MachineInput* host) {
  Outputs outputs;
  if (options.measurements_only) {
    check_output("--measurements-only", *options.measurements_only);
    outputs.measurements = options.measurements_only;
  } else if (options.output) {
    check_output("--output", *options.output, {options.from ? options.from->string() : ""});
    outputs.runtime = options.output;
    if (host != nullptr) {
      outputs.measurements = fs::path(*options.output).replace_extension(".measurements.json");
      check_output("--output", *outputs.measurements);
    }
  } else if (host != nullptr) {
    const RuntimeCalibrationFiles files = runtime_calibration_files(*host->host, options.runtime);
    outputs = {files.runtime, files.measurements, true};
    std::error_code code;
    fs::create_directories(files.runtime.parent_path(), code);
    if (code) {
      throw InputError(files.runtime.parent_path().string(),
                       fmt::format("cannot be made: {}", code.message()), "name the file with -o");
    }
    check_output("calibration", files.runtime);
  }
  return outputs;
}

Runs measure(const CalibrateRuntimeOptions& options, const MachineInput& host,
             const std::vector<runtime_fit::Case>& suite) {
  ProgressBar bar("calibrate " + options.runtime);
  runtime_fit::SuiteRunOptions run;
  const SuiteProgram& program = suite_program(options.runtime);
  run.program = command_of(program);
  run.version = program.version;
  run.mode = program.mode;
  run.threads = runtime_fit::thread_grid(host.target.physical_cores());
  run.rounds = options.quick ? 2 : 3;
  run.min_seconds = options.quick ? 0.04 : 0.1;
  run.progress = [&](std::string_view what, double done) { bar.step(what, done); };
  Runs runs = runtime_fit::run_suite(suite, run);
  runs.date = options.date.empty() ? now_text() : options.date;
  runs.runtime = options.runtime;
  runs.machine = host.target.machine;
  if (!host.calibration) {
    runs.warnings.push_back(
        "the machine is not calibrated: efficiencies are of peaks and bandwidths that are guesses; run "
        "`corecast calibrate` "
        "first");
  }
  if (host.target.quota_cpus) runs.warnings.push_back("a CPU quota is in force: times include its pauses");
  return runs;
}

std::string provenance_text(const Runs& runs) {
  const std::string day = runs.date.substr(0, 10);
  return fmt::format("measured{}{}, suite of generated models, {}{}", day.empty() ? "" : " ", day,
                     framework_text(runs),
                     runs.machine.description.empty() ? "" : ", " + runs.machine.description);
}

void fit_all(CalibrateRuntimeReport& report, const sim::Runtime& prior,
             const std::vector<runtime_fit::Case>& suite) {
  const runtime_fit::Samples samples = runtime_fit::samples_of(report.runs, prior, suite);
  for (const std::string& note : samples.notes) report.warnings.push_back(note);
  if (samples.list.empty()) {
    throw InputError(report.runs.runtime, "no model of the suite has a time",
                     report.warnings.empty() ? "" : report.warnings.front());
  }
  ProgressBar bar("fit");
  const hwmodels::Machine& machine = report.runs.machine;
  auto held =
      std::async(std::launch::async, [&] { return runtime_fit::hold_out(machine, prior, samples.list); });
  report.fit = runtime_fit::fit(machine, prior, samples.list,
                                [&](std::string_view what, double done) { bar.step(what, done); });
  report.hold_out = held.get();
  for (const std::string& warning : report.fit->warnings) report.warnings.push_back(warning);
}

// The file of the runtime, whose members are kept, with all that it has from others.
std::string base_text(const std::string& runtime) {
  const fs::path file = data_directory() / "runtimes" / (runtime + ".json");
  const std::string text = read_file(file);
  const json::Document document = json::parse(text, file.string());
  json::Object root = document.root().object();
  const auto base = root.optional("extends");
  return base ? runtime_fit::without_base(text, base_text(base->text())) : text;
}

void require_better(const CalibrateRuntimeReport& report, bool force) {
  const auto& held = *report.hold_out;
  if (force || held.after.samples == 0 || held.after.median <= held.before.median) return;
  throw NotConverged(fmt::format(
      "a fit without the held-out models forecasts them no better than what there is (median error "
      "{:.1f} % against {:.1f} %); nothing is written (--force writes it all the same)",
      100.0 * held.after.median, 100.0 * held.before.median));
}

}  // namespace

std::string run(const CalibrateRuntimeOptions& options) {
  CalibrateRuntimeReport report;
  report.full = options.report;
  const sim::Runtime prior = load_runtime(options.runtime);
  const std::vector<runtime_fit::Case> suite = runtime_fit::suite();
  std::optional<MachineInput> host;
  if (!options.from) host = load_machine_input("host");
  const Outputs outputs = outputs_of(options, host ? &*host : nullptr);
  report.of_this_host = outputs.own_files;
  if (host) {
    const auto begin = std::chrono::steady_clock::now();
    report.runs = measure(options, *host, suite);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  } else {
    report.runs = runtime_fit::read_runs(*options.from);
    if (report.runs.runtime != options.runtime) {
      throw InputError(
          options.from->string(),
          fmt::format("holds times of {}, wanted {}", quote(report.runs.runtime), quote(options.runtime)));
    }
  }
  report.warnings = report.runs.warnings;
  if (outputs.measurements) {
    write_file(*outputs.measurements, runtime_fit::to_json_text(report.runs));
    report.measurement_file = outputs.measurements;
  }
  if (!options.measurements_only) {
    fit_all(report, prior, suite);
    if (outputs.runtime) {
      require_better(report, options.force);
      runtime_fit::Provenance provenance;
      provenance.from = provenance_text(report.runs);
      provenance.host_error = outputs.own_files ? 0.0 : kHostError;
      if (outputs.own_files)
        provenance.description =
            fmt::format("{}; calibrated on this host, {}", prior.description, report.runs.date);
      write_file(*outputs.runtime,
                 runtime_fit::with_fit(base_text(options.runtime), *report.fit, provenance));
      report.runtime_file = outputs.runtime;
    }
  }
  return options.json ? text_of(tree_of(report)) : text_of(report, terminal_width());
}

}  // namespace corecast::cli
