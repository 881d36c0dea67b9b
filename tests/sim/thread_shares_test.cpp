#include "sim/thread_shares.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace corecast::sim {
namespace {

Plan pool(int slots, int workers, double cpus, int spinning) {
  Plan plan;
  plan.executor.slots = slots;
  plan.executor.shared_workers = workers;
  plan.cpus = cpus;
  plan.spinning = spinning;
  return plan;
}

TEST_CASE("with workers enough everybody has what they want") {
  const ThreadShares shares = thread_shares(std::vector<int>{4, 1, 2}, pool(3, 4, 7, 0));
  CHECK(shares.level == 1.0);
  CHECK(shares.held == 7.0);
  CHECK(shares.cpu_share == 1.0);
}

TEST_CASE("two operators of four threads on three workers hold 2.5 each") {
  const ThreadShares shares = thread_shares(std::vector<int>{4, 4}, pool(2, 3, 5, 0));
  CHECK(shares.level == doctest::Approx(5.0 / 8.0));
  CHECK(threads_held(4, shares) == doctest::Approx(2.5));
  CHECK(shares.held == doctest::Approx(5.0));
}

TEST_CASE("nobody falls below its caller") {
  // Wanted 2 and 14, one worker. Together s = 3/16 would give the first 3/8 of a thread; so it keeps its
  // caller, and the other has s = 2/14: its caller and the worker.
  const ThreadShares shares = thread_shares(std::vector<int>{2, 14}, pool(2, 1, 3, 0));
  CHECK(threads_held(2, shares) == 1.0);
  CHECK(threads_held(14, shares) == doctest::Approx(2.0));
  CHECK(shares.held == doctest::Approx(3.0));
}

TEST_CASE("without workers everybody has its caller") {
  const ThreadShares shares = thread_shares(std::vector<int>{2, 14, 1}, pool(3, 0, 3, 0));
  CHECK(threads_held(2, shares) == 1.0);
  CHECK(threads_held(14, shares) == doctest::Approx(1.0));
  CHECK(shares.held == doctest::Approx(3.0));
}

TEST_CASE("spinners are no more than the idle threads") {
  // 2 slots and 3 workers, one operator of 4: one thread is idle, whatever the number of those that would
  // spin.
  const ThreadShares shares = thread_shares(std::vector<int>{4}, pool(2, 3, 2.5, 5));
  CHECK(shares.runnable == 5.0);
  CHECK(shares.cpu_share == doctest::Approx(0.5));
}

TEST_CASE("nothing runs: nothing is held, spinners spin") {
  const ThreadShares shares = thread_shares({}, pool(1, 3, 2, 3));
  CHECK(shares.held == 0.0);
  CHECK(shares.runnable == 3.0);
}

}  // namespace
}  // namespace corecast::sim
