#include <chrono>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/option_values.hpp"
#include "cli/paragraphs.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/tune_report.hpp"
#include "cli/words.hpp"
#include "sim/reasons.hpp"

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

double seconds_per_sample(const sim::Forecast& forecast) {
  return forecast.throughput_per_s > 0.0 ? 1.0 / forecast.throughput_per_s : 0.0;
}

// As the search ranks: by latency, or by the time a sample takes with all instances at work.
double loss(const sim::Forecast& own, const sim::Forecast& best, sim::Objective objective) {
  const bool latency = objective == sim::Objective::latency;
  const double mine = latency ? own.latency.value() : seconds_per_sample(own);
  const double least = latency ? best.latency.value() : seconds_per_sample(best);
  return least > 0.0 ? mine / least - 1.0 : 0.0;
}

// What is not said of it is the framework's default; more threads than cores use the second hardware threads.
sim::Setting current_setting(const AskedSetting& asked, const TuneReport& report) {
  const sim::Target& target = report.machine.target;
  sim::Setting setting = completed(asked, sim::default_setting(report.model.graph, target, report.runtime));
  if (!asked.smt) {
    const std::int64_t threads = std::int64_t{computing_threads(report.runtime, setting)} * setting.instances;
    setting.smt = target.machine.max_smt() > 1 && threads >= target.machine.logical_cpus();
  }
  return setting;
}

CurrentSetting compare(const AskedSetting& asked, const TuneReport& report, const graphs::Graph& prepared) {
  const sim::Target& target = report.machine.target;
  CurrentSetting current;
  sim::Candidate& own = current.candidate;
  own.setting = current_setting(asked, report);
  const sim::Evaluation evaluation = sim::evaluate(prepared, target, report.runtime, own.setting);
  own.forecast = evaluation.forecast;
  own.loss = loss(own.forecast, report.result.best.forecast, report.objective);
  const sim::Evaluation best = sim::evaluate(prepared, target, report.runtime, report.result.best.setting);
  own.why =
      fmt::format("{}: {}", sim::placement_words(target, report.runtime, own.setting),
                  sim::reason(target, own.setting, sim::breakdown_of(evaluation.plan, evaluation.timeline),
                              report.result.best.setting, sim::breakdown_of(best.plan, best.timeline)));
  current.advice = sim::advise(report.model.graph, prepared, target, report.runtime, own.setting,
                               {report.objective, online_cpus(report.machine)});
  return current;
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
    if (options.profile) {
      report.profile = load_profile(*options.profile, report.model, report.machine, report.runtime);
      report.runtime = report.profile->fit.runtime;
    }
    const graphs::Graph prepared = sim::prepare(report.model.graph, report.runtime);
    report.result = sim::search(report.model.graph, prepared, report.machine.target, report.runtime,
                                {options.search.objective, options.top, options.search.jobs});
    if (options.current) report.current = compare(*options.current, report, prepared);
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  if (options.search.timing) {
    report.seconds = spent.count();
    if (!options.json) std::fprintf(stderr, "corecast: read and searched in %.2f s\n", spent.count());
  }
  report.confidence = confidence_of(report.machine.target.machine, report.runtime, report.result.ranking);
  append(report.warnings, model_warnings(report.model, report.runtime));
  if (report.profile) append(report.warnings, report.profile->fit.warnings);
  append(report.warnings, report.machine.warnings);
  append(report.warnings, report.result.warnings);
  report.warnings = distinct(std::move(report.warnings));
  append(report.advice, report.machine.advice);
  append(report.advice, report.result.advice);
  if (report.current) report.advice = not_told(report.advice, report.current->advice);
  report.advice = distinct(std::move(report.advice));
  report.snippets = snippets(request_of(report, options.model.model));
  return options.json ? json_of(report) : text_of(report, terminal_width());
}

}  // namespace corecast::cli
