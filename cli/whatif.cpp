#include <chrono>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/paragraphs.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/whatif_report.hpp"
#include "cli/words.hpp"
#include "sim/memory_need.hpp"

namespace corecast::cli {
namespace {

// How many times better `after` is for the objective.
double speedup(sim::Objective objective, const sim::Forecast& before, const sim::Forecast& after) {
  const bool latency = objective == sim::Objective::latency;
  const double from = latency ? before.latency.value() : after.throughput_per_s;
  const double to = latency ? after.latency.value() : before.throughput_per_s;
  return to > 0.0 ? from / to : 1.0;
}

std::vector<hwmodels::Change> changes_of(const std::vector<std::string>& texts) {
  std::vector<hwmodels::Change> changes;
  for (const std::string& text : texts) changes.push_back(hwmodels::parse_change(text));
  return changes;
}

WhatIfPoint point_of(const WhatIfReport& report, const graphs::Graph& prepared,
                     const std::vector<hwmodels::Change>& changes, const sim::Target& target, int jobs) {
  WhatIfPoint point;
  point.changes = changes;
  point.best =
      sim::search(report.model.graph, prepared, target, report.runtime, {report.objective, 1, jobs}).best;
  point.speedup = speedup(report.objective, report.base.forecast, point.best.forecast);
  try {
    const auto kept = sim::evaluate(prepared, target, report.runtime, report.base.setting).forecast;
    if (sim::memory_warning(sim::memory_need(prepared), target, report.base.setting)) return point;
    point.kept = WhatIfPoint::Kept{kept, speedup(report.objective, report.base.forecast, kept)};
  } catch (const InputError&) {
    // More threads than the changed machine allows: there is nothing to keep.
  }
  return point;
}

bool same(const sim::Forecast& a, const sim::Forecast& b) {
  return a.latency == b.latency && a.low == b.low && a.high == b.high &&
         a.throughput_per_s == b.throughput_per_s && a.bound_by == b.bound_by;
}

// Whether the settings compared are forecast alike on both machines, to the last bit.
bool same_forecasts(const WhatIfReport& report, const WhatIfPoint& point, const graphs::Graph& prepared,
                    const sim::Target& one, const sim::Target& other) {
  for (const sim::Setting& setting : {report.base.setting, point.best.setting}) {
    if (!same(sim::evaluate(prepared, one, report.runtime, setting).forecast,
              sim::evaluate(prepared, other, report.runtime, setting).forecast))
      return false;
  }
  return true;
}

// Changes that do nothing: each is left out in turn while the others stay.
std::vector<sim::Message> changes_without_effect(const WhatIfReport& report, const WhatIfPoint& point,
                                                 const graphs::Graph& prepared, const sim::Target& target) {
  std::vector<sim::Message> messages;
  for (std::size_t i = 0; i < point.changes.size(); ++i) {
    std::vector<hwmodels::Change> others = point.changes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    sim::Target without = report.machine.target;
    try {
      without.machine = hwmodels::changed(without.machine, others);
      if (!same_forecasts(report, point, prepared, without, target)) continue;
    } catch (const InputError&) {
      continue;  // the others need this one
    }
    messages.push_back({"NO_EFFECT", no_effect_text(point.changes[i].path)});
  }
  return messages;
}

}  // namespace

std::string run(const WhatIfOptions& options) {
  WhatIfReport report;
  report.machine = load_machine_input(options.target.machine);
  sim::Target target = report.machine.target;
  std::vector<hwmodels::Change> changes;
  try {
    changes = changes_of(options.changes);
    target.machine = hwmodels::changed(target.machine, changes);
  } catch (const InputError& error) {
    throw error.within("--set");
  }
  report.runtime = load_runtime(options.target.runtime, report.machine);
  report.objective = options.search.objective;
  std::vector<sim::Message> no_effect;
  const auto begin = std::chrono::steady_clock::now();
  {
    const Progress progress("tuning " + options.model.model);
    report.model = load_model_input(options.model);
    const graphs::Graph prepared = sim::prepare(report.model.graph, report.runtime);
    report.base = sim::search(report.model.graph, prepared, report.machine.target, report.runtime,
                              {report.objective, 1, options.search.jobs})
                      .best;
    report.points.push_back(point_of(report, prepared, changes, target, options.search.jobs));
    no_effect = changes_without_effect(report, report.points.back(), prepared, target);
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  if (options.search.timing) {
    report.seconds = spent.count();
    if (!options.json) std::fprintf(stderr, "corecast: read and searched in %.2f s\n", spent.count());
  }
  report.warnings = model_warnings(report.model, report.runtime);
  report.warnings.insert(report.warnings.end(), report.machine.warnings.begin(),
                         report.machine.warnings.end());
  report.warnings.insert(report.warnings.end(), no_effect.begin(), no_effect.end());
  report.warnings = distinct(std::move(report.warnings));
  return options.json ? json_of(report) : text_of(report, terminal_width());
}

}  // namespace corecast::cli
