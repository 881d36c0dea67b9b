// What the thread pools below the frameworks cost on this host, with two threads: the figures in data/runtimes that say
// "thread_pools.cpp". Pools: a mutex, a queue and a condition variable over std::thread (as Caffe2's), Eigen's non-blocking
// pool (TensorFlow's), an arena of oneTBB (OpenVINO's), and the OpenMP of the compiler (PyTorch's, oneDNN's, llama.cpp's).
//
//   fork    caller hands an empty body to one other thread, takes part itself, and joins
//   hand    from submitting a task to its start on another thread
//   task    submitting and running one of many empty tasks (the microbenchmark of Wang et al., arXiv 1908.04705)
//   spin    CPU time that idle threads use after one fork, until all of them sleep
//
// fork and hand are given for pauses of the caller in between: the other thread spins at first and then sleeps.
// Each is the median of the rounds, in microseconds. Build and run: run.sh.
#define EIGEN_USE_THREADS
#include <omp.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <unsupported/Eigen/CXX11/ThreadPool>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration d) {
  return std::chrono::duration<double, std::micro>(d).count();
}

void busy(double us) {
  const auto start = Clock::now();
  while (microseconds(Clock::now() - start) < us) {
  }
}

// The caller computes in short pauses; in long ones it would only keep the other CPU from sleeping, so it sleeps too.
void pause(double us) {
  if (us > 5000.0)
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(us));
  else
    busy(us);
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

// One queue behind one lock; threads that find it empty sleep at once.
class LockedPool {
 public:
  explicit LockedPool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~LockedPool() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  void Schedule(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push(std::move(task));
    wake_.notify_one();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const auto task = std::move(tasks_.front());
      tasks_.pop();
      lock.unlock();
      task();
      lock.lock();
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::queue<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  bool stop_ = false;
};

struct Pause {
  double us;
  int rounds;
};
constexpr Pause kPauses[] = {{0, 5000}, {20, 3000}, {100, 2000}, {1000, 500}, {20000, 60}, {400000, 8}};

template <typename Fork>
void forks(const char* name, Fork fork) {
  std::printf("%-16s fork ", name);
  for (const Pause& p : kPauses) {
    std::vector<double> times;
    for (int i = 0; i < p.rounds; ++i) {
      pause(p.us);
      const auto start = Clock::now();
      fork();
      times.push_back(microseconds(Clock::now() - start));
    }
    std::printf(" %8.2f", median(times));
  }
  std::printf("\n");
}

template <typename Pool>
void hands(const char* name, Pool& pool) {
  std::printf("%-16s hand ", name);
  for (const Pause& p : kPauses) {
    std::vector<double> times;
    for (int i = 0; i < p.rounds; ++i) {
      pause(p.us);
      std::atomic<bool> done{false};
      Clock::time_point begun;
      const auto start = Clock::now();
      pool.Schedule([&] {
        begun = Clock::now();
        done.store(true, std::memory_order_release);
      });
      while (!done.load(std::memory_order_acquire)) {
      }
      times.push_back(microseconds(begun - start));
    }
    std::printf(" %8.2f", median(times));
  }
  std::printf("\n");
}

template <typename Pool>
void tasks(const char* name, int threads) {
  constexpr int kTasks = 100000;
  std::vector<double> times;
  for (int round = 0; round < 7; ++round) {
    Pool pool(threads);
    std::atomic<int> done{0};
    const auto start = Clock::now();
    for (int i = 0; i < kTasks; ++i) pool.Schedule([&] { done.fetch_add(1); });
    while (done.load() < kTasks) std::this_thread::yield();
    times.push_back(microseconds(Clock::now() - start) / kTasks);
  }
  std::printf("%-16s task  %d threads: %.3f\n", name, threads, median(times));
}

// CPU time of the process while the caller sleeps for a second.
template <typename Fork>
void spins(const char* name, Fork fork) {
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    fork();
    const std::clock_t before = std::clock();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    times.push_back(1e6 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
  }
  std::printf("%-16s spin  %.0f\n", name, median(times));
}

void open_mp() {
  const auto fork = [] {
#pragma omp parallel num_threads(2)
    { asm volatile("" ::: "memory"); }
  };
  forks(NAME, fork);
  spins(NAME, fork);
}

void eigen() {
  Eigen::ThreadPool one(1), two(2);
  const auto fork_over = [](Eigen::ThreadPool& pool) {
    Eigen::Barrier barrier(1);
    pool.Schedule([&] { barrier.Notify(); });
    barrier.Wait();
  };
  forks("Eigen, 1 worker", [&] { fork_over(one); });
  forks("Eigen, 2 workers", [&] { fork_over(two); });
  hands("Eigen, 1 worker", one);
  hands("Eigen, 2 workers", two);
  spins("Eigen, 1 worker", [&] { fork_over(one); });
  spins("Eigen, 2 workers", [&] { fork_over(two); });
  for (const int threads : {1, 2, 64}) tasks<Eigen::ThreadPool>("Eigen", threads);
}

void one_tbb() {
  tbb::task_arena arena(2);
  const auto fork = [&] {
    arena.execute([] {
      tbb::parallel_for(
          0, 2,
          [](int) {
            asm volatile("" ::: "memory");
          },
          tbb::static_partitioner());
    });
  };
  forks("oneTBB", fork);
  spins("oneTBB", fork);
}

}  // namespace

int main() {
  std::printf("microseconds; pauses  ");
  for (const Pause& p : kPauses) std::printf(" %8.0f", p.us);
  std::printf("\n");
  open_mp();
  if (OTHERS) {
    eigen();
    one_tbb();
    LockedPool pool(1);
    hands("std::thread", pool);
    for (const int threads : {1, 2, 64}) tasks<LockedPool>("std::thread", threads);
  }
}
