#include "sim/search.hpp"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "sim/baselines.hpp"
#include "sim/reasons.hpp"
#include "sim/simulator.hpp"

namespace corecast::sim {
namespace {

// Settings looked at between two updates of the pruning threshold. A constant, so that what is pruned does
// not depend on the number of jobs.
constexpr std::size_t kRound = 32;

struct Result {
  bool simulated = false;
  Forecast forecast;
  Breakdown breakdown;
};

double seconds_per_sample(const Setting& setting, const Forecast& forecast) {
  return forecast.latency.value() /
         (static_cast<double>(setting.instances) * static_cast<double>(setting.batch));
}

// What the objective minimises.
double cost(const Setting& setting, const Forecast& forecast, Objective objective) {
  return objective == Objective::latency ? forecast.latency.value() : seconds_per_sample(setting, forecast);
}

// The K-th smallest of the costs so far; infinite while there are fewer.
double threshold(std::vector<double> costs, int top) {
  const auto k = static_cast<std::size_t>(std::max(top, 1));
  if (costs.size() < k) return std::numeric_limits<double>::infinity();
  std::nth_element(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(k - 1), costs.end());
  return costs[k - 1];
}

class Search {
 public:
  Search(const graphs::Graph& prepared, const Target& target, const Runtime& runtime,
         const SearchOptions& options)
      : prepared_(prepared), target_(target), runtime_(runtime), options_(options) {}

  // Simulates what is not pruned, in rounds.
  void run(const std::vector<Setting>& settings) {
    results_.assign(settings.size(), {});
    std::vector<double> costs;
    // More jobs than CPUs would only make TBB complain on standard error.
    const int most_jobs = oneapi::tbb::info::default_concurrency();
    oneapi::tbb::task_arena arena(options_.jobs > 0 ? std::min(options_.jobs, most_jobs) : most_jobs);
    for (std::size_t begin = 0; begin < settings.size(); begin += kRound) {
      const std::size_t end = std::min(begin + kRound, settings.size());
      const double limit = threshold(costs, options_.top);
      arena.execute([&] {
        oneapi::tbb::parallel_for(begin, end,
                                  [&](std::size_t i) { look_at(settings[i], limit, results_[i]); });
      });
      for (std::size_t i = begin; i < end; ++i) {
        if (results_[i].simulated)
          costs.push_back(cost(settings[i], results_[i].forecast, options_.objective));
      }
    }
  }

  [[nodiscard]] const std::vector<Result>& results() const { return results_; }

 private:
  void look_at(const Setting& setting, double limit, Result& result) const {
    Evaluation evaluation;
    evaluation.plan = make_plan(prepared_, target_, runtime_, setting);
    Forecast bound;
    bound.latency = lower_bound(prepared_, evaluation.plan);
    if (cost(setting, bound, options_.objective) > limit) return;
    evaluation = evaluate_plan(prepared_, target_, runtime_, setting, std::move(evaluation.plan));
    result.simulated = true;
    result.forecast = evaluation.forecast;
    result.breakdown = breakdown_of(evaluation.plan, evaluation.timeline);
  }

  const graphs::Graph& prepared_;
  const Target& target_;
  const Runtime& runtime_;
  const SearchOptions& options_;
  std::vector<Result> results_;
};

// More threads than can be created: not a setting here.
std::vector<Setting> within_limits(std::vector<Setting> settings, const Target& target,
                                   const Runtime& runtime) {
  if (!target.thread_limit) return settings;
  std::erase_if(settings, [&](const Setting& s) { return threads_of(runtime, s) > *target.thread_limit; });
  return settings;
}

void forecast_baselines(SearchResult& result, const graphs::Graph& prepared, const Target& target,
                        const Runtime& runtime, Objective objective) {
  const double best = cost(result.best.setting, result.best.forecast, objective);
  for (Baseline& baseline : result.baselines) {
    try {
      baseline.forecast = evaluate(prepared, target, runtime, baseline.setting).forecast;
    } catch (const InputError& error) {
      baseline.feasible = false;
      baseline.note = error.problem();
      continue;
    }
    const double own = cost(baseline.setting, baseline.forecast, objective);
    baseline.loss = best > 0.0 ? own / best - 1.0 : 0.0;
    const auto warnings = setting_warnings(target, runtime, baseline.setting);
    if (baseline.note.empty() && !warnings.empty() && warnings.front().code != "ORT_INTEROP_NOOP") {
      baseline.note = warnings.front().code == "CGROUP" ? "above the CPU quota" : "more threads than CPUs";
    }
  }
}

}  // namespace

SearchResult search(const graphs::Graph& graph, const graphs::Graph& prepared, const Target& target,
                    const Runtime& runtime, const SearchOptions& options) {
  const graphs::Metrics metrics = graphs::measure(graph);
  const std::vector<Setting> space = search_space(metrics, target, runtime, options.objective, graph.batch);
  const std::vector<Setting> settings =
      within_limits(distinct_settings(space, target, runtime), target, runtime);
  if (settings.empty())
    throw NoFeasibleSetting("no setting is feasible: not even one thread can be created here");

  Search run(prepared, target, runtime, options);
  run.run(settings);

  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (run.results()[i].simulated) order.push_back(i);
  }
  const auto cost_of = [&](std::size_t i) {
    return cost(settings[i], run.results()[i].forecast, options.objective);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (cost_of(a) != cost_of(b)) return cost_of(a) < cost_of(b);
    return threads_of(runtime, settings[a]) < threads_of(runtime, settings[b]);
  });

  SearchResult result;
  result.covered = static_cast<std::int64_t>(space.size());
  result.simulated = static_cast<std::int64_t>(order.size());
  result.pruned = static_cast<std::int64_t>(settings.size() - order.size());
  result.merged = result.covered - result.simulated - result.pruned;
  const std::size_t first = order.front();
  const double best = cost_of(first);
  for (const std::size_t i : order) {
    if (result.ranking.size() >= static_cast<std::size_t>(std::max(options.top, 1))) break;
    Candidate candidate;
    candidate.setting = settings[i];
    candidate.forecast = run.results()[i].forecast;
    candidate.loss = best > 0.0 ? cost_of(i) / best - 1.0 : 0.0;
    candidate.why = fmt::format("{}: {}", placement_words(target, runtime, settings[i]),
                                reason(target, settings[i], run.results()[i].breakdown, settings[first],
                                       run.results()[first].breakdown));
    result.ranking.push_back(std::move(candidate));
  }
  result.best = result.ranking.front();
  result.baselines = baseline_rules(graph, metrics, target, runtime, options.objective);
  forecast_baselines(result, prepared, target, runtime, options.objective);
  result.warnings = setting_warnings(target, runtime, result.best.setting);
  result.advice = advice(metrics, target, runtime, result, options.objective);
  return result;
}

}  // namespace corecast::sim
