// Placement: on which CPUs the threads of one instance sit, and what they share there.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "hwmodels/machine.hpp"
#include "sim/setting.hpp"

namespace corecast::sim {

// What the threads of one instance have on one socket.
struct SocketShare {
  int socket = 0;
  int threads = 0;
  int cores = 0;                     // cores with at least one of its threads
  double streaming_cores = 0.0;      // cores, weighted with the memory gain of their sibling threads
  int active_cores = 0;              // cores of this socket that any instance keeps busy: sets the clock
  double all_streaming_cores = 0.0;  // the same weighting over all instances
  int instances = 1;                 // instances with threads on this socket
};

struct ThreadPlacement {
  std::vector<SocketShare> sockets;  // those with threads of the instance, by socket
  int threads = 0;                   // of the instance
  int on_cpus = 0;             // CPUs it sits on: threads, or fewer when there are more threads than CPUs
  double slowest_speed = 1.0;  // compute speed of the slowest thread against a thread alone on its core
  int group = 0;               // slowest kind of core in use
  int sibling_threads = 1;     // most threads of all instances on one core
};

// CPUs of the machine in the order in which threads take them.
//   smt = false: one thread per core first, second hardware threads only when cores run out; smt = true: all
//   hardware threads of a core before the next core. compact: socket by socket; scatter: sockets in turn.
[[nodiscard]] std::vector<hwmodels::Cpu> cpu_order(const hwmodels::Machine& machine, bool smt,
                                                   Placement placement);

// The four orders of cpu_order, made once for a search that places threads thousands of times.
class Seats {
 public:
  explicit Seats(const hwmodels::Machine& machine);
  [[nodiscard]] std::span<const hwmodels::Cpu> order(bool smt, Placement placement) const;

 private:
  std::array<std::vector<hwmodels::Cpu>, 4> orders_;
};

// Instance 0 of `setting`; the others are alike: instance i takes threads i*t .. (i+1)*t - 1 of the order, t
// threads each. Threads beyond the CPUs wrap around and share (the simulator slices time).
[[nodiscard]] ThreadPlacement place_threads(const hwmodels::Machine& machine, const Setting& setting,
                                            int threads);
[[nodiscard]] ThreadPlacement place_threads(const hwmodels::Machine& machine, const Seats& seats,
                                            const Setting& setting, int threads);

// Whether two threads of the setting, of all its instances, sit on one core: `threads` each. Not a core of its own
// for every thread is what "SMT" says in a report.
[[nodiscard]] bool shares_cores(const hwmodels::Machine& machine, const Setting& setting, int threads);

}  // namespace corecast::sim
