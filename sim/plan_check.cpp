#include "sim/plan_check.hpp"

#include <cmath>

#include "base/error.hpp"

namespace corecast::sim {
namespace {

void check_time(Seconds t, const char* what, std::size_t op) {
  CORECAST_CHECK(std::isfinite(t.value()) && t.value() >= 0.0, "{} of operator {}: {} s", what, op,
                 t.value());
}

void check_operator(const OperatorPlan& op, const std::vector<Resource>& resources, std::size_t i) {
  check_time(op.dispatch, "dispatch", i);
  check_time(op.serial, "serial", i);
  check_time(op.fork_join, "fork_join", i);
  check_time(op.parallel, "parallel", i);
  check_time(op.compute, "compute", i);
  check_time(op.memory, "memory", i);
  check_time(op.imbalance, "imbalance", i);
  CORECAST_CHECK(op.threads >= 1, "operator {} wants {} threads", i, op.threads);
  for (const Draw& draw : op.draws) {
    CORECAST_CHECK(draw.resource.value() < resources.size(), "operator {} draws from resource {} of {}", i,
                   draw.resource.value(), resources.size());
    CORECAST_CHECK(std::isfinite(draw.amount) && draw.amount >= 0.0, "operator {} draws {} B", i,
                   draw.amount);
  }
}

}  // namespace

void check(const Plan& plan, const graphs::Graph& graph) {
  CORECAST_CHECK(plan.operators.size() == graph.size(), "{} planned, {} in the graph", plan.operators.size(),
                 graph.size());
  const Executor& executor = plan.executor;
  CORECAST_CHECK(executor.slots >= 1 && executor.shared_workers >= 0, "{} slots, {} workers", executor.slots,
                 executor.shared_workers);
  CORECAST_CHECK(!executor.fixed_order || (executor.slots == 1 && plan.order.size() == graph.size()),
                 "fixed order of {} operators in {} slots", plan.order.size(), executor.slots);
  CORECAST_CHECK(plan.cpus > 0.0 && plan.spinning >= 0 && plan.copies >= 1, "{} CPUs, {} spinning, {} copies",
                 plan.cpus, plan.spinning, plan.copies);
  CORECAST_CHECK(std::isfinite(executor.hand_over.value()) && executor.hand_over.value() >= 0.0,
                 "hand-over {} s", executor.hand_over.value());
  CORECAST_CHECK(plan.quota > 0.0 && plan.quota_period > Seconds{} && plan.quota_slice >= Seconds{},
                 "quota of {} CPUs in {} s, slices of {} s", plan.quota, plan.quota_period.value(),
                 plan.quota_slice.value());
  CORECAST_CHECK(std::isfinite(plan.time_slice.value()) && plan.time_slice.value() >= 0.0, "time slice {} s",
                 plan.time_slice.value());
  for (const Resource& resource : plan.resources) {
    CORECAST_CHECK(resource.capacity > 0.0, "{}: {} B/s", resource.name, resource.capacity);
  }
  for (std::size_t i = 0; i < plan.operators.size(); ++i)
    check_operator(plan.operators[i], plan.resources, i);
}

}  // namespace corecast::sim
