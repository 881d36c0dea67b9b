// A team of pinned threads that start together and whose slowest decides the time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "calibration/measurements.hpp"
#include "hwmodels/host.hpp"

namespace corecast::calibration::microbench {

// CPUs of a team in order of its threads, and what a row says of them.
struct Seats {
  std::vector<hwmodels::HostCpu> cpus;
  int cores = 1, sockets = 1, clusters = 1, threads_per_core = 1;
  Placement placement = Placement::compact;
};

// The granted CPUs of `host` for each thread count, `threads_per_core` hardware threads on each core. Counts that the host
// cannot seat so (too few CPUs, or not a multiple of threads_per_core) are left out.
//   cluster  an instance of the last cache: neighbours in core number share, as in Machine::caches
[[nodiscard]] std::vector<Seats> seats(const hwmodels::Host& host, Placement placement, int threads_per_core,
                                       const std::vector<int>& thread_counts);
// All granted cores of one NUMA domain (Cpu::domain), one thread each, at most `most`; no CPUs when none is granted.
[[nodiscard]] Seats seats_of_domain(const hwmodels::Host& host, int domain, int most);
// 1, 2, 3, 4, 6, 8, 12, 16 ... and both sides of each border of a cache cluster, domain and socket, up to `most`.
[[nodiscard]] std::vector<int> thread_counts(const hwmodels::Machine& machine, int most);

class Team {
 public:
  // Threads are created, pinned (not_pinned() says which system error forbade it) and wait spinning.
  explicit Team(const std::vector<int>& cpu_numbers);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Runs body(thread) on all threads at once, between two spinning barriers; wall time from the first start to the last
  // end. Thread 0 is the calling one. The body must not throw.
  Seconds run(const std::function<void(int thread)>& body);
  [[nodiscard]] int size() const;
  [[nodiscard]] const std::string& not_pinned() const;  // empty: all pinned

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace corecast::calibration::microbench
