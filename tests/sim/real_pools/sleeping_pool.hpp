// A real asynchronous pool of threads whose operators sleep instead of computing, so that far more threads than CPUs run
// at the speed that many cores would give them. It takes up operators as Executor and Keep (sim/plan.hpp) say, in code
// of its own: nothing of the simulator runs here.
//
// `slots` worker threads take operators from one queue, first in, first out. Each worker has a team: an operator is cut
// into one part for each of the team's threads, the worker takes the first, and the join waits for the last to end.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "graphs/graph.hpp"
#include "sim/plan.hpp"

namespace corecast::test {

// One operator's lengths, a part for each thread of a team, in seconds.
using Parts = std::vector<double>;

// When an operator ran, in seconds since the first operators were queued.
struct RealRun {
  double start = 0.0;
  double end = 0.0;
};

class Team;

class SleepingPool {
 public:
  SleepingPool(int slots, int threads_each);
  ~SleepingPool();
  SleepingPool(const SleepingPool&) = delete;
  SleepingPool& operator=(const SleepingPool&) = delete;

  // Runs the graph once; `parts` and the result by OpIndex.
  [[nodiscard]] std::vector<RealRun> run(const graphs::Graph& graph, const std::vector<Parts>& parts,
                                         sim::Keep keep);

  [[nodiscard]] int threads_each() const { return threads_each_; }

 private:
  struct Job;

  void work(Team& team);
  std::optional<std::size_t> run_operator(std::size_t op, Team& team);
  [[nodiscard]] std::optional<std::size_t> kept(const std::vector<std::size_t>& ready, std::size_t of) const;

  int threads_each_ = 1;
  std::mutex mutex_;  // guards all below
  std::condition_variable queued_;
  std::condition_variable finished_;
  std::deque<std::size_t> queue_;
  Job* job_ = nullptr;
  bool stop_ = false;
  std::vector<std::unique_ptr<Team>> teams_;
  std::vector<std::jthread> workers_;
};

// What a real pool costs beside its operators, as its median over operators that run alone.
struct PoolCost {
  double dispatch = 0.0;  // from the push to the start: queue and wake-up
  double lateness = 0.0;  // fork, timer and join: length less that of the longest part
  [[nodiscard]] double per_operator() const { return dispatch + lateness; }
};
[[nodiscard]] PoolCost measure_cost(SleepingPool& pool);

}  // namespace corecast::test
