// The resources of a scenario as a SimGrid platform, and a phase of a task as SimGrid activities.
#pragma once

#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "tests/sim/simgrid/scenario.hpp"

namespace corecast::test {

// Arguments of the engine: the models and solvers that a scenario asks for, without SimGrid's corrections for
// real networks and as exact as it can be.
[[nodiscard]] std::vector<std::string> engine_arguments(const Scenario& scenario);

// Makes the platform of the one engine there is. All functions but the first are called by actors and return
// when the phase is over.
class Machine {
 public:
  explicit Machine(const Scenario& scenario);

  [[nodiscard]] simgrid::s4u::Host* home() const { return own_.front(); }
  // Dispatch, serial part, fork and join, parallel phase.
  void run(std::size_t task, std::size_t slot) const;

 private:
  void compute(simgrid::s4u::Host* host, double seconds, int threads) const;
  void flow(std::size_t task) const;
  void parallel_task(std::size_t task, double seconds, int threads, const std::vector<Drawn>& draws) const;

  const Scenario& scenario_;
  std::vector<simgrid::s4u::Host*> own_;    // Way::slots: of every slot; else of every task
  std::vector<simgrid::s4u::Host*> sinks_;  // Way::flows: where its flow goes; else of every resource
  simgrid::s4u::Host* shared_ = nullptr;    // the CPUs, where they are scarce
  double thread_bound_ = 0.0;               // of a thread's speed, when a core is faster; 0 = none
};

}  // namespace corecast::test
