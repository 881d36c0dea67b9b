#include "calibration/microbench/team.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "calibration/microbench/thread_mask.hpp"

namespace corecast::calibration::microbench {
namespace {

using Clock = std::chrono::steady_clock;

// Long enough (tens of microseconds) that threads with a CPU of their own never yield within a benchmark, short enough
// that with fewer CPUs than threads the others get their turn.
constexpr int kSpins = 2000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

template <typename Ready>
void wait_until(const Ready& ready) {
  for (int spins = 0; !ready(); ++spins) {
    if (spins < kSpins) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
}

// On a pair of cache lines of its own, for CPUs fetch neighbours together.
struct alignas(128) Slot {
  Clock::time_point begin, end;
};

}  // namespace

struct Team::Shared {
  explicit Shared(std::size_t size) : slots(size) {}

  alignas(128) std::atomic<std::uint64_t> round{0};  // counted up by thread 0: work is there, or stop
  alignas(128) std::atomic<std::size_t> arrived{0};  // threads that wait at the start, or have ended
  alignas(128) std::atomic<std::uint64_t> go{0};
  std::atomic<bool> stop{false};
  const std::function<void(int)>* body = nullptr;
  std::vector<Slot> slots;
  std::mutex error_mutex;
  std::string error;
  std::optional<ThreadMaskGuard> own_mask;  // of thread 0
  std::vector<std::thread> threads;

  [[nodiscard]] std::size_t others() const { return slots.size() - 1; }
  void pinning_failed(int cpu) {
    const std::string reason = std::strerror(errno);
    const std::lock_guard<std::mutex> lock(error_mutex);
    if (error.empty()) error = fmt::format("cannot pin to CPU {}: {}", cpu, reason);
  }
  void perform(std::size_t thread) {
    slots[thread].begin = Clock::now();
    (*body)(static_cast<int>(thread));
    slots[thread].end = Clock::now();
  }
  void wait_for_others() {
    wait_until([&] { return arrived.load(std::memory_order_acquire) == others(); });
    arrived.store(0, std::memory_order_relaxed);
  }
  void serve(std::size_t thread, int cpu);
  void end();
};

void Team::Shared::serve(std::size_t thread, int cpu) {
  if (!restrict_this_thread({cpu})) pinning_failed(cpu);
  arrived.fetch_add(1, std::memory_order_release);
  for (std::uint64_t next = 1;; ++next) {
    wait_until([&] { return round.load(std::memory_order_acquire) >= next; });
    if (stop.load(std::memory_order_relaxed)) return;
    arrived.fetch_add(1, std::memory_order_release);
    wait_until([&] { return go.load(std::memory_order_acquire) >= next; });
    perform(thread);
    arrived.fetch_add(1, std::memory_order_release);
  }
}

void Team::Shared::end() {
  stop.store(true, std::memory_order_relaxed);
  round.fetch_add(1, std::memory_order_release);
  for (std::thread& thread : threads) thread.join();
}

Team::Team(const std::vector<int>& cpu_numbers)
    : shared_(std::make_unique<Shared>(std::max<std::size_t>(cpu_numbers.size(), 1))) {
  Shared& shared = *shared_;
  if (cpu_numbers.empty()) return;
  try {
    for (std::size_t i = 1; i < cpu_numbers.size(); ++i) {
      shared.threads.emplace_back([&shared, i, cpu = cpu_numbers[i]] { shared.serve(i, cpu); });
    }
  } catch (const std::system_error& error) {  // those that run must end before their team does
    const std::size_t there = shared.threads.size() + 1;
    shared.end();
    throw std::runtime_error(fmt::format("{} threads are needed, but only {} can be had: {}",
                                         cpu_numbers.size(), there, error.code().message()));
  } catch (...) {
    shared.end();
    throw;
  }
  shared.own_mask.emplace(std::vector<int>{cpu_numbers[0]});
  if (!shared.own_mask->restricted()) shared.pinning_failed(cpu_numbers[0]);
  shared.wait_for_others();
}

Team::~Team() {
  shared_->end();
}

Seconds Team::run(const std::function<void(int thread)>& body) {
  Shared& shared = *shared_;
  shared.body = &body;
  const std::uint64_t next = shared.round.load(std::memory_order_relaxed) + 1;
  shared.round.store(next, std::memory_order_release);
  shared.wait_for_others();
  shared.go.store(next, std::memory_order_release);
  shared.perform(0);
  shared.wait_for_others();
  const auto first = std::min_element(shared.slots.begin(), shared.slots.end(),
                                      [](const Slot& a, const Slot& b) { return a.begin < b.begin; });
  const auto last = std::max_element(shared.slots.begin(), shared.slots.end(),
                                     [](const Slot& a, const Slot& b) { return a.end < b.end; });
  return Seconds(std::chrono::duration<double>(last->end - first->begin).count());
}

int Team::size() const {
  return static_cast<int>(shared_->slots.size());
}

const std::string& Team::not_pinned() const {
  return shared_->error;
}

}  // namespace corecast::calibration::microbench
