#include "sim/search.hpp"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "sim/baselines.hpp"
#include "sim/memory_need.hpp"
#include "sim/placement.hpp"
#include "sim/reasons.hpp"
#include "sim/search_space.hpp"
#include "sim/simulator.hpp"

namespace corecast::sim {
namespace {

// Settings simulated between two updates of the pruning threshold. A constant, so that what is pruned does
// not depend on the number of jobs.
constexpr std::size_t kRound = 32;
// Best settings whose surroundings are looked at. Not fewer are kept from pruning, so that the pick does not depend on
// how many are shown.
constexpr std::size_t kCenters = 6;
// Every round of looking around starts from settings that are better than others before; this many end any search.
constexpr int kRoundsAround = 32;

// What a runtime and a machine can tell apart in a setting.
using Identity =
    std::tuple<Mode, int, int, int, std::vector<std::tuple<int, int, int, double, int, double>>, double>;

Identity identity_of(const Target& target, const Runtime& runtime, const Setting& setting,
                     const Seats& seats) {
  const ThreadPlacement placement =
      place_threads(target.machine, seats, setting, computing_threads(runtime, setting));
  std::vector<std::tuple<int, int, int, double, int, double>> shares;
  for (const auto& share : placement.sockets) {
    shares.emplace_back(share.socket, share.threads, share.cores, share.streaming_cores, share.active_cores,
                        share.all_streaming_cores);
  }
  return {setting.mode, setting.instances,      setting.inter_op, setting.intra_op,
          shares,       placement.slowest_speed};
}

struct Trial {
  Setting setting;
  double bound = 0.0;  // of the cost
  bool simulated = false;
  double cost = 0.0;
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
      : prepared_(prepared),
        target_(target),
        runtime_(runtime),
        options_(options),
        seats_(target.machine),
        need_(memory_need(prepared)),
        most_instances_(instances_that_fit(need_, target)),
        // More jobs than CPUs would only make TBB complain on standard error.
        arena_(options.jobs > 0 ? std::min(options.jobs, oneapi::tbb::info::default_concurrency())
                                : oneapi::tbb::info::default_concurrency()) {}

  // The coarse settings, then what lies around the best, as long as that brings new ones.
  void run(const Space& space) {
    look_at(space.coarse());
    std::vector<Setting> centers;
    for (int round = 0; round < kRoundsAround; ++round) {
      std::vector<Setting> near;
      const std::vector<const Trial*> best = ranked();
      for (std::size_t i = 0; i < std::min(kCenters, best.size()); ++i) {
        const Setting& center = best[i]->setting;
        if (std::find(centers.begin(), centers.end(), center) != centers.end()) continue;
        centers.push_back(center);
        const std::vector<Setting> more = space.around(center);
        near.insert(near.end(), more.begin(), more.end());
      }
      if (near.empty()) return;
      look_at(near);
    }
  }

  // What was simulated, the best first.
  [[nodiscard]] std::vector<const Trial*> ranked() const {
    std::vector<const Trial*> order;
    for (const Trial& trial : trials_) {
      if (trial.simulated) order.push_back(&trial);
    }
    std::sort(order.begin(), order.end(), [&](const Trial* a, const Trial* b) {
      if (a->cost != b->cost) return a->cost < b->cost;
      const int threads_a = threads_of(runtime_, a->setting), threads_b = threads_of(runtime_, b->setting);
      return threads_a != threads_b ? threads_a < threads_b : before(a->setting, b->setting);
    });
    return order;
  }

  void count(SearchResult& result) const {
    result.covered = covered_;
    result.infeasible = too_many_threads_ + too_little_memory_;
    result.simulated = static_cast<std::int64_t>(costs_.size());
    result.pruned = static_cast<std::int64_t>(trials_.size() - costs_.size());
    result.merged = result.covered - result.infeasible - result.simulated - result.pruned;
    if (too_little_memory_ > 0) {
      result.warnings.push_back(
          {"MEMORY_CAPACITY",
           fmt::format("{} setting{} of more than {:.0f} instance{} left out: {}", too_little_memory_,
                       too_little_memory_ == 1 ? "" : "s", *most_instances_,
                       *most_instances_ == 1.0 ? "" : "s",
                       memory_words(need_, target_, static_cast<int>(*most_instances_) + 1))});
    }
  }

  [[noreturn]] void fail() const {
    if (too_little_memory_ > 0)
      throw NoFeasibleSetting("no setting is feasible: " + memory_words(need_, target_, 1));
    throw NoFeasibleSetting("no setting is feasible: not even one thread can be created here");
  }

 private:
  // Those not seen before: bounds of all, then simulations.
  void look_at(const std::vector<Setting>& settings) {
    const std::size_t first = trials_.size();
    for (const Setting& asked : settings) {
      if (!asked_.insert(asked).second) continue;
      ++covered_;
      const Setting setting = effective(target_, runtime_, asked);
      if (!known_.insert(identity_of(target_, runtime_, setting, seats_)).second) continue;
      if (most_instances_ && setting.instances > *most_instances_) {
        ++too_little_memory_;
      } else if (target_.thread_limit && threads_of(runtime_, setting) > *target_.thread_limit) {
        ++too_many_threads_;
      } else {
        Trial trial;
        trial.setting = setting;
        trials_.push_back(std::move(trial));
      }
    }
    arena_.execute([&] {
      oneapi::tbb::parallel_for(first, trials_.size(), [&](std::size_t i) { make_bound(trials_[i]); });
    });
    simulate_from(first);
  }

  void simulate_from(std::size_t first) {
    std::vector<std::size_t> order(trials_.size() - first);
    std::iota(order.begin(), order.end(), first);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return trials_[a].bound < trials_[b].bound; });
    const int kept = std::max(options_.top, static_cast<int>(kCenters));
    for (std::size_t begin = 0; begin < order.size(); begin += kRound) {
      const std::size_t end = std::min(begin + kRound, order.size());
      const double limit = threshold(costs_, kept);
      if (trials_[order[begin]].bound > limit) return;
      arena_.execute([&] {
        oneapi::tbb::parallel_for(begin, end, [&](std::size_t k) {
          if (trials_[order[k]].bound <= limit) simulate_one(trials_[order[k]]);
        });
      });
      for (std::size_t k = begin; k < end; ++k) {
        if (trials_[order[k]].simulated) costs_.push_back(trials_[order[k]].cost);
      }
    }
  }

  void make_bound(Trial& trial) const {
    Forecast bound;
    bound.latency = lower_bound(prepared_, make_plan(prepared_, target_, runtime_, trial.setting, seats_));
    trial.bound = cost(trial.setting, bound, options_.objective);
  }

  void simulate_one(Trial& trial) const {
    const Evaluation evaluation =
        evaluate_plan(prepared_, target_, runtime_, trial.setting,
                      make_plan(prepared_, target_, runtime_, trial.setting, seats_));
    trial.simulated = true;
    trial.forecast = evaluation.forecast;
    trial.cost = cost(trial.setting, trial.forecast, options_.objective);
    trial.breakdown = breakdown_of(evaluation.plan, evaluation.timeline);
  }

  struct Before {
    bool operator()(const Setting& a, const Setting& b) const { return before(a, b); }
  };

  const graphs::Graph& prepared_;
  const Target& target_;
  const Runtime& runtime_;
  const SearchOptions& options_;
  const Seats seats_;
  const MemoryNeed need_;
  const std::optional<double> most_instances_;
  oneapi::tbb::task_arena arena_;
  std::set<Setting, Before> asked_;
  std::set<Identity> known_;
  std::vector<Trial> trials_;
  std::vector<double> costs_;  // of the simulated ones
  std::int64_t covered_ = 0, too_many_threads_ = 0, too_little_memory_ = 0;
};

void forecast_baselines(SearchResult& result, const graphs::Graph& prepared, const Target& target,
                        const Runtime& runtime, Objective objective) {
  const MemoryNeed need = memory_need(prepared);
  const double best = cost(result.best.setting, result.best.forecast, objective);
  for (Baseline& baseline : result.baselines) {
    if (memory_warning(need, target, baseline.setting)) {
      baseline.feasible = false;
      baseline.note = memory_words(need, target, baseline.setting.instances);
      continue;
    }
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
      const std::string& code = warnings.front().code;
      baseline.note = code == "CGROUP"         ? "above the CPU quota"
                      : code == "SHARED_CORES" ? "more threads than cores"
                                               : "more threads than CPUs";
    }
  }
}

}  // namespace

SearchResult search(const graphs::Graph& graph, const graphs::Graph& prepared, const Target& target,
                    const Runtime& runtime, const SearchOptions& options) {
  const graphs::Metrics metrics = graphs::measure(graph);
  const Space space(metrics, target, runtime, options.objective, graph.batch);
  Search run(prepared, target, runtime, options);
  run.run(space);
  const std::vector<const Trial*> order = run.ranked();
  if (order.empty()) run.fail();

  SearchResult result;
  result.space = space.size();
  run.count(result);
  const Trial& first = *order.front();
  for (const Trial* trial : order) {
    if (result.ranking.size() >= static_cast<std::size_t>(std::max(options.top, 1))) break;
    Candidate candidate;
    candidate.setting = trial->setting;
    candidate.forecast = trial->forecast;
    candidate.loss = first.cost > 0.0 ? trial->cost / first.cost - 1.0 : 0.0;
    candidate.why =
        fmt::format("{}: {}", placement_words(target, runtime, trial->setting),
                    reason(target, trial->setting, trial->breakdown, first.setting, first.breakdown));
    result.ranking.push_back(std::move(candidate));
  }
  result.best = result.ranking.front();
  result.baselines = baseline_rules(graph, metrics, target, runtime, options.objective);
  forecast_baselines(result, prepared, target, runtime, options.objective);
  const auto warnings = setting_warnings(target, runtime, result.best.setting);
  result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
  result.advice = advice(metrics, target, runtime, result, options.objective);
  return result;
}

}  // namespace corecast::sim
