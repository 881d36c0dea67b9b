#include "sim/forecast.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "graphs/fusion.hpp"
#include "sim/placement.hpp"
#include "sim/policy.hpp"
#include "sim/simulator.hpp"

namespace corecast::sim {
namespace {

// Two-sided 90 % of a normal distribution.
constexpr double kStandardErrors = 1.645;

// Where the time of a batch goes when nothing contends, and how uncertain each part is.
struct Parts {
  double compute = 0.0;  // share of `alone` time
  double memory = 0.0;
  double overhead = 0.0;
  double compute_error = 0.0;  // relative, of the arithmetic: kernel efficiencies weighted with their time
  double profiled = 0.0;       // share of what a profile measured: then it is not in `compute` and `memory`
  double profiled_error = 0.0;
  std::array<double, 5> by_bound{};
};

Parts parts_of(const graphs::Graph& graph, const Plan& plan, const Runtime& runtime) {
  Parts parts;
  for (std::size_t i = 0; i < plan.operators.size(); ++i) {
    const OperatorPlan& op = plan.operators[i];
    const double arithmetic = (op.compute + op.imbalance + op.serial).value();
    const OperatorFactor* factor = runtime.factor_of(graph.op(OpIndex(i)));
    if (factor != nullptr) {
      const double kernel = arithmetic + op.memory.value();
      parts.profiled += kernel;
      parts.profiled_error += kernel * factor->relative_error;
    } else {
      parts.compute += arithmetic;
      parts.memory += op.memory.value();
    }
    parts.overhead += (op.dispatch + op.fork_join).value();
    const auto spent = [&](Bound bound, Seconds time) {
      parts.by_bound[static_cast<std::size_t>(bound)] += time.value();
    };
    spent(Bound::compute, op.compute + op.imbalance);
    spent(Bound::memory, op.memory - op.cache);
    spent(Bound::cache, op.cache);
    spent(Bound::overhead, op.dispatch + op.fork_join);
    spent(Bound::serial, op.serial);
    if (arithmetic > 0.0 && factor == nullptr) {
      parts.compute_error += arithmetic * runtime.model_of(graph.op(OpIndex(i))).efficiency.relative_error;
    }
  }
  // Errors of one class are common to all its operators; those of different classes are added as if they were
  // too: the sum is an upper bound, and what a runtime gets wrong it tends to get wrong everywhere.
  if (parts.compute > 0.0) parts.compute_error /= parts.compute;
  if (parts.profiled > 0.0) parts.profiled_error /= parts.profiled;
  const double all = parts.compute + parts.memory + parts.overhead + parts.profiled;
  if (all > 0.0) {
    parts.profiled /= all;
    parts.compute /= all;
    parts.memory /= all;
    parts.overhead /= all;
  }
  return parts;
}

double clock_error(const hwmodels::Machine& machine) {
  double error = 0.0;
  for (const auto& point : machine.groups.front().clock) error = std::max(error, point.clock.relative_error);
  return error;
}

// d t / t in first order: every part's share of the time is its elasticity.
double relative_error(const Parts& parts, const hwmodels::Machine& machine, const Runtime& runtime) {
  const double memory_error =
      std::hypot(machine.memory.bandwidth.relative_error, machine.memory.core_bandwidth.relative_error);
  const double overhead_error =
      std::hypot(runtime.dispatch.relative_error, machine.threads.barrier.relative_error);
  const double compute = parts.compute * std::hypot(parts.compute_error, clock_error(machine));
  return std::hypot(std::hypot(compute, parts.memory * memory_error, parts.overhead * overhead_error),
                    parts.profiled * parts.profiled_error);
}

}  // namespace

int Target::cpus() const {
  const int logical = machine.logical_cpus();
  if (!quota_cpus || *quota_cpus >= logical) return logical;
  return std::max(1, static_cast<int>(std::floor(*quota_cpus)));
}

int Target::physical_cores() const {
  return std::min(machine.cores(), cpus());
}

graphs::Graph prepare(const graphs::Graph& graph, const Runtime& runtime) {
  return graphs::with_reorders(graphs::fuse(graph, runtime.fusion), runtime.blocked_layout);
}

int operators_at_once(const Runtime& runtime, const Setting& setting) {
  if (setting.mode == Mode::sequential || !policy_of(runtime).overlaps(runtime)) return 1;
  return std::max(1, setting.inter_op - runtime.idle_inter_op_threads);
}

int computing_threads(const Runtime& runtime, int slots, int intra_op) {
  const std::int64_t threads =
      runtime.own_teams ? std::int64_t{slots} * intra_op : std::int64_t{slots} + intra_op - 1;
  return static_cast<int>(std::min<std::int64_t>(threads, std::int64_t{1} << 30));
}

int computing_threads(const Runtime& runtime, const Setting& setting) {
  return computing_threads(runtime, operators_at_once(runtime, setting), setting.intra_op);
}

int most_slots(const Runtime& runtime, int threads, int intra_op) {
  return runtime.own_teams ? threads / intra_op : threads - intra_op + 1;
}

int most_intra_op(const Runtime& runtime, int threads, int slots) {
  return most_slots(runtime, threads, slots);  // both laws are symmetric
}

namespace {

// Whether idle threads that would spin get out of the way: because their own process has more of them than CPUs (what
// others run, it does not see), or because they yield to whoever has work.
bool gives_way(const Target& target, const Runtime& runtime, const Setting& setting) {
  const std::int64_t own = computing_threads(runtime, setting), cpus = target.machine.logical_cpus();
  return (!runtime.wait.spins_when_oversubscribed && own > cpus) ||
         (runtime.wait.yields && own * setting.instances > cpus);
}

}  // namespace

Setting effective(const Target& target, const Runtime& runtime, const Setting& setting) {
  Setting out = setting;
  if (!policy_of(runtime).overlaps(runtime)) out.mode = Mode::sequential;
  if (out.mode == Mode::sequential) out.inter_op = 1;
  if (out.allocator == runtime.allocator) out.allocator = Allocator::framework;
  if (out.instances == 1) out.pinning = Pinning::distinct;
  if (target.machine.sockets == 1) out.memory = MemoryPolicy::first_touch;
  if (!runtime.wait.spins || gives_way(target, runtime, out)) out.spin = false;
  if (out.smt) out.smt = shares_cores(target.machine, out, computing_threads(runtime, out));
  return out;
}

int threads_of(const Runtime& runtime, const Setting& setting) {
  // The caller, intra_op - 1 workers, and inter_op - 1 more where there is an inter-op pool; or as many teams.
  const std::int64_t pool = setting.mode == Mode::parallel ? setting.inter_op : 1;
  const std::int64_t one = runtime.own_teams ? pool * setting.intra_op : setting.intra_op + pool - 1;
  return static_cast<int>(std::min<std::int64_t>(one * setting.instances, std::int64_t{1} << 30));
}

Evaluation evaluate(const graphs::Graph& prepared, const Target& target, const Runtime& runtime,
                    const Setting& setting) {
  return evaluate_plan(prepared, target, runtime, setting, make_plan(prepared, target, runtime, setting));
}

Evaluation evaluate_plan(const graphs::Graph& prepared, const Target& target, const Runtime& runtime,
                         const Setting& setting, Plan plan) {
  Evaluation result;
  result.plan = std::move(plan);
  result.timeline = simulate(prepared, result.plan);
  const Parts parts = parts_of(prepared, result.plan, runtime);
  Forecast& forecast = result.forecast;
  forecast.latency = result.timeline.duration();
  const double spread = 1.0 + kStandardErrors * relative_error(parts, target.machine, runtime);
  forecast.low = forecast.latency / spread;  // a ratio, so that a wide interval stays above zero
  forecast.high = forecast.latency * spread;
  // Under a quota runs are not alike: those between two pauses take none of them, one that meets a pause all of it.
  const double running = std::min(result.plan.cpus, static_cast<double>(result.plan.executor.slots) +
                                                        result.plan.executor.shared_workers);
  if (running > result.plan.quota) {
    const double granted = result.plan.quota / running;
    forecast.low = std::min(forecast.low, forecast.latency * granted);
    forecast.high += result.plan.quota_period * (1.0 - granted);
  }
  if (forecast.latency > Seconds(0.0)) {
    forecast.throughput_per_s = static_cast<double>(setting.instances) * static_cast<double>(setting.batch) /
                                forecast.latency.value();
  }
  forecast.share = result.timeline.share;
  const auto most = std::max_element(parts.by_bound.begin(), parts.by_bound.end());
  forecast.bound_by = name_of(static_cast<Bound>(most - parts.by_bound.begin()));
  return result;
}

std::vector<Message> setting_warnings(const Target& target, const Runtime& runtime, const Setting& setting) {
  std::vector<Message> warnings;
  const Policy& policy = policy_of(runtime);
  if (!policy.overlaps(runtime) && (setting.mode == Mode::parallel || setting.inter_op > 1)) {
    warnings.push_back(
        {runtime.framework == "onnxruntime" ? "ORT_INTEROP_NOOP" : "INTER_OP_IGNORED",
         fmt::format("{}: inter-op threads and parallel mode change nothing; the forecast is for "
                     "sequential mode",
                     policy.why_not(runtime))});
  } else if (setting.mode == Mode::sequential && setting.inter_op > 1) {
    warnings.push_back({"INTEROP_UNUSED", "inter-op threads are not used in sequential mode"});
  }
  const Setting real = effective(target, runtime, setting);
  const int each = computing_threads(runtime, real);
  const std::int64_t threads = std::int64_t{each} * real.instances;
  const auto& machine = target.machine;
  const char* plural = threads == 1 ? "" : "s";
  if (target.quota_cpus && static_cast<double>(threads) > *target.quota_cpus) {
    warnings.push_back(
        {"CGROUP",
         fmt::format("{} thread{} against a quota of {:g} CPUs: the cgroup stops all of them for the "
                     "rest of every period once the quota is used up",
                     threads, plural, *target.quota_cpus)});
  } else if (threads > machine.logical_cpus()) {
    warnings.push_back(
        {"OVERSUBSCRIBED",
         fmt::format("{} threads on {} CPU{} take turns; real runs of this kind are slower and "
                     "wilder than forecast",
                     threads, machine.logical_cpus(), machine.logical_cpus() == 1 ? "" : "s")});
  } else if (!real.smt && shares_cores(machine, real, each)) {
    warnings.push_back(
        {"SHARED_CORES", fmt::format("{} threads on {} cores: although SMT is not asked for, some "
                                     "cores run two of them",
                                     threads, machine.cores())});
  }
  return warnings;
}

}  // namespace corecast::sim
