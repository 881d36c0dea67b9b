#include <chrono>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/paragraphs.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/tune_report.hpp"

namespace corecast::cli {
namespace {

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

SnippetRequest request_of(const TuneReport& report, const std::string& path) {
  SnippetRequest request;
  request.setting = report.result.best.setting;
  // Where there is no file that the framework could load, a name that the user will replace.
  request.model = path.ends_with(".onnx") ? path : "model.onnx";
  request.runtime = report.runtime.name;
  request.framework = report.runtime.framework;
  request.at_once = operators_at_once(report.runtime, request.setting);
  request.cpus = instance_cpus(report.machine, report.runtime, request.setting);
  request.domains = report.machine.machine.domains();
  request.host = report.machine.host.has_value();
  return request;
}

}  // namespace

std::string run(const TuneOptions& options) {
  TuneReport report;
  report.machine = load_machine_input(options.target.machine);
  report.runtime = load_runtime(options.target.runtime, report.machine);
  report.objective = options.search.objective;
  report.snippet_choice = options.snippet;
  const auto begin = std::chrono::steady_clock::now();
  {
    const Progress progress("tuning " + options.model.model);
    report.model = load_model_input(options.model);
    const graphs::Graph prepared = sim::prepare(report.model.graph, report.runtime);
    report.result = sim::search(report.model.graph, prepared, report.machine.target, report.runtime,
                                {options.search.objective, options.top, options.search.jobs});
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  if (options.search.timing) {
    report.seconds = spent.count();
    if (!options.json) std::fprintf(stderr, "corecast: read and searched in %.2f s\n", spent.count());
  }
  report.confidence = confidence_of(report.machine.target.machine, report.runtime, report.result.ranking);
  append(report.warnings, model_warnings(report.model, report.runtime));
  append(report.warnings, report.machine.warnings);
  append(report.warnings, report.result.warnings);
  report.warnings = distinct(std::move(report.warnings));
  append(report.advice, report.machine.advice);
  append(report.advice, report.result.advice);
  report.advice = distinct(std::move(report.advice));
  report.snippets = snippets(request_of(report, options.model.model));
  return options.json ? json_of(report) : text_of(report, terminal_width());
}

}  // namespace corecast::cli
