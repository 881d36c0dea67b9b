#include "calibration/microbench/working_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hwmodels/size_text.hpp"

namespace corecast::calibration::microbench {
namespace {

using hwmodels::CacheLevel;
using hwmodels::Machine;

constexpr double kUnknownFirst = 32.0 * 1024.0;
constexpr double kUnknownLast = 32.0 * 1024.0 * 1024.0;

double share_of(const CacheLevel& cache, const Machine& machine, const Seats& seats, bool last) {
  const auto threads = static_cast<double>(seats.cpus.size());
  if (last) return cache.size.value.value() * seats.clusters / threads;
  const int shared = cache.shared_by_cores > 0 ? cache.shared_by_cores : machine.cores_per_socket();
  const int sharing = std::min(shared, seats.cores) * seats.threads_per_core;
  return cache.size.value.value() / sharing;
}

double ratio_of(Effort effort) {
  return effort == Effort::quick ? 4.0 : effort == Effort::normal ? 2.0 : std::sqrt(2.0);
}

}  // namespace

double private_bytes(const Machine& machine, const Seats& seats) {
  double largest = kUnknownFirst;
  for (std::size_t i = 0; i + 1 < machine.caches.size(); ++i) {
    largest = std::max(largest, share_of(machine.caches[i], machine, seats, false));
  }
  return largest;
}

WorkingSets working_sets(const Machine& machine, const Seats& seats, Effort effort, double times_last_cache,
                         Bytes allowance) {
  const auto& caches = machine.caches;
  const auto threads = static_cast<double>(seats.cpus.size());
  const double first =
      0.5 * (caches.empty() ? kUnknownFirst : share_of(caches.front(), machine, seats, caches.size() == 1));
  double last = caches.empty() ? kUnknownLast / threads : share_of(caches.back(), machine, seats, true);
  if (caches.size() > 1) last += share_of(caches[caches.size() - 2], machine, seats, false);
  last *= times_last_cache;

  WorkingSets result;
  const double most = allowance.value() / threads;
  if (last > most) {
    result.cut = fmt::format("working sets above {} of the {} that are {} times the caches of {} threads",
                             hwmodels::size_text(Bytes(most * threads)),
                             hwmodels::size_text(Bytes(last * threads)), times_last_cache, threads);
    last = most;
  }
  if (last <= first) {
    result.bytes_per_thread = {last};
    return result;
  }
  const double steps = std::max(1.0, std::round(std::log(last / first) / std::log(ratio_of(effort))));
  for (double step = 0.0; step <= steps; step += 1.0) {
    result.bytes_per_thread.push_back(first * std::pow(last / first, step / steps));
  }
  return result;
}

}  // namespace corecast::calibration::microbench
