// Two ways in which threads share a list of tasks: a queue behind a mutex, and a counter that hands out
// indices.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

#include "calibration/microbench/waiting.hpp"

namespace corecast::calibration::microbench {

struct Task {
  void (*function)(void* argument, std::int64_t index) = nullptr;
  void* argument = nullptr;
  std::int64_t index = 0;
};

class MutexQueue {
 public:
  void push(const Task& task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(task);
  }
  // Runs one task; false when there is none.
  bool run_one() {
    Task task;
    {
      const std::lock_guard lock(mutex_);
      if (tasks_.empty()) return false;
      task = tasks_.front();
      tasks_.pop_front();
    }
    task.function(task.argument, task.index);
    return true;
  }

 private:
  std::mutex mutex_;
  std::deque<Task> tasks_;
};

// The same task for the indices 0 .. count - 1, as a parallel loop with dynamic schedule.
class CounterQueue {
 public:
  CounterQueue(const Task& task, std::int64_t count) : task_(task), count_(count) {}
  bool run_one() {
    const std::int64_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= count_) return false;
    task_.function(task_.argument, index);
    return true;
  }

 private:
  const Task task_;
  const std::int64_t count_;
  alignas(kApart) std::atomic<std::int64_t> next_{0};
};

}  // namespace corecast::calibration::microbench
