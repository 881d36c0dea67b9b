// make_plan: the closed forms of every operator under one setting. Equations: hwmodels/kernel_time.hpp (the
// roofline), memory_time.hpp (t_m), partition.hpp (q, threads), traffic.hpp (bytes by level). What is added here:
//
//   t_c = steps-wise W q r / (n P eta v)    v speed of the slowest thread against one alone on its core (SMT)
//   eta = eta of kernel_time.hpp, times `unpacked` where both sides of a product are activations
//   fork_join = steps x forks ( barrier + doublings x log2(n / 2) + fork + n x fork_per_thread + crossing )
//
// n equal parts on m < n CPUs go in turns, the last with l = n mod m of them:
//
//   r = ceil(n / m) m / n        t_m = (n - l) / n t_m(m) + l / n t_m(l)
//
// but not where a thread has several small parts to claim (Cut::elements: r = 1), nor where other instances or operators take
// the CPUs meanwhile.
//
// A call of the model costs `run` once: it stands in the dispatch of the first operator. Threads that sleep while they
// wait have to be woken, w later than the caller:
//
//   fork_join += min( w, n t ) (m - 1) / m (m / n)   parts that a late thread has not claimed are done by the others
//   fork_join += w                                   static parts: every thread does its own
//
// t the parallel time with n threads on CPUs of their own, m = n or the CPUs there are; m / n, since a phase of n threads is
// stretched by n / m later, which those who sleep are not. An executor whose caller only waits (idle_inter_op_threads) wakes
// it once, with w; where its inter-op threads spin on all CPUs, half a time slice later on the average.
//
// A profile's factor f of an operator (runtime.hpp) makes t_c and t_m f times as long, so it scales with threads as the
// model does; bytes that a kernel faster than the model cannot have moved (f < 1) are not drawn.
//
// Instances are not in step. Of the others' cores rho stream at a time, rho = share of main memory in an instance's own
// time: 16 one-thread instances of ResNet-50 on 16 cores slow down less than the 16 threads of one instance do.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "hwmodels/kernel_time.hpp"
#include "sim/forecast.hpp"
#include "sim/memory_time.hpp"
#include "sim/packing.hpp"
#include "sim/page_faults.hpp"
#include "sim/partition.hpp"
#include "sim/placement.hpp"
#include "sim/plan_context.hpp"
#include "sim/policy.hpp"
#include "sim/traffic.hpp"

namespace corecast::sim {
namespace {

using graphs::Graph;
using graphs::Operator;

struct Core {
  FlopsPerSecond peak;
  double clock;  // 1/s
};
Core core_for(const PlanContext& context, DataType type) {
  const auto& group = context.machine.groups[static_cast<std::size_t>(context.placement.group)];
  const auto peak = hwmodels::peak_for(group, context.runtime.run_as(type));
  int active = 1;
  for (const auto& share : context.placement.sockets) active = std::max(active, share.active_cores);
  const double clock = hwmodels::clock_at(group, peak.extension, active).value();
  return {FlopsPerSecond(peak.flop_per_cycle * clock), clock};
}

double shape_efficiency(const Operator& op, const KernelModel& kernel) {
  if (!op.matrix) return kernel.efficiency.value;
  // Weights are packed once, when the model is loaded; a second activation in every call.
  const bool packs = op.work.weights_read == Bytes(0.0);
  const auto factor = [](std::int64_t size, double half) {
    return hwmodels::shape_factor(static_cast<double>(std::max<std::int64_t>(size, 1)), half);
  };
  return kernel.efficiency.value * factor(op.matrix->m, kernel.m_half) * factor(op.matrix->n, kernel.n_half) *
         factor(op.matrix->k, kernel.k_half) * (packs ? kernel.unpacked : 1.0);
}

Seconds fork_join_time(const PlanContext& context, int threads) {
  if (threads <= 1) return Seconds(0.0);
  const auto& costs = context.machine.threads;
  Seconds time = costs.barrier.value + costs.barrier_per_doubling.value * std::log2(threads / 2.0);
  time += context.runtime.fork.value + context.runtime.fork_per_thread.value * static_cast<double>(threads);
  // A cache line goes to the other socket with the task and comes back with its end.
  const auto& sockets = context.placement.sockets;
  if (sockets.size() > 1 && threads > sockets[0].threads && context.machine.link) {
    time += context.machine.link->latency.value * 2.0;
  }
  return time;
}

// Against a thread alone on its core. Siblings that only wait for work leave the core to the one that has
// some.
double thread_speed(const PlanContext& context, int threads) {
  // Where every CPU is taken, packed or not is the same; and with one operator at a time the other threads only wait.
  const bool alone =
      context.setting.mode == Mode::sequential && context.placement.threads >= context.machine.logical_cpus();
  const bool packed = context.setting.smt && !alone;
  const bool own_cores =
      context.setting.instances == 1 && (threads == 1 || (!packed && threads <= cores_of(context.placement)));
  return own_cores ? 1.0 : context.placement.slowest_speed;
}

// Threads above CPUs draw no more together than those that sit on one; a phase of n threads is stretched by n over CPUs later.
double own_cpus(const PlanContext& context, int threads) {
  return std::min(1.0, static_cast<double>(context.placement.on_cpus) / threads);
}

// l, the parts of the last turn; 0 where all turns are full or there are none.
int last_turn(const PlanContext& context, Cut cut, int threads) {
  const bool claimed = cut == Cut::elements && !context.runtime.static_parts;
  const bool shared = context.setting.mode == Mode::parallel || context.setting.instances > 1;
  const int cpus = context.placement.on_cpus;
  return threads <= cpus || claimed || shared ? 0 : threads % cpus;
}

// written_apart: share of its input that several cores have written (Team).
OperatorPlan plan_operator(const PlanContext& context, const Operator& op, double written_apart) {
  OperatorPlan plan;
  if (op.kernel == KernelClass::shape) return plan;
  const KernelModel& kernel = context.runtime.model_of(op);
  const double smoothing = kernel.smoothing.value_or(context.runtime.smoothing.value);
  plan.dispatch = kernel.dispatch ? kernel.dispatch->value : context.runtime.dispatch.value;
  if (context.setting.mode == Mode::parallel) plan.dispatch += context.runtime.dispatch_parallel.value;

  Parts parts =
      partition(op, kernel, context.runtime.cutting, context.channel_block, context.setting.intra_op);
  const int last = last_turn(context, kernel.cut, parts.threads);
  if (last > 0) parts.imbalance *= hwmodels::imbalance(parts.threads, context.placement.on_cpus);
  plan.threads = parts.threads;
  plan.each_its_own = context.runtime.static_parts;
  const double steps = static_cast<double>(op.work.steps) * kernel.forks;
  plan.fork_join = fork_join_time(context, parts.threads) * steps;

  const Core core = core_for(context, op.work.compute_type);
  const double efficiency = shape_efficiency(op, kernel);
  const OperatorFactor* profiled = context.runtime.factor_of(op);
  const double factor = profiled == nullptr ? 1.0 : profiled->factor;
  const FlopsPerSecond rate = core.peak * (efficiency * thread_speed(context, parts.threads) / factor);

  const double everyone = context.placement.threads;
  const MemoryTime alone = memory_time(context, op, kernel, factor, 1.0 / everyone, written_apart);
  if (op.work.serial_fraction > 0.0) {
    const Seconds compute = op.work.flops / rate;
    plan.serial = hwmodels::smooth_maximum(compute, alone.total, smoothing) * op.work.serial_fraction;
  }
  if (profiled != nullptr) plan.serial += profiled->serial;
  const double shared = 1.0 - op.work.serial_fraction;
  MemoryTime memory = parts.threads == 1
                          ? alone
                          : memory_time(context, op, kernel, factor, parts.threads / everyone, written_apart);
  if (last > 0) {
    const double used = static_cast<double>(last) / context.placement.on_cpus;
    const MemoryTime rest = memory_time(context, op, kernel, factor, used, written_apart);
    const double share = static_cast<double>(last) / parts.threads;
    memory.total = memory.total * (1.0 - share) + rest.total * share;
    memory.main_memory = memory.main_memory * (1.0 - share) + rest.main_memory * share;
  }
  const Seconds balanced = op.work.flops * shared / (rate * static_cast<double>(parts.threads));
  const Seconds compute = balanced * parts.imbalance;
  const Packing packed = packing(op, kernel, core.clock, parts.threads);
  const Seconds streaming =
      memory.total * (shared * own_cpus(context, parts.threads)) + packed.parallel * factor;
  plan.serial += packed.serial * factor;
  plan.parallel = hwmodels::smooth_maximum(compute, streaming, smoothing);
  for (Draw draw : memory.draws) {
    draw.amount *= shared;
    plan.draws.push_back(draw);
  }

  if (parts.threads > 1 && !context.setting.spin) {
    const double n = parts.threads;
    const double m = std::clamp(context.cpus, 1.0, n);
    const Seconds late = context.machine.threads.wake_up.value;
    plan.fork_join += plan.each_its_own
                          ? late * steps
                          : std::min(late * steps, plan.parallel * n) * ((m - 1.0) / m) * (m / n);
  }

  // Report: t^p = t_c^p + t_m^p, so each side's share of the time is its share of that sum.
  if (plan.parallel > Seconds(0.0)) {
    const double compute_share = std::pow(compute / plan.parallel, smoothing);
    plan.memory = plan.parallel * (1.0 - std::min(1.0, compute_share));
    plan.compute = (plan.parallel - plan.memory) / parts.imbalance;
    plan.imbalance = plan.parallel - plan.memory - plan.compute;
    if (memory.total > Seconds(0.0))
      plan.cache = plan.memory * std::max(0.0, 1.0 - memory.main_memory / memory.total);
  }
  const Allocator asked = context.setting.allocator;
  if ((asked == Allocator::framework ? context.runtime.allocator : asked) == Allocator::system) {
    const PageFaults faults =
        page_faults(op.work.written, kernel.fresh_blocks, context.machine.memory.page_fault.value);
    const Seconds touching = faults.touching / static_cast<double>(parts.threads);
    plan.parallel += touching;
    plan.memory += touching;
    plan.serial += faults.giving_back;
  }
  const Seconds overhead = plan.dispatch + plan.fork_join;
  const Seconds arithmetic = plan.compute + plan.imbalance;
  plan.bound = Bound::compute;
  Seconds most = arithmetic;
  const auto consider = [&](Bound bound, Seconds time) {
    if (time > most) {
      most = time;
      plan.bound = bound;
    }
  };
  consider(plan.cache * 2.0 > plan.memory ? Bound::cache : Bound::memory, plan.memory);
  consider(Bound::overhead, overhead);
  consider(Bound::serial, plan.serial);
  return plan;
}

// In the graph's order. Operators are planned in an order in which producers come first, since what several cores have
// written reaches their consumers from several caches.
std::vector<OperatorPlan> plan_operators(const PlanContext& context, const Graph& graph,
                                         const std::vector<OpIndex>& order) {
  std::vector<Bytes> all(graph.size()), apart(graph.size());  // bytes that reach it from operators
  const auto connections = graph.connections();               // ascending by from
  std::vector<OperatorPlan> plans(graph.size());
  const bool parallel = context.setting.mode == Mode::parallel;
  for (const OpIndex i : order) {
    const Bytes read = all[i.value()];
    const double written_apart = parallel ? 1.0 : read > Bytes{} ? apart[i.value()] / read : 0.0;
    plans[i.value()] = plan_operator(context, graph.op(i), written_apart);
    // What only describes a shape moves nothing.
    const bool passes = graph.op(i).kernel == KernelClass::shape;
    const double share = passes ? written_apart : plans[i.value()].threads > 1 ? 1.0 : 0.0;
    auto connection = std::ranges::lower_bound(connections, i, {}, &graphs::Connection::from);
    for (; connection != connections.end() && connection->from == i; ++connection) {
      all[connection->to.value()] += connection->bytes;
      apart[connection->to.value()] += connection->bytes * share;
    }
  }
  return plans;
}

// Total bytes that the operators write in a call.
Bytes outputs_of(const Graph& graph) {
  Bytes sum{};
  for (std::size_t i = 0; i < graph.size(); ++i) sum += graph.op(OpIndex(i)).work.written;
  return sum;
}

// Total weights that come round in every inference.
Bytes weights_of(const Graph& graph) {
  Bytes sum{};
  for (std::size_t i = 0; i < graph.size(); ++i) sum += graph.op(OpIndex(i)).work.weights_read;
  return sum;
}

// Mean number of operators at one depth of the graph: about as many as run at once when all may.
double mean_width(const Graph& graph) {
  std::vector<int> depth(graph.size(), 0);
  int deepest = 0, operators = 0;
  for (const OpIndex i : graph.topological_order()) {
    if (graph.op(i).kernel != KernelClass::shape) ++operators;
    deepest = std::max(deepest, ++depth[i.value()]);
    for (const OpIndex next : graph.successors(i))
      depth[next.value()] = std::max(depth[next.value()], depth[i.value()]);
  }
  return deepest == 0 ? 1.0 : static_cast<double>(operators) / deepest;
}

// rho: other instances run the same model, but not in step: while one streams, others compute. Mean field: the share of
// its time that an instance itself spends in main memory, given rho; a second pass is close to the fixed point.
double streaming_share(PlanContext context, const Graph& prepared, const std::vector<OpIndex>& order) {
  context.rho = 0.5;
  for (int pass = 0; pass < 2; ++pass) {
    Seconds streaming{}, all{};
    for (const OperatorPlan& op : plan_operators(context, prepared, order)) {
      streaming += op.memory - op.cache;
      all += op.alone();
    }
    if (all > Seconds{}) context.rho = std::clamp(streaming / all, 0.0, 1.0);
  }
  return context.rho;
}

constexpr Seconds kQuotaSlice{5e-3};  // Linux, sched_cfs_bandwidth_slice_us

constexpr int kMost = 1 << 20;  // threads in all that a plan may have

void check_setting(const Target& target, const Runtime& runtime, const Setting& setting) {
  const auto want = [](int value, const char* flag, const char* what) {
    if (value >= 1 && value <= kMost) return;
    throw InputError(flag, fmt::format("{} is not a number of {}", value, what),
                     fmt::format("wanted 1 to {}", kMost));
  };
  want(setting.intra_op, "--intra", "threads");
  want(setting.inter_op, "--inter", "threads");
  want(setting.instances, "--instances", "instances");
  const double threads = static_cast<double>(setting.instances) * threads_of(runtime, [&] {
                           Setting one = setting;
                           one.instances = 1;
                           return one;
                         }());
  if (threads > kMost) {
    throw InputError("--instances", fmt::format("{:.0f} threads in all", threads),
                     fmt::format("at most {} can be simulated", kMost));
  }
  if (target.thread_limit && threads > static_cast<double>(*target.thread_limit)) {
    throw InputError("--intra",
                     fmt::format("{:.0f} threads are needed, but only {} more can be created here", threads,
                                 *target.thread_limit),
                     "the limit is pids.max of the cgroup or the process limit of the user");
  }
}

Plan plan_placed(const Graph& prepared, const Target& target, const Runtime& runtime, const Setting& setting,
                 ThreadPlacement placement) {
  const bool parallel = setting.mode == Mode::parallel;
  const int slots = operators_at_once(runtime, setting);
  const CacheView caches = cache_view(target.machine, placement);
  const double seats =
      setting.pinning == Pinning::stacked ? placement.on_cpus : target.machine.logical_cpus();
  PlanContext context{
      .machine = target.machine,
      .runtime = runtime,
      .placement = std::move(placement),
      .caches = caches,
      .all_weights = weights_of(prepared),
      .kept_outputs = parallel && runtime.parallel_keeps_outputs ? outputs_of(prepared) : Bytes{},
      .cpus = seats / setting.instances,
      .setting = setting};
  if (parallel) context.at_once = std::clamp(mean_width(prepared), 1.0, static_cast<double>(slots));
  const auto& group = target.machine.groups[static_cast<std::size_t>(context.placement.group)];
  const auto vector = hwmodels::peak_for(group, DataType::fp32).extension;
  context.channel_block = vector == hwmodels::Extension::avx512 ? 16 : 8;

  Plan plan;
  plan.order = prepared.topological_order();
  if (setting.instances > 1) context.rho = streaming_share(context, prepared, plan.order);
  for (const auto& share : context.placement.sockets) {
    plan.resources.push_back(
        {fmt::format("memory of socket {}", share.socket),
         socket_bandwidth(target.machine, share.streaming_cores, share, context.rho).value()});
  }
  if (context.placement.sockets.size() > 1 && target.machine.link) {
    context.link = ResourceIndex(plan.resources.size());
    plan.resources.push_back({"link between sockets", target.machine.link->bandwidth.value.value()});
  }
  if (caches.shared_bandwidth > BytesPerSecond(0.0)) {
    context.shared_cache = ResourceIndex(plan.resources.size());
    plan.resources.push_back({"last-level cache", caches.shared_bandwidth.value()});
  }
  plan.operators = plan_operators(context, prepared, plan.order);

  if (!plan.order.empty()) {
    const double more = static_cast<double>(std::max<std::int64_t>(prepared.inputs, 1) - 1);
    plan.operators[plan.order.front().value()].dispatch +=
        runtime.run.value + runtime.run_per_input.value * more;
    if (parallel && runtime.idle_inter_op_threads > 0) {
      const auto& threads = target.machine.threads;
      const double spinning = setting.spin ? slots : 0.0;
      plan.operators[plan.order.back().value()].dispatch +=
          threads.wake_up.value + (spinning > context.cpus ? threads.time_slice.value * 0.5 : Seconds{});
    }
  }

  plan.executor.slots = slots;
  // A team of its own is what an operator gets of a pool that can serve all of them at once.
  plan.executor.shared_workers = (setting.intra_op - 1) * (runtime.own_teams ? slots : 1);
  plan.executor.hand_over = parallel ? runtime.hand_over.value : Seconds(0.0);
  plan.executor.fixed_order = !parallel;
  plan.executor.keep = policy_of(runtime).keep();
  plan.cpus = context.cpus;
  plan.copies = setting.instances;
  if (target.quota_cpus) plan.quota = *target.quota_cpus / setting.instances;
  plan.quota_slice = kQuotaSlice;
  plan.spinning = setting.spin ? plan.executor.shared_workers + (parallel ? slots : 0) : 0;
  // A thread that sleeps when it has nothing to do gives its CPU up at once: no slice is lost.
  plan.time_slice = setting.spin ? target.machine.threads.time_slice.value : Seconds(0.0);
  return plan;
}

}  // namespace

Plan make_plan(const Graph& prepared, const Target& target, const Runtime& runtime, const Setting& asked) {
  check_setting(target, runtime, asked);
  const Setting setting = effective(target, runtime, asked);
  return plan_placed(prepared, target, runtime, setting,
                     place_threads(target.machine, setting, computing_threads(runtime, setting)));
}

Plan make_plan(const Graph& prepared, const Target& target, const Runtime& runtime, const Setting& asked,
               const Seats& seats) {
  check_setting(target, runtime, asked);
  const Setting setting = effective(target, runtime, asked);
  return plan_placed(prepared, target, runtime, setting,
                     place_threads(target.machine, seats, setting, computing_threads(runtime, setting)));
}

}  // namespace corecast::sim
