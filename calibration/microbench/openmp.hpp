// The OpenMP threads of a library that was loaded at run time: how many, and on which CPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/microbench/dynamic_library.hpp"

namespace corecast::calibration::microbench {

class OpenMpThreads {
 public:
  // The OpenMP that `library` depends on; nothing when it has none.
  static std::optional<OpenMpThreads> of(const DynamicLibrary& library);

  // From now on parallel regions of the calling thread have one thread per CPU, thread i on cpus[i]. Thread
  // 0, the caller, is left to whoever restricts it (to all of `cpus`, not to the first alone: threads that
  // OpenMP makes later, after a region with fewer, start with the caller's mask). False: the workers could
  // not be pinned, and keep the caller's mask of the moment they were made.
  [[nodiscard]] bool use(const std::vector<int>& cpus) const;

 private:
  OpenMpThreads() = default;

  void (*set_num_threads_)(int) = nullptr;
  int (*get_thread_num_)() = nullptr;
  // What GCC turns "omp parallel" into; other compilers' OpenMP libraries offer it for compatibility.
  void (*parallel_)(void (*)(void*), void*, unsigned, unsigned) = nullptr;
};

// Settings of the environment that change what OpenMP threads do between two regions, as "NAME=value"; empty:
// none.
[[nodiscard]] std::vector<std::string> openmp_settings();

}  // namespace corecast::calibration::microbench
