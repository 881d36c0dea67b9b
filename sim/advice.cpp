#include "sim/advice.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "sim/advice_context.hpp"
#include "sim/baselines.hpp"
#include "sim/knobs.hpp"
#include "sim/placement.hpp"

namespace corecast::sim {
namespace {

std::string factor(double ratio) {
  if (ratio >= 9.95) return fmt::format("{:.0f} x", ratio);
  if (ratio >= 1.995) return fmt::format("{:.1f} x", ratio);
  return fmt::format("{:.2f} x", ratio);
}

std::string rate(double per_second) {
  return per_second < 999.5 ? fmt::format("{:.3g}", per_second) : fmt::format("{:.0f}", per_second);
}

BytesPerSecond memory_bandwidth(const Evaluation& evaluation, int instances) {
  double bytes = 0.0;
  for (const OperatorPlan& op : evaluation.plan.operators) {
    for (const Draw& draw : op.draws) {
      if (evaluation.plan.resources[draw.resource.value()].name.starts_with("memory")) bytes += draw.amount;
    }
  }
  const double time = evaluation.forecast.latency.value();
  return BytesPerSecond(time > 0.0 ? bytes * instances / time : 0.0);
}

// First what makes the objective better, the most first; then what serves more requests but not sooner; then facts.
int rank(const Advice& advice, Objective objective) {
  if (!(advice.gain > 0.0)) return 2;
  return objective == Objective::latency && advice.code == "MORE_INSTANCES" ? 1 : 0;
}

}  // namespace

std::string plural(std::int64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

AdviceContext::AdviceContext(const graphs::Graph& graph, const graphs::Graph& prepared, const Target& on,
                             const Runtime& with, const Setting& setting, const AdviceOptions& opts)
    : metrics(graphs::measure(graph)),
      target(on),
      runtime(with),
      options(opts),
      current(setting),
      effective(sim::effective(on, with, setting)),
      prepared_(prepared),
      need_(memory_need(prepared)) {
  // Too little memory is a warning of its own; the setting itself is forecast all the same.
  const Evaluation evaluation = evaluate(prepared_, target, runtime, current);
  now_ = {current, evaluation.forecast, computing(effective) * effective.instances,
          memory_bandwidth(evaluation, current.instances)};
}

std::optional<Tried> AdviceContext::tried(const Setting& setting) {
  const Setting real = sim::effective(target, runtime, setting);
  for (const auto& known : known_) {
    if (known.first == real) {
      std::optional<Tried> again = known.second;
      if (again) again->setting = setting;
      return again;
    }
  }
  std::optional<Tried> result;
  if (!memory_warning(need_, target, setting) || setting.instances <= current.instances) {
    try {
      const Evaluation evaluation = evaluate(prepared_, target, runtime, setting);
      result = Tried{setting, evaluation.forecast, computing(real) * real.instances,
                     memory_bandwidth(evaluation, setting.instances)};
    } catch (const InputError&) {
      // More threads than can be created: no advice to give.
    }
  }
  known_.emplace_back(real, result);
  return result;
}

std::optional<Tried> AdviceContext::best_of(const std::vector<Setting>& settings) {
  std::optional<Tried> best;
  for (const Setting& setting : settings) {
    std::optional<Tried> candidate = tried(setting);
    if (candidate && (!best || gain(*candidate) > gain(*best))) best = std::move(candidate);
  }
  return best;
}

double AdviceContext::gain(const Tried& better) const {
  if (!(now_.forecast.throughput_per_s > 0.0)) return 0.0;
  return better.forecast.throughput_per_s / now_.forecast.throughput_per_s - 1.0;
}

std::string AdviceContext::threads_words(const Setting& setting) const {
  const int each = computing(sim::effective(target, runtime, setting));
  if (setting.instances == 1) return plural(each, "thread");
  return fmt::format("{} x {}", setting.instances, plural(each, "thread"));
}

std::string AdviceContext::comparison(const Tried& better) const {
  const Forecast& a = now_.forecast;
  const Forecast& b = better.forecast;
  const std::string words = threads_words(better.setting);
  // The same count: what was changed stands before, or in the remedy.
  const std::string then = words == threads_words(current) ? "then" : words;
  if (better.setting.instances == current.instances) {
    return fmt::format("forecast {}; {} {} ({})", to_short_text(a.latency), then, to_short_text(b.latency),
                       factor(1.0 + gain(better)));
  }
  return fmt::format("forecast {} samples/s; {} {} ({}), a request {} instead of {}",
                     rate(a.throughput_per_s), then, rate(b.throughput_per_s), factor(1.0 + gain(better)),
                     to_short_text(b.latency), to_short_text(a.latency));
}

void AdviceContext::tell(std::string code, std::string cause, const std::string& text, const Tried& better,
                         std::string_view more_remedy) {
  Advice advice;
  advice.code = std::move(code);
  advice.cause = std::move(cause);
  advice.gain = gain(better);
  advice.better = better.setting;
  // Which hardware threads are used is for the system to choose, but where that is what the advice is about.
  Setting from = current;
  if (!advice.code.starts_with("SMT_")) from.smt = better.setting.smt;
  std::string todo = remedy(runtime, from, better.setting);
  if (!more_remedy.empty()) todo += fmt::format("{}{}", todo.empty() ? "" : ", ", more_remedy);
  advice.text = fmt::format("{}: {}", text, comparison(better));
  if (!todo.empty()) advice.text += ". Set " + todo;
  list.push_back(std::move(advice));
}

void AdviceContext::tell_fact(std::string code, std::string text) {
  list.push_back({std::move(code), "", std::move(text), 0.0, std::nullopt});
}

bool AdviceContext::told(std::string_view code) const {
  return std::any_of(list.begin(), list.end(), [&](const Advice& a) { return a.code == code; });
}

Setting AdviceContext::spread(Setting setting) const {
  const std::int64_t threads = std::int64_t{computing(setting)} * setting.instances;
  setting.smt = threads > target.machine.cores() ? target.machine.max_smt() > 1 : false;
  return setting;
}

Setting AdviceContext::with_threads(int intra_op) const {
  Setting setting = current;
  setting.intra_op = intra_op;
  return spread(setting);
}

std::vector<Advice> advise(const graphs::Graph& graph, const graphs::Graph& prepared, const Target& target,
                           const Runtime& runtime, const Setting& current, const AdviceOptions& options) {
  AdviceContext context(graph, prepared, target, runtime, current, options);
  advise_counts(context);
  advise_pools(context);
  advise_memory(context);
  advise_instances(context);
  advise_spinning(context);
  advise_grant(context);
  const auto key = [&](const Advice& advice) {
    return std::pair(rank(advice, options.objective), -std::max(0.0, advice.gain));
  };
  std::stable_sort(context.list.begin(), context.list.end(),
                   [&](const Advice& a, const Advice& b) { return key(a) < key(b); });
  return std::move(context.list);
}

Setting default_setting(const graphs::Graph& graph, const Target& target, const Runtime& runtime) {
  const std::string_view wanted = runtime.framework == "openvino" ? "openvino_hint" : "framework_default";
  const auto rules = baseline_rules(graph, graphs::measure(graph), target, runtime, Objective::latency);
  for (const Baseline& rule : rules) {
    if (rule.name == wanted) return rule.setting;
  }
  CORECAST_CHECK(false, "no rule is called {}", wanted);
}

}  // namespace corecast::sim
