// Thread primitives of the microbenchmarks: that they do what they are timed for. Nothing here depends on how
// long things take; threads are not pinned, so the tests hold on one CPU too.
#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "calibration/microbench/oversubscription.hpp"
#include "calibration/microbench/suite.hpp"
#include "calibration/microbench/task_queue.hpp"
#include "calibration/microbench/team.hpp"
#include "calibration/microbench/waiting.hpp"
#include "hwmodels/host.hpp"

using namespace corecast;
using namespace corecast::calibration;
using namespace corecast::calibration::microbench;

namespace {

template <typename Body>
void on_threads(int threads, Body body) {
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back([&body, i] { body(i); });
  body(0);
  for (std::thread& other : others) other.join();
}

// Each thread counts itself before the barrier. Behind it, all of this round must have counted, and fewer
// than all of the next, since the thread that looks has not.
template <typename Waiting>
void check_barrier(int threads, int rounds) {
  Barrier<Waiting> barrier(threads);
  std::atomic<int> arrived{0};
  std::atomic<int> wrong{0};
  on_threads(threads, [&](int) {
    for (int round = 1; round <= rounds; ++round) {
      ++arrived;
      barrier.wait();
      const int seen = arrived;
      if (seen < round * threads || seen >= (round + 1) * threads) ++wrong;
    }
  });
  CHECK(wrong == 0);
  CHECK(arrived == rounds * threads);
}

template <typename Waiting>
void check_fork_join(int threads, std::uint32_t rounds) {
  ForkJoin<Waiting> pool(threads - 1);
  std::vector<int> runs(static_cast<std::size_t>(threads), 0);  // one writer each, read after the join
  bool complete = true;
  on_threads(threads, [&](int thread) {
    if (thread > 0) {
      // In two calls, as the benchmark makes one for each repetition.
      const std::uint32_t seen = pool.work(thread, rounds / 2, 0);
      CHECK(pool.work(thread, rounds - rounds / 2, seen) == rounds);
      return;
    }
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      pool.run(
          [](void* argument, int worker) {
            ++(*static_cast<std::vector<int>*>(argument))[static_cast<std::size_t>(worker)];
          },
          &runs);
      for (const int count : runs) complete = complete && count == static_cast<int>(round);
    }
  });
  CHECK(complete);
}

void count_run(void* argument, std::int64_t index) {
  ++(*static_cast<std::vector<std::atomic<int>>*>(argument))[static_cast<std::size_t>(index)];
}

template <typename Queue>
void check_drained(Queue& queue, const std::vector<std::atomic<int>>& runs) {
  on_threads(3, [&](int) {
    while (queue.run_one()) {
    }
  });
  bool once = true;
  for (const std::atomic<int>& count : runs) once = once && count == 1;
  CHECK(once);
  CHECK_FALSE(queue.run_one());
}

const Row* find(const std::vector<Row>& rows, const std::string& kernel, const std::string& implementation,
                int threads) {
  for (const Row& row : rows) {
    if (row.kernel == kernel && row.implementation == implementation && row.threads == threads) return &row;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("no thread passes a spinning barrier before all have arrived") {
  check_barrier<Spinning>(1, 1000);
  check_barrier<Spinning>(2, 30);
  check_barrier<Spinning>(5, 4);  // more threads than CPUs on small machines: each round takes time slices
}

TEST_CASE("no thread passes a sleeping barrier before all have arrived") {
  check_barrier<Sleeping>(1, 1000);
  check_barrier<Sleeping>(2, 1000);
  check_barrier<Sleeping>(9, 200);
}

TEST_CASE("a fork runs the task once on every worker before it returns") {
  check_fork_join<Sleeping>(1, 100);
  check_fork_join<Sleeping>(4, 500);
  check_fork_join<Spinning>(2, 30);
}

TEST_CASE("a queue behind a mutex runs every task once") {
  std::vector<std::atomic<int>> runs(5000);
  MutexQueue queue;
  for (std::int64_t i = 0; i < 5000; ++i) queue.push({count_run, &runs, i});
  check_drained(queue, runs);
}

TEST_CASE("a queue of a counter runs every task once") {
  std::vector<std::atomic<int>> runs(5000);
  CounterQueue queue({count_run, &runs, 0}, 5000);
  check_drained(queue, runs);
}

TEST_CASE("oversubscribed spinning ends and counts at least the barriers asked for") {
  const std::vector<int> cpus = {hwmodels::read_grant().usable().front()};
  const OversubscribedRun run = run_oversubscribed(cpus, 3, 2, Seconds(0.0), Seconds(10.0));
  CHECK(run.barriers == 2);
  CHECK(run.elapsed > Seconds(0.0));
}

TEST_CASE("oversubscribed spinning stops at its time limit") {
  // No barrier begins after the limit of 0 s, but the first: one barrier.
  const std::vector<int> before = hwmodels::read_grant().usable();
  CHECK(run_oversubscribed({before.front()}, 2, 1000, Seconds(0.0), Seconds(0.0)).barriers == 1);
  CHECK(before == hwmodels::read_grant().usable());  // the caller may run where it could
}

TEST_CASE("the threads group says which teams its rows were measured on") {
  const hwmodels::Host host = hwmodels::detect_host();
  SuiteOptions options;
  options.effort = Effort::quick;
  Recorder recorder(host, options, Seconds(0.4));
  measure_threads(recorder);
  const int cpus = host.grant.cpus();
  for (const Row& row : recorder.rows()) {
    CAPTURE(row.kernel);
    CAPTURE(row.threads);
    CHECK(row.group == Group::threads);
    CHECK(row.unit == Unit::seconds);
    CHECK_FALSE(row.samples.empty());
    for (const double sample : row.samples) CHECK(sample > 0.0);
    CHECK(row.cores <= host.machine.cores());
    CHECK(row.threads <= 4 * cpus);
    CHECK((row.threads <= row.cores * row.threads_per_core || row.kernel == "barrier_spin"));
  }
  // 0.4 s are enough for the first point at the least, the budget's rest is reported.
  CHECK(find(recorder.rows(), "thread_create", "", 1) != nullptr);
  if (cpus < 2) {
    CHECK(find(recorder.rows(), "fork_join_spin", "", 2) == nullptr);
    CHECK_FALSE(recorder.notes().not_measured.empty());
  }
}

TEST_CASE("a group without time measures nothing and says so for each point") {
  const hwmodels::Host host = hwmodels::detect_host();
  const SuiteOptions options;
  Recorder recorder(host, options, Seconds(0.0));
  measure_threads(recorder);
  measure_library_kernels(recorder);
  CHECK(recorder.rows().empty());
  CHECK(recorder.notes().not_measured.size() > 3);
}
