// Short forms for the simulator's tests.
#pragma once

#include <cmath>
#include <string_view>

#include "base/error.hpp"
#include "sim/simulator.hpp"
#include "tests/support/dag.hpp"
#include "tests/support/plan.hpp"

namespace corecast::test {

[[nodiscard]] inline sim::Picoseconds us(double t) {
  return std::llround(t * 1e6);
}

// A graph, its plan and its simulation from text.
struct Simulated {
  graphs::Graph graph;
  sim::Plan plan;
  sim::Timeline timeline;

  Simulated(std::string_view dag_text, std::string_view plan_text)
      : graph(dag(dag_text)), plan(plan_of(graph, plan_text)), timeline(sim::simulate(graph, plan)) {}

  [[nodiscard]] const sim::Run& run(std::string_view name) const {
    for (const sim::Run& r : timeline.runs) {
      if (graph.op(r.op).name == name) return r;
    }
    throw InputError("test", fmt::format("no run of {}", name));
  }
  [[nodiscard]] sim::Picoseconds start(std::string_view name) const { return run(name).start; }
  [[nodiscard]] sim::Picoseconds end(std::string_view name) const { return run(name).end; }
  [[nodiscard]] int slot(std::string_view name) const { return run(name).slot; }
};

}  // namespace corecast::test
