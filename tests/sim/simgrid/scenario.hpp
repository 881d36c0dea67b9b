// A random problem that corecast and SimGrid both simulate, and its text form, by which the test hands it to
// the program that runs SimGrid. Knows neither of the two.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <vector>

namespace corecast::test {

// What of SimGrid a scenario is modelled with.
enum class Way {
  slots,      // Exec; every slot is a host of one core
  cpus,       // Exec; all threads of all tasks on one host of `cpus` cores
  flows,      // Comm, network model CM02: a parallel phase is a flow of kFlowRate at the most
  bottleneck  // parallel tasks (ptask_L07) shared by the bottleneck-max-fairness solver
};

// Bytes per second of a flow that nothing slows down. A draw of a flow is a whole number of times its bytes.
constexpr double kFlowRate = 1e9;

struct Drawn {
  std::size_t resource = 0;
  double amount = 0.0;  // over the parallel phase
};

struct Task {
  double dispatch_s = 0.0;
  double serial_s = 0.0;
  double fork_s = 0.0;
  double parallel_s = 0.0;
  int threads = 1;                 // of fork and parallel phase
  std::vector<Drawn> draws;        // each resource once
  std::vector<std::size_t> after;  // numbers below its own, ascending
};

struct Scenario {
  Way way = Way::slots;
  bool fixed_order = false;  // one task after the other
  int slots = 1;
  double hand_over_s = 0.0;
  double cpus = 1.0;
  std::vector<double> capacities;  // of the resources, per second
  std::vector<Task> tasks;
};

std::ostream& operator<<(std::ostream& stream, const Scenario& scenario);
// As usual: the stream is false when there is none left or the text is not one.
std::istream& operator>>(std::istream& stream, Scenario& scenario);

}  // namespace corecast::test
