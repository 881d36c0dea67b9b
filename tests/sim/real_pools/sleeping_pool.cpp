#include "tests/sim/real_pools/sleeping_pool.hpp"

#include <algorithm>
#include <chrono>

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace corecast::test {
namespace {

using Clock = std::chrono::steady_clock;

// Linux lets a timer be 50 us late, to wake threads together; here each is wanted at its own time.
void want_exact_timers() {
#ifdef __linux__
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
#endif
}

void sleep_for(double seconds) {
  std::this_thread::sleep_until(
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
}

double seconds(Clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

}  // namespace

// A caller and its helpers, as an OpenMP team: all are forked, the join waits for the slowest.
class Team {
 public:
  explicit Team(int threads) {
    for (int i = 1; i < threads; ++i) {
      helpers_.emplace_back([this, i] { help(static_cast<std::size_t>(i)); });
    }
  }

  ~Team() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    forked_.notify_all();
  }

  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  void run(const Parts& parts) {
    {
      const std::lock_guard lock(mutex_);
      parts_ = &parts;
      running_ = helpers_.size();
      ++round_;
    }
    forked_.notify_all();
    sleep_for(parts.front());
    std::unique_lock lock(mutex_);
    joined_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  void help(std::size_t member) {
    want_exact_timers();
    std::size_t done = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      forked_.wait(lock, [&] { return stop_ || round_ != done; });
      if (stop_) return;
      done = round_;
      const double part = (*parts_)[member];
      lock.unlock();
      sleep_for(part);
      lock.lock();
      if (--running_ == 0) joined_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable forked_;
  std::condition_variable joined_;
  const Parts* parts_ = nullptr;
  std::size_t round_ = 0;
  std::size_t running_ = 0;
  bool stop_ = false;
  std::vector<std::jthread> helpers_;
};

struct SleepingPool::Job {
  const std::vector<Parts>* parts = nullptr;
  sim::Keep keep = sim::Keep::none;
  std::vector<std::vector<std::size_t>> successors;
  std::vector<std::size_t> predecessors;  // how many there are
  std::vector<std::size_t> pending;       // how many have not ended
  std::vector<RealRun> runs;
  std::size_t left = 0;
  Clock::time_point begin;
};

SleepingPool::SleepingPool(int slots, int threads_each) : threads_each_(threads_each) {
  for (int i = 0; i < slots; ++i) teams_.push_back(std::make_unique<Team>(threads_each));
  for (const auto& team : teams_) {
    workers_.emplace_back([this, members = team.get()] { work(*members); });
  }
}

SleepingPool::~SleepingPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  queued_.notify_all();
  workers_.clear();  // joins them, while their teams live
}

std::vector<RealRun> SleepingPool::run(const graphs::Graph& graph, const std::vector<Parts>& parts,
                                       sim::Keep keep) {
  Job job;
  job.parts = &parts;
  job.keep = keep;
  job.runs.resize(graph.size());
  job.left = graph.size();
  std::vector<std::size_t> roots;
  for (std::size_t op = 0; op < graph.size(); ++op) {
    job.predecessors.push_back(graph.predecessors(OpIndex(op)).size());
    if (job.predecessors.back() == 0) roots.push_back(op);
    std::vector<std::size_t>& next = job.successors.emplace_back();
    for (const OpIndex successor : graph.successors(OpIndex(op))) next.push_back(successor.value());
  }
  job.pending = job.predecessors;

  std::unique_lock lock(mutex_);
  job_ = &job;
  job.begin = Clock::now();
  queue_.assign(roots.begin(), roots.end());
  for (std::size_t i = 0; i < roots.size(); ++i) queued_.notify_one();
  finished_.wait(lock, [&] { return job.left == 0; });
  job_ = nullptr;
  return std::move(job.runs);
}

void SleepingPool::work(Team& team) {
  want_exact_timers();
  std::unique_lock lock(mutex_);
  for (;;) {
    queued_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (stop_) return;
    std::optional<std::size_t> op = queue_.front();
    queue_.pop_front();
    lock.unlock();
    while (op) op = run_operator(*op, team);
    lock.lock();
  }
}

// Returns what the same thread goes on with.
std::optional<std::size_t> SleepingPool::run_operator(std::size_t op, Team& team) {
  Job& job = *job_;  // set while operators are left; written under the mutex that the queue was read under
  const Clock::time_point start = Clock::now();
  team.run((*job.parts)[op]);
  const Clock::time_point end = Clock::now();

  const std::lock_guard lock(mutex_);
  job.runs[op] = {seconds(start - job.begin), seconds(end - job.begin)};
  std::vector<std::size_t> ready;
  for (const std::size_t successor : job.successors[op]) {
    if (--job.pending[successor] == 0) ready.push_back(successor);
  }
  const std::optional<std::size_t> next = kept(ready, op);
  for (const std::size_t successor : ready) {
    if (successor == next) continue;
    queue_.push_back(successor);
    queued_.notify_one();
  }
  if (--job.left == 0) finished_.notify_one();
  return next;
}

std::optional<std::size_t> SleepingPool::kept(const std::vector<std::size_t>& ready, std::size_t of) const {
  if (ready.empty()) return std::nullopt;
  switch (job_->keep) {
    case sim::Keep::first:
      return ready.front();
    case sim::Keep::last:
      return ready.back();
    case sim::Keep::chain:
      if (job_->successors[of].size() == 1 && job_->predecessors[ready.front()] == 1) return ready.front();
      return std::nullopt;
    case sim::Keep::none:
      return std::nullopt;
  }
  return std::nullopt;
}

PoolCost measure_cost(SleepingPool& pool) {
  constexpr int kRuns = 11;
  constexpr double kLength = 0.002;
  graphs::Graph graph;
  graphs::Operator only;
  only.name = "only";
  const OpIndex op = graph.add(only);
  Parts parts;
  const int n = pool.threads_each();
  for (int i = 1; i <= n; ++i) parts.push_back(kLength * i / n);
  std::vector<double> dispatch;
  std::vector<double> lateness;
  for (int i = 0; i < kRuns; ++i) {
    const RealRun run = pool.run(graph, {parts}, sim::Keep::none)[op.value()];
    dispatch.push_back(run.start);
    lateness.push_back(run.end - run.start - kLength);
  }
  const auto median = [](std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + kRuns / 2, values.end());
    return values[kRuns / 2];
  };
  return {median(dispatch), median(lateness)};
}

}  // namespace corecast::test
