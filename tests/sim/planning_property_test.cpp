// Properties of forecasts over random models, machines and settings: from the closed forms through the simulation.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sim/forecast.hpp"
#include "sim/policy.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/planning_support.hpp"
#include "tests/support/machine_text.hpp"

namespace corecast::test {
namespace {

using sim::Mode;
using sim::Setting;
using sim::Target;

int any(int low, int high) {
  return *rc::gen::inRange(low, high + 1);
}

// Operators of every size from nothing to a Gflop, some with matrices, some memory-bound, each after some of the six
// before it.
graphs::Graph any_model() {
  graphs::Graph graph;
  const int size = any(1, 20);
  for (int i = 0; i < size; ++i) {
    graphs::Operator op;
    op.name = fmt::format("op{}", i);
    op.kernel = static_cast<KernelClass>(any(0, static_cast<int>(kKernelClassNames.size()) - 1));
    op.work.flops = Flops(std::exp2(any(0, 30)));
    op.work.activations_read = Bytes(std::exp2(any(0, 26)));
    op.work.written = Bytes(std::exp2(any(0, 26)));
    op.work.weights_read = Bytes(any(0, 1) * std::exp2(any(0, 24)));
    op.work.units = any(1, 500);
    op.work.serial_fraction = any(0, 3) == 0 ? 0.1 : 0.0;
    op.output_shape = {any(1, 8), any(1, 300), any(1, 60), any(1, 60)};
    if (any(0, 1) == 0) op.matrix = graphs::MatrixShape{any(1, 4), any(1, 500), any(1, 500), any(1, 500)};
    graph.add(op);
    const auto bits = static_cast<unsigned>(any(0, 63));
    for (int back = 1; back <= 6 && back <= i; ++back) {
      if ((bits >> (back - 1) & 1U) != 0)
        graph.connect(OpIndex(static_cast<std::size_t>(i - back)), OpIndex(static_cast<std::size_t>(i)),
                      Bytes(0.0));
    }
  }
  return graph;
}

struct AnyMachine {
  int cores, smt, sockets, mem, core, l3;

  // Every rate times k, every time over k.
  [[nodiscard]] hwmodels::Machine scaled(double k) const {
    return machine(
        fmt::format("{} cores {}Gflop/s; smt {}; gain {} {}; sockets {}; mem {}GB/s; core {}GB/s; shape 3; "
                    "link {}GB/s; l2 256KiB {}GB/s; l3 {}MiB {}GB/s; barrier {}us; doubling {}us; wake {}us; "
                    "fault {}us; latency {}ns {}ns; slice {}ms",
                    cores, 10.0 * k, smt, smt > 1 ? 1.2 : 1.0, smt > 1 ? 1.1 : 1.0, sockets, mem * k,
                    core * k, 0.4 * mem * k, 60.0 * k, l3, 30.0 * k, 0.5 / k, 0.2 / k, 6.0 / k, 0.6 / k,
                    90.0 / k, 150.0 / k, 3.0 / k));
  }
};

AnyMachine any_machine() {
  const int core = any(5, 20);
  return {any(1, 12), any(1, 2), any(1, 2), core * any(1, 8), core, any(1, 64)};
}

sim::Runtime any_runtime() {
  sim::Runtime runtime = plain_runtime();
  runtime.policy = sim::policy_names()[static_cast<std::size_t>(any(0, 5))];
  runtime.own_teams = any(0, 1) == 0;
  runtime.static_parts = any(0, 1) == 0;
  runtime.idle_inter_op_threads = any(0, 1);
  runtime.wait = {any(0, 3) > 0, any(0, 1) == 0, any(0, 1) == 0, {}};
  runtime.allocator = any(0, 1) == 0 ? sim::Allocator::system : sim::Allocator::caching;
  for (auto& [kernel, model] : runtime.kernels) {
    model.cut = static_cast<sim::Cut>(any(0, 6));
    model.efficiency.value = 0.1 * any(1, 10);
    model.memory_efficiency.value = 0.1 * any(1, 10);
  }
  runtime.smoothing.value = any(1, 4);
  const auto cost = [](int low, int high) { return Seconds(1e-6 * any(low, high)); };
  runtime.run.value = cost(0, 10);
  runtime.dispatch.value = cost(0, 5);
  runtime.fork.value = cost(0, 3);
  runtime.fork_per_thread.value = cost(0, 1);
  runtime.hand_over.value = cost(0, 5);
  return runtime;
}

Setting any_setting() {
  Setting setting;
  setting.mode = any(0, 1) == 0 ? Mode::sequential : Mode::parallel;
  setting.inter_op = any(1, 6);
  setting.intra_op = any(1, 40);
  setting.instances = any(0, 2) == 0 ? any(2, 5) : 1;
  setting.smt = any(0, 1) == 0;
  setting.placement = any(0, 1) == 0 ? sim::Placement::compact : sim::Placement::scatter;
  setting.spin = any(0, 1) == 0;
  setting.memory = any(0, 1) == 0 ? sim::MemoryPolicy::first_touch : sim::MemoryPolicy::interleave;
  setting.pinning = any(0, 3) == 0 ? sim::Pinning::stacked : sim::Pinning::distinct;
  return setting;
}

Target any_grant(hwmodels::Machine on) {
  std::optional<double> quota;
  if (any(0, 2) == 0) quota = any(1, 60) / 4.0;
  return {std::move(on), quota, std::nullopt};
}

TEST_CASE("every setting of every model has a finite forecast, not below its bounds, the same each time") {
  // simulate() checks every timeline besides: work done is work asked, no capacity is exceeded, no dependency broken.
  CHECK(rc::check("forecasts", [] {
    const graphs::Graph graph = any_model();
    const sim::Runtime runtime = any_runtime();
    const Target target = any_grant(any_machine().scaled(1.0));
    const Setting setting = any_setting();
    const sim::Evaluation first = sim::evaluate(graph, target, runtime, setting);
    RC_ASSERT(std::isfinite(first.forecast.latency.value()));
    RC_ASSERT(first.forecast.latency >= Seconds(0.0));
    RC_ASSERT(first.forecast.low <= first.forecast.latency);
    RC_ASSERT(first.forecast.high >= first.forecast.latency);
    RC_ASSERT(first.forecast.latency.value() >=
              sim::lower_bound(graph, first.plan).value() * (1.0 - 1e-9) - 1e-12);
    const sim::Evaluation again = sim::evaluate(graph, target, runtime, setting);
    RC_ASSERT(again.forecast.latency.value() == first.forecast.latency.value());
    RC_ASSERT(again.timeline.events == first.timeline.events);
  }));
}

TEST_CASE("a machine and a framework k times as fast in everything take a k-th of the time") {
  // Sequential: in a pool a rounded tie may fall the other way. No quota: its periods are the kernel's, not the machine's.
  CHECK(rc::check("scaling", [] {
    const graphs::Graph graph = any_model();
    const AnyMachine on = any_machine();
    sim::Runtime slow = any_runtime();
    sim::Runtime fast = slow;
    const double k = any(2, 16);
    for (auto* cost : {&fast.run, &fast.dispatch, &fast.fork, &fast.fork_per_thread, &fast.hand_over})
      cost->value /= k;
    Setting setting = any_setting();
    setting.mode = Mode::sequential;
    const auto run = [&](double factor, const sim::Runtime& runtime) {
      return sim::evaluate(graph, {on.scaled(factor), std::nullopt, std::nullopt}, runtime, setting)
          .forecast.latency.value();
    };
    const double once = run(1.0, slow), times = run(k, fast) * k;
    // Dates are whole picoseconds, a few for each operator.
    RC_ASSERT(std::abs(times - once) <= 1e-6 * once + 1e-12 * 10.0 * k * static_cast<double>(graph.size()));
  }));
}

TEST_CASE("a smaller quota never makes a model faster") {
  CHECK(rc::check("quota", [] {
    const graphs::Graph graph = any_model();
    const sim::Runtime runtime = any_runtime();
    const hwmodels::Machine on = any_machine().scaled(1.0);
    Setting setting = any_setting();
    setting.mode = Mode::sequential;
    const double some = any(1, 30) / 4.0;
    const auto under = [&](std::optional<double> quota) {
      return sim::evaluate(graph, {on, quota, std::nullopt}, runtime, setting).forecast.latency.value();
    };
    RC_ASSERT(under(some) >= under(some * 1.5) * (1.0 - 1e-9) - 1e-10);
    RC_ASSERT(under(some) >= under(std::nullopt) * (1.0 - 1e-9) - 1e-10);
  }));
}

TEST_CASE("more instances of a model never make one of them faster") {
  CHECK(rc::check("instances", [] {
    const graphs::Graph graph = any_model();
    sim::Runtime runtime = any_runtime();
    runtime.wait.yields = false;  // else threads that spin alone get out of the way beside others
    const Target target = any_grant(any_machine().scaled(1.0));
    Setting setting = any_setting();
    setting.mode = Mode::sequential;
    setting.smt = false;
    setting.placement = sim::Placement::compact;
    const auto beside = [&](int instances) {
      setting.instances = instances;
      return sim::evaluate(graph, target, runtime, setting).forecast.latency.value();
    };
    RC_ASSERT(beside(3) >= beside(1) * (1.0 - 1e-6) - 1e-10);
  }));
}

}  // namespace
}  // namespace corecast::test
