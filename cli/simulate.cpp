#include "base/file.hpp"
#include "cli/commands.hpp"
#include "cli/option_values.hpp"
#include "cli/paragraphs.hpp"
#include "cli/progress.hpp"
#include "cli/simulate_report.hpp"
#include "cli/terminal.hpp"
#include "cli/words.hpp"
#include "sim/memory_need.hpp"
#include "sim/trace.hpp"

namespace corecast::cli {
namespace {

// What is not asked for: one instance on the physical cores, operators one after the other.
sim::Setting setting_of(const SimulateOptions& options, const SimulateReport& report) {
  sim::Setting setting;
  setting.runtime = report.runtime.name;
  setting.intra_op = report.machine.target.physical_cores();
  setting.batch = report.model.graph.batch;
  return completed(options.setting, setting);
}

std::string trace_of(const SimulateReport& report) {
  const sim::TraceInfo info{report.model.name, report.machine.machine.name,
                            fmt::format("{}, {}", report.runtime.name, setting_text(report.effective))};
  return sim::chrome_trace(report.evaluation.timeline, report.prepared, report.evaluation.plan, info);
}

}  // namespace

std::string run(const SimulateOptions& options) {
  if (options.trace) {
    check_output("--trace", *options.trace,
                 {options.model.model, options.target.machine, options.target.runtime,
                  options.profile ? options.profile->file.string() : ""});
  }
  SimulateReport report;
  report.top = options.top;
  report.machine = load_machine_input(options.target.machine);
  report.runtime = load_runtime(options.target.runtime, report.machine);
  {
    const Progress progress("simulating " + options.model.model);
    report.model = load_model_input(options.model);
    if (options.profile) {
      report.profile = load_profile(*options.profile, report.model, report.machine, report.runtime);
      report.runtime = report.profile->fit.runtime;
    }
    report.setting = setting_of(options, report);
    report.effective = sim::effective(report.machine.target, report.runtime, report.setting);
    report.prepared = sim::prepare(report.model.graph, report.runtime);
    report.evaluation = sim::evaluate(report.prepared, report.machine.target, report.runtime, report.setting);
    report.advice = sim::advise(report.model.graph, report.prepared, report.machine.target, report.runtime,
                                report.setting, {sim::Objective::latency, online_cpus(report.machine)});
  }
  report.warnings = model_warnings(report.model, report.runtime);
  if (report.profile) {
    const auto& more = report.profile->fit.warnings;
    report.warnings.insert(report.warnings.end(), more.begin(), more.end());
  }
  for (const auto& more : {report.machine.warnings,
                           sim::setting_warnings(report.machine.target, report.runtime, report.setting)}) {
    report.warnings.insert(report.warnings.end(), more.begin(), more.end());
  }
  if (auto memory =
          sim::memory_warning(sim::memory_need(report.prepared), report.machine.target, report.setting)) {
    report.warnings.push_back(std::move(*memory));
  }
  report.warnings = distinct(std::move(report.warnings));
  report.more = not_told(report.machine.advice, report.advice);
  if (options.trace) write_file(*options.trace, trace_of(report));
  return options.json ? json_of(report) : text_of(report, terminal_width());
}

}  // namespace corecast::cli
