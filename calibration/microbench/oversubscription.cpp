#include "calibration/microbench/oversubscription.hpp"

#include <atomic>
#include <climits>
#include <thread>

#include "calibration/microbench/thread_mask.hpp"
#include "calibration/microbench/waiting.hpp"
#include "calibration/microbench/wall_clock.hpp"

namespace corecast::calibration::microbench {
namespace {

constexpr Seconds kSpreading{0.02};
constexpr std::uint32_t kStart = 1;
constexpr std::uint32_t kAbandon = 2;

struct Round {
  explicit Round(int threads) : barrier(threads) {}
  // Sleeping: threads that spin already would slow down the making of the others.
  std::atomic<std::uint32_t> gate{0};
  Barrier<Spinning> barrier;
  // The last round, set by the leader before it arrives there. All must leave after the same round, and a
  // slow thread may read this when the leader is one round ahead: a plain flag would let it leave too early.
  std::atomic<int> last{INT_MAX};
  int first = 0;  // the leader's count of rounds before those that it times
};

void follow(Round& round) {
  Sleeping::until_changed(round.gate, 0);
  if (round.gate.load() == kAbandon) return;
  for (int number = 0;; ++number) {
    round.barrier.wait();
    if (number >= round.last.load(std::memory_order_acquire)) return;
  }
}

void open(Round& round, std::uint32_t how) {
  round.gate.store(how);
  futex_wake_all(round.gate);
}

void join(std::vector<std::thread>& threads) {
  for (std::thread& thread : threads) thread.join();
}

// New threads start where their maker runs: the system needs some milliseconds to spread them.
void warm_up(Round& round) {
  const auto start = Clock::now();
  do {
    round.barrier.wait();
    ++round.first;
  } while (since(start) < kSpreading);
}

OversubscribedRun lead(Round& round, int least, Seconds at_least, Seconds at_most) {
  warm_up(round);
  const auto start = Clock::now();
  OversubscribedRun result;
  for (bool last = false; !last;) {
    const Seconds elapsed = since(start);
    const int number = result.barriers + 1;
    last = (elapsed >= at_least && number >= least) || elapsed >= at_most;
    if (last) round.last.store(round.first + number - 1, std::memory_order_release);
    round.barrier.wait();
    result.barriers = number;
  }
  result.elapsed = since(start);
  return result;
}

}  // namespace

OversubscribedRun run_oversubscribed(const std::vector<int>& cpus, int threads, int least, Seconds at_least,
                                     Seconds at_most) {
  const ThreadMaskGuard mask(cpus);  // new threads inherit it
  Round round(threads);
  std::vector<std::thread> followers;
  try {
    for (int i = 1; i < threads; ++i) followers.emplace_back([&round] { follow(round); });
  } catch (...) {  // the system gives no more threads
    open(round, kAbandon);
    join(followers);
    throw;
  }
  open(round, kStart);
  const OversubscribedRun result = lead(round, least, at_least, at_most);
  join(followers);
  return result;
}

}  // namespace corecast::calibration::microbench
