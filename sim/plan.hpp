// Plan: a graph under one setting, ready to be simulated: for every operator its phases, how long each would
// take with the machine to itself, how many threads it holds, and what it draws from shared resources
// meanwhile. Closed forms only; the simulator (simulator.hpp) adds order, queues and contention and knows no
// machine and no roofline.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "base/quantity.hpp"

namespace corecast::sim {

// What limits an operator while it has the machine to itself.
enum class Bound { compute, memory, cache, overhead, serial };
[[nodiscard]] std::string_view name_of(Bound bound);

// Amount drawn from a shared resource (bytes) over the whole parallel phase.
struct Draw {
  ResourceIndex resource;
  double amount = 0.0;
  friend bool operator==(const Draw&, const Draw&) = default;
};

struct OperatorPlan {
  Seconds dispatch{};         // caller alone: the framework picks and prepares the operator
  Seconds serial{};           // caller alone: the part nobody can share
  Seconds fork_join{};        // all `threads` held: hand out and wait; 0 when threads == 1
  int threads = 1;            // threads the parallel phase can use
  bool each_its_own = false;  // parts belong to threads: nobody does those of a thread that is not on a CPU
  Seconds parallel{};         // with all `threads`, nobody else on the machine
  std::vector<Draw> draws;    // of the parallel phase

  // How `parallel` is made up, for reports only:
  // imbalance (q - 1) / q of the compute part is time in which threads wait for the slowest.
  Seconds compute{};    // t_c without imbalance
  Seconds memory{};     // t_m, memory and caches
  Seconds cache{};      // of `memory`, what is spent in caches rather than in main memory and links
  Seconds imbalance{};  // t_c's share above `compute`
  Bound bound = Bound::compute;

  [[nodiscard]] Seconds alone() const { return dispatch + serial + fork_join + parallel; }
};

struct Resource {
  std::string name;       // "memory of socket 0", "link 0-1", "last-level cache 0"
  double capacity = 0.0;  // bytes per second
};

// Which of the successors that it made ready a thread goes on with; the others join the queue.
enum class Keep {
  first,  // in operator order (onnxruntime)
  last,   // (TensorFlow)
  chain,  // only one that is its only successor and has no other predecessor (Caffe2)
  none,
};

// How ready operators are taken up.
struct Executor {
  // Operators that may run at once; each has a thread of its own that dispatches it and takes part in it.
  int slots = 1;
  // Threads beside those callers, shared by all running operators.
  int shared_workers = 0;
  // Time from a completion to the start of a successor on another slot (queue and wake-up); 0 on the same
  // slot.
  Seconds hand_over{};
  // sequential: operators start in `order`; parallel: as they become ready.
  bool fixed_order = true;
  Keep keep = Keep::first;
};

struct Plan {
  std::vector<OperatorPlan> operators;  // by OpIndex
  std::vector<OpIndex> order;           // the fixed order, a topological one
  std::vector<Resource> resources;
  Executor executor;
  double cpus =
      1.0;  // that all threads together sit on, its share where others sit there too; >= threads: no time slicing
  int copies = 1;  // instances that do the same at the same time on the same CPUs, this one included
  // CPU time that a cgroup grants per time, in CPUs; infinite without a quota. It is counted in periods: when it is used up,
  // everything stands still until the next one begins.
  double quota = std::numeric_limits<double>::infinity();
  Seconds quota_period{0.1};
  Seconds
      quota_slice{};  // handed to a CPU at a time: what one CPU holds when another finds nothing left is lost
  int spinning = 0;   // pool threads that spin while they have nothing to do (0 when they sleep)
  // The most lost per fork and join when more threads are runnable than CPUs: a thread that is not on a CPU is waited
  // for. 0: idle threads sleep, and nobody holds a CPU without need.
  Seconds time_slice{};
};

}  // namespace corecast::sim
