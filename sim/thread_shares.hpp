// How the operators that run at one time share the pool's threads and the CPUs.
//
// Threads: operator i wants n_i and has one always, its caller; the others are shared workers, W in all:
//
//   held_i = max(1, n_i s)      s <= 1 the largest with  sum_i (held_i - 1) <= W
//
// CPUs: a held thread is runnable whether it computes or waits for memory; so are idle pool threads that
// spin. The operating system gives each runnable thread the same time:
//
//   R = sum_i held_i + min(spinning, slots + W - sum_i held_i)      c = min(1, cpus / R) d
//
// A quota of Q CPUs, for all copies: their R threads use up Q T of CPU time on m = min(R, cpus) CPUs in B = Q T / m of every
// period T; then all stand still until the next one. The kernel hands time to CPUs in slices s; the first CPU that finds
// nothing left stands still while the others use up theirs and cannot join, on the average s (m - 1) / m each:
//
//   d = 1                                        m <= Q
//   d = (B / T) B / (B + s (1 - 1/m))            else
//
// on the average over many periods. Source: Linux, Documentation/scheduler/sched-bwc.rst (T 100 ms, s 5 ms by default).
//
// Lockstep: with more threads than CPUs, those that spin hold CPUs while one that has work waits for one. Then an operator
// gets on only while its caller sits on a CPU, and of its other n - 1 threads those that chance put on one besides:
//
//   a = 1 + (P - 1) (n - 1) / (R' - 1)       P = cpus of all copies, R' = R of all copies
//   F = h n / a                              time of a parallel phase over the fair sharing of the CPUs, c
//
// h: parts begun by a thread that then lost its CPU. Of one copy a = P and the time is h (R / P) (n / P) times that with P
// threads; threads that sleep when idle give their CPU up, and F = 1.
//
// Example: two operators of 4 threads, W = 3: s = 5/8, held = 2.5 each (the caller and 1.5 workers).
// Holds for pools that hand tasks to any free worker and tasks short against the operator. Leaves out: that a
// worker is given up at task ends only.
#pragma once

#include <span>

#include "sim/plan.hpp"

namespace corecast::sim {

struct ThreadShares {
  double level = 1.0;           // s
  double held = 0.0;            // sum of held_i
  double runnable = 0.0;        // R
  double cpu_share = 1.0;       // c
  double oversubscribed = 1.0;  // max(1, R / cpus)
};

// F of an operator that holds `held` threads, at least 1.
[[nodiscard]] double lockstep(double held, const ThreadShares& shares, const Plan& plan);

// `wanted`: n_i >= 1 of what runs now.
[[nodiscard]] ThreadShares thread_shares(std::span<const int> wanted, const Plan& plan);

// held_i
[[nodiscard]] inline double threads_held(int wanted, const ThreadShares& shares) {
  const double share = wanted * shares.level;
  return share > 1.0 ? share : 1.0;
}

}  // namespace corecast::sim
