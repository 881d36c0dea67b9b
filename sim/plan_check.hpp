// What every user of a plan relies on.
#pragma once

#include "graphs/graph.hpp"
#include "sim/plan.hpp"

namespace corecast::sim {

// Aborts (the planner is wrong) when the plan does not fit the graph, a time or an amount is negative or not
// finite, an operator wants no thread, draws from a resource without capacity, or there are no slots or CPUs.
void check(const Plan& plan, const graphs::Graph& graph);

}  // namespace corecast::sim
