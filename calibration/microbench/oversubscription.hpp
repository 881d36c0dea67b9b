// A spinning barrier of more threads than CPUs, none of which gives its CPU away before the system takes it.
//
//   T = (k - 1) s        k >= 2 spinners per CPU
//
// T time of one barrier, s time slice of the operating system [s]. Why: when a barrier opens, the thread that
// arrived last has just got its CPU. It passes, arrives at the next barrier at once, and spins its whole
// slice away; so do the k - 1 others of its CPU, one slice after the other, and the barrier opens as the last
// of them is let in, (k - 1) s later. The other CPUs do the same at the same time, and are at most as far
// behind. Hence s = T / (k - 1), at each k by itself: the scheduler may give shorter slices to more threads
// (Linux before 6.6 does).
// Holds for threads of equal priority, spread evenly, on CPUs that nobody else uses. Leaves out: migrations between
// CPUs, and that slices end at timer ticks. On a quiet two-CPU server: 3.5 ms at k = 2, 12.5 to 14 ms at k = 4.
#pragma once

#include <vector>

#include "base/quantity.hpp"

namespace corecast::calibration::microbench {

struct OversubscribedRun {
  Seconds elapsed{};
  int barriers = 0;  // in that time; at least `least`, unless the time limit came first
};

// `threads` spinning threads on `cpus`, not pinned one to one. Runs for `at_least` and at least `least`
// barriers, and no new barrier begins after `at_most`. The first 20 ms, when the threads start and spread,
// are not counted. std::system_error when the system gives no more threads.
[[nodiscard]] OversubscribedRun run_oversubscribed(const std::vector<int>& cpus, int threads, int least,
                                                   Seconds at_least, Seconds at_most);

}  // namespace corecast::calibration::microbench
