#include "calibration/microbench/openmp.hpp"

#include <atomic>
#include <cstdlib>

#include "calibration/microbench/thread_mask.hpp"

namespace corecast::calibration::microbench {
namespace {

struct Pinning {
  const std::vector<int>& cpus;
  int (*thread_number)();
  std::atomic<int> failed{0};
};

void pin_worker(void* argument) {
  auto& pinning = *static_cast<Pinning*>(argument);
  const int number = pinning.thread_number();
  if (number == 0) return;
  const auto index = static_cast<std::size_t>(number);
  if (index >= pinning.cpus.size() || !restrict_this_thread({pinning.cpus[index]})) ++pinning.failed;
}

}  // namespace

std::optional<OpenMpThreads> OpenMpThreads::of(const DynamicLibrary& library) {
  OpenMpThreads found;
  if (!library.find("omp_set_num_threads", found.set_num_threads_)) return std::nullopt;
  (void)library.find("omp_get_thread_num", found.get_thread_num_);
  (void)library.find("GOMP_parallel", found.parallel_);
  return found;
}

bool OpenMpThreads::use(const std::vector<int>& cpus) const {
  set_num_threads_(static_cast<int>(cpus.size()));
  if (cpus.size() < 2) return true;
  if (parallel_ == nullptr || get_thread_num_ == nullptr) return false;
  Pinning pinning{cpus, get_thread_num_, {}};
  parallel_(pin_worker, &pinning, static_cast<unsigned>(cpus.size()), 0);
  return pinning.failed == 0;
}

std::vector<std::string> openmp_settings() {
  std::vector<std::string> set;
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "OMP_DYNAMIC",
                           "OMP_THREAD_LIMIT", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
    if (const char* value = std::getenv(name)) set.push_back(std::string(name) + "=" + value);
  }
  return set;
}

}  // namespace corecast::calibration::microbench
