#include "tests/sim/real_pools/eigen_pool.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <unsupported/Eigen/CXX11/ThreadPool>

namespace corecast::test {
namespace {

using Clock = std::chrono::steady_clock;

class Run {
 public:
  Run(const graphs::Graph& graph, const std::vector<double>& lengths) : graph_(graph), lengths_(lengths) {
    for (std::size_t op = 0; op < graph.size(); ++op)
      pending_.push_back(graph.predecessors(OpIndex(op)).size());
    runs_.resize(graph.size());
    left_ = graph.size();
  }

  std::vector<RealRun> on(Eigen::ThreadPool& pool) {
    std::vector<std::size_t> roots;
    for (std::size_t op = 0; op < pending_.size(); ++op) {
      if (pending_[op] == 0) roots.push_back(op);
    }
    begin_ = Clock::now();
    for (const std::size_t op : roots) schedule(pool, op);
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return left_ == 0; });
    return runs_;
  }

 private:
  void schedule(Eigen::ThreadPool& pool, std::size_t op) {
    pool.Schedule([this, &pool, op] {
      for (std::optional<std::size_t> next = op; next;) next = run_operator(pool, *next);
    });
  }

  std::optional<std::size_t> run_operator(Eigen::ThreadPool& pool, std::size_t op) {
    const Clock::time_point start = Clock::now();
    std::this_thread::sleep_until(
        start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(lengths_[op])));
    const Clock::time_point end = Clock::now();
    const std::lock_guard lock(mutex_);
    runs_[op] = {std::chrono::duration<double>(start - begin_).count(),
                 std::chrono::duration<double>(end - begin_).count()};
    std::optional<std::size_t> kept;
    for (const OpIndex successor : graph_.successors(OpIndex(op))) {
      if (--pending_[successor.value()] > 0) continue;
      if (kept) schedule(pool, *kept);
      kept = successor.value();
    }
    if (--left_ == 0) ended_.notify_one();
    return kept;
  }

  const graphs::Graph& graph_;
  const std::vector<double>& lengths_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<std::size_t> pending_;
  std::vector<RealRun> runs_;
  std::size_t left_ = 0;
  Clock::time_point begin_;
};

}  // namespace

std::vector<RealRun> run_on_eigen(const graphs::Graph& graph, const std::vector<double>& lengths,
                                  int threads) {
  Run run(graph, lengths);  // outlives the pool, whose threads may still leave it
  Eigen::ThreadPool pool(threads);
  return run.on(pool);
}

}  // namespace corecast::test
