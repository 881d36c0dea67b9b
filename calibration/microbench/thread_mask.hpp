// Affinity of single threads, by the system's CPU numbers.
#pragma once

#include <sched.h>

#include <vector>

namespace corecast::calibration::microbench {

// Any CPU number, where the fixed cpu_set_t ends at 1023.
class CpuMask {
 public:
  explicit CpuMask(const std::vector<int>& cpus);

  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(unsigned long); }
  [[nodiscard]] const cpu_set_t* get() const { return reinterpret_cast<const cpu_set_t*>(words_.data()); }
  [[nodiscard]] cpu_set_t* get() { return reinterpret_cast<cpu_set_t*>(words_.data()); }

 private:
  std::vector<unsigned long> words_;
};

// The calling thread may run on `cpus` alone. False: the system forbade it.
bool restrict_this_thread(const std::vector<int>& cpus);

// Restricts the calling thread and gives it its former CPUs back at the end.
class ThreadMaskGuard {
 public:
  explicit ThreadMaskGuard(const std::vector<int>& cpus);
  ~ThreadMaskGuard();
  ThreadMaskGuard(const ThreadMaskGuard&) = delete;
  ThreadMaskGuard& operator=(const ThreadMaskGuard&) = delete;

  [[nodiscard]] bool restricted() const { return restricted_; }

 private:
  CpuMask before_;
  bool known_ = false;
  bool restricted_ = false;
};

}  // namespace corecast::calibration::microbench
