// Barriers and fork/join as thread pools have them, in two kinds of waiting.
//
// Central counters, one word that all wait on: what OpenMP libraries and inference thread pools do. Their
// cost grows with the thread count, since each arrival moves the counter's cache line, and the release moves
// the word to every waiter. Counter and word lie on lines of their own, as in libgomp, so that arrivals do
// not disturb those who wait. Two threads alone would be faster with both on one line (about 0.23 us against
// 0.43 us on a Zen 5 server), many would be slower.
// Leaves out: trees and other barriers for hundreds of threads.
#pragma once

#include <atomic>
#include <cstdint>

#include "calibration/microbench/futex.hpp"

namespace corecast::calibration::microbench {

inline constexpr std::size_t kApart = 128;  // two cache lines: prefetchers fetch them in pairs

inline void relax_cpu() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

struct Spinning {
  static void until_changed(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    while (word.load(std::memory_order_acquire) == value) relax_cpu();
  }
  static void tell(std::atomic<std::uint32_t>&) {}
};

struct Sleeping {
  static void until_changed(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    while (word.load(std::memory_order_acquire) == value) futex_wait(word, value);
  }
  static void tell(std::atomic<std::uint32_t>& word) { futex_wake_all(word); }
};

// Nobody passes before all have arrived. The word that is waited on counts the rounds (the "sense" of a
// sense-reversing barrier, with more than one bit), so the barrier can be used again at once.
template <typename Waiting>
class Barrier {
 public:
  explicit Barrier(int threads) : threads_(static_cast<std::uint32_t>(threads)) {}

  void wait() {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);  // cannot advance before we arrive
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < threads_) {
      Waiting::until_changed(round_, round);
      return;
    }
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    Waiting::tell(round_);
  }

 private:
  const std::uint32_t threads_;
  alignas(kApart) std::atomic<std::uint32_t> arrived_{0};
  alignas(kApart) std::atomic<std::uint32_t> round_{0};
};

// One dispatcher hands a task to all workers, does its own part, and waits for theirs.
template <typename Waiting>
class ForkJoin {
 public:
  using Task = void (*)(void* argument, int worker);

  explicit ForkJoin(int workers) : workers_(static_cast<std::uint32_t>(workers)) {}

  // By the dispatcher, which counts as worker 0 in the call of `task`.
  void run(Task task, void* argument) {
    task_ = task;
    argument_ = argument;
    const std::uint32_t before = joined_.load(std::memory_order_relaxed);
    left_.store(workers_, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    Waiting::tell(round_);
    task(argument, 0);
    if (workers_ > 0) Waiting::until_changed(joined_, before);
  }

  // By worker 1, 2, ...: takes part in the next `rounds` runs. `seen` is how many there were before; returns
  // how many there are then.
  std::uint32_t work(int worker, std::uint32_t rounds, std::uint32_t seen) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      Waiting::until_changed(round_, seen);
      ++seen;
      task_(argument_, worker);
      if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        joined_.fetch_add(1, std::memory_order_release);
        Waiting::tell(joined_);
      }
    }
    return seen;
  }

 private:
  const std::uint32_t workers_;
  Task task_ = nullptr;
  void* argument_ = nullptr;
  alignas(kApart) std::atomic<std::uint32_t> round_{0};
  alignas(kApart) std::atomic<std::uint32_t> left_{0};
  alignas(kApart) std::atomic<std::uint32_t> joined_{0};
};

}  // namespace corecast::calibration::microbench
