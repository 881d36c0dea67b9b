// The benchmarks of group "threads": what the samples of each are stands in threads.cpp.
#pragma once

#include <string>

#include "calibration/microbench/kernel_functions.hpp"
#include "calibration/microbench/sampler.hpp"
#include "calibration/microbench/team.hpp"

namespace corecast::calibration::microbench {

struct ThreadSetting {
  Seats seats;
  int threads = 1;  // more than seats: oversubscription alone
  SamplingOptions options;
  Bytes bytes{};                           // peer_read alone: what is read
  const StreamKernels* streams = nullptr;  // peer_read alone
};

struct ThreadResult {
  Sampling sampling;
  std::string not_pinned;  // why; empty: all threads are pinned, or should not be
};

using ThreadBenchmark = ThreadResult (*)(const ThreadSetting&);

[[nodiscard]] ThreadResult barrier_spin(const ThreadSetting& setting);
[[nodiscard]] ThreadResult barrier_sleep(const ThreadSetting& setting);
[[nodiscard]] ThreadResult fork_join_spin(const ThreadSetting& setting);
[[nodiscard]] ThreadResult fork_join_sleep(const ThreadSetting& setting);
[[nodiscard]] ThreadResult wake_up(const ThreadSetting& setting);    // two threads
[[nodiscard]] ThreadResult peer_read(const ThreadSetting& setting);  // two threads
[[nodiscard]] ThreadResult thread_create(const ThreadSetting& setting);
[[nodiscard]] ThreadResult mutex_queue(const ThreadSetting& setting);
[[nodiscard]] ThreadResult counter_queue(const ThreadSetting& setting);
[[nodiscard]] ThreadResult oversubscription(const ThreadSetting& setting);

}  // namespace corecast::calibration::microbench
