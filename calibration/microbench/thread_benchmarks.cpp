#include "calibration/microbench/thread_benchmarks.hpp"

#include <algorithm>
#include <thread>
#include <type_traits>

#include "calibration/microbench/oversubscription.hpp"
#include "calibration/microbench/points.hpp"
#include "calibration/microbench/task_queue.hpp"
#include "calibration/microbench/waiting.hpp"
#include "calibration/microbench/wall_clock.hpp"

namespace corecast::calibration::microbench {
namespace {

// Until a thread that said it goes to sleep does sleep, and its CPU with it.
constexpr Seconds kUntilAsleep{50e-6};
// Clock reads and wake-ups last microseconds each: shorter repetitions than the sampler's suffice, since most
// of their wall time is waiting.
constexpr Seconds kSleepersRepetition{0.002};
constexpr int kLeastOversubscribedBarriers = 8;
constexpr Seconds kLeastOversubscribedRun{0.02};

void wait_until_asleep() {
  const auto start = Clock::now();
  while (since(start) < kUntilAsleep) relax_cpu();
}

// The sampler knows the time that counts; the waiting before is about four times as long.
SamplingOptions for_sleepers(SamplingOptions options) {
  options.repetition = kSleepersRepetition;
  options.budget = 0.2 * options.budget;
  return options;
}

void nothing(void*, int) {}
void no_task(void*, std::int64_t) {}

// Sleeping workers are let fall asleep before each run, and that time is not counted: back to back, some runs
// would find them awake, and the cost would depend on the beat.
template <typename Waiting>
Seconds dispatch(ForkJoin<Waiting>& pool, std::uint32_t runs) {
  constexpr bool sleeping = std::is_same_v<Waiting, Sleeping>;
  const auto start = Clock::now();
  Seconds sum{};
  for (std::uint32_t i = 0; i < runs; ++i) {
    if (sleeping) wait_until_asleep();
    const auto fork = Clock::now();
    pool.run(nothing, nullptr);
    if (sleeping) sum += since(fork);
  }
  return sleeping ? sum : since(start);
}

template <typename Waiting>
ThreadResult fork_join(const ThreadSetting& setting, const SamplingOptions& options) {
  Team team(cpu_numbers(setting.seats));
  ForkJoin<Waiting> pool(setting.threads - 1);
  std::uint32_t before = 0;
  const auto run = [&](std::int64_t operations) {
    const auto runs = static_cast<std::uint32_t>(operations);
    Seconds elapsed{};
    team.run([&](int thread) {
      if (thread > 0) (void)pool.work(thread, runs, before);
      if (thread == 0) elapsed = dispatch(pool, runs);
    });
    before += runs;
    return elapsed;
  };
  return {sample(run, options), team.not_pinned()};
}

struct Bed {
  alignas(kApart) std::atomic<std::uint32_t> word{0};  // slept on; counts the wake-ups
  alignas(kApart) std::atomic<std::uint32_t> ready{0}, awake{0};
  Clock::time_point awake_at;
};

void sleep_and_tell(Bed& bed, std::uint32_t turn) {
  bed.ready.store(turn + 1, std::memory_order_release);
  Sleeping::until_changed(bed.word, turn);
  bed.awake_at = Clock::now();
  bed.awake.store(turn + 1, std::memory_order_release);
}

Seconds wake_and_time(Bed& bed, std::uint32_t turn) {
  Spinning::until_changed(bed.ready, turn);
  wait_until_asleep();
  const auto start = Clock::now();
  bed.word.store(turn + 1, std::memory_order_release);
  futex_wake(bed.word, 1);
  Spinning::until_changed(bed.awake, turn);
  return between(start, bed.awake_at);
}

template <typename Queue>
Seconds drain(Team& team, Queue& queue) {
  return team.run([&](int) {
    while (queue.run_one()) {
    }
  });
}

}  // namespace

// Back to back.
ThreadResult barrier_spin(const ThreadSetting& setting) {
  Team team(cpu_numbers(setting.seats));
  Barrier<Spinning> barrier(setting.threads);
  const auto run = [&](std::int64_t operations) {
    return team.run([&](int) {
      for (std::int64_t i = 0; i < operations; ++i) barrier.wait();
    });
  };
  return {sample(run, setting.options), team.not_pinned()};
}

ThreadResult fork_join_spin(const ThreadSetting& setting) {
  return fork_join<Spinning>(setting, setting.options);
}

ThreadResult fork_join_sleep(const ThreadSetting& setting) {
  return fork_join<Sleeping>(setting, for_sleepers(setting.options));
}

// The leader arrives last, when the others sleep, and its time runs until all of them have passed.
ThreadResult barrier_sleep(const ThreadSetting& setting) {
  Team team(cpu_numbers(setting.seats));
  Barrier<Sleeping> barrier(setting.threads);
  const auto others = static_cast<std::uint32_t>(setting.threads - 1);
  alignas(kApart) std::atomic<std::uint32_t> passed{0};
  const auto run = [&](std::int64_t operations) {
    Seconds sum{};
    passed = 0;
    team.run([&](int thread) {
      for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(operations); ++i) {
        if (thread == 0) wait_until_asleep();
        const auto arrival = Clock::now();
        barrier.wait();
        if (thread > 0) passed.fetch_add(1, std::memory_order_release);
        if (thread > 0) continue;
        while (passed.load(std::memory_order_acquire) != (i + 1) * others) relax_cpu();
        sum += since(arrival);
      }
    });
    return sum;
  };
  return {sample(run, for_sleepers(setting.options)), team.not_pinned()};
}

ThreadResult wake_up(const ThreadSetting& setting) {
  Team team(cpu_numbers(setting.seats));
  Bed bed;
  std::uint32_t turn = 0;
  const auto run = [&](std::int64_t operations) {
    const auto turns = static_cast<std::uint32_t>(operations);
    Seconds sum{};
    team.run([&](int thread) {
      for (std::uint32_t i = turn; i != turn + turns; ++i) {
        if (thread == 0) sum += wake_and_time(bed, i);
        if (thread == 1) sleep_and_tell(bed, i);
      }
    });
    turn += turns;
    return sum;
  };
  return {sample(run, for_sleepers(setting.options)), team.not_pinned()};
}

ThreadResult thread_create(const ThreadSetting& setting) {
  const auto run = [](std::int64_t operations) {
    const auto start = Clock::now();
    for (std::int64_t i = 0; i < operations; ++i) std::thread([] {}).join();
    return since(start);
  };
  return {sample(run, setting.options), {}};
}

ThreadResult mutex_queue(const ThreadSetting& setting) {
  Team team(cpu_numbers(setting.seats));
  const auto run = [&](std::int64_t operations) {
    MutexQueue queue;
    for (std::int64_t i = 0; i < operations; ++i) queue.push({no_task, nullptr, i});
    return drain(team, queue);
  };
  return {sample(run, setting.options), team.not_pinned()};
}

ThreadResult counter_queue(const ThreadSetting& setting) {
  Team team(cpu_numbers(setting.seats));
  const auto run = [&](std::int64_t operations) {
    CounterQueue queue({no_task, nullptr, 0}, operations);
    return drain(team, queue);
  };
  return {sample(run, setting.options), team.not_pinned()};
}

// Its own repetitions: their length is a number of time slices, not a number of operations that fits a clock.
ThreadResult oversubscription(const ThreadSetting& setting) {
  const auto start = Clock::now();
  const SamplingOptions& options = setting.options;
  ThreadResult result;
  Sampling& sampling = result.sampling;
  while (static_cast<int>(sampling.seconds.size()) < options.most && !sampling.reached) {
    const Seconds left = options.budget - since(start);
    if (!sampling.seconds.empty() && left <= Seconds(0.0)) break;
    const OversubscribedRun run =
        run_oversubscribed(cpu_numbers(setting.seats), setting.threads, kLeastOversubscribedBarriers,
                           options.repetition, std::max(left, kLeastOversubscribedRun));
    sampling.seconds.push_back(run.elapsed.value() / run.barriers);
    sampling.reached = static_cast<int>(sampling.seconds.size()) >= options.least &&
                       relative_spread(sampling.seconds) <= options.target;
  }
  return result;
}

}  // namespace corecast::calibration::microbench
