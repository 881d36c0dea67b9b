#include "calibration/microbench/thread_mask.hpp"

#include <algorithm>

namespace corecast::calibration::microbench {
namespace {

constexpr std::size_t kBitsPerWord = 8 * sizeof(unsigned long);
constexpr int kMostCpuNumber = 8191;  // Linux is built for no more

}  // namespace

CpuMask::CpuMask(const std::vector<int>& cpus) {
  const int largest = cpus.empty() ? 0 : *std::max_element(cpus.begin(), cpus.end());
  words_.assign(static_cast<std::size_t>(largest) / kBitsPerWord + 1, 0UL);
  for (const int cpu : cpus) {
    const auto bit = static_cast<std::size_t>(cpu);
    words_[bit / kBitsPerWord] |= 1UL << (bit % kBitsPerWord);
  }
}

bool restrict_this_thread(const std::vector<int>& cpus) {
  const CpuMask mask(cpus);
  return !cpus.empty() && ::sched_setaffinity(0, mask.bytes(), mask.get()) == 0;
}

ThreadMaskGuard::ThreadMaskGuard(const std::vector<int>& cpus) : before_({kMostCpuNumber}) {
  known_ = ::sched_getaffinity(0, before_.bytes(), before_.get()) == 0;
  restricted_ = known_ && restrict_this_thread(cpus);
}

ThreadMaskGuard::~ThreadMaskGuard() {
  if (restricted_) ::sched_setaffinity(0, before_.bytes(), before_.get());
}

}  // namespace corecast::calibration::microbench
