// Which bandwidths are measured, the most important first.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibration/microbench/streams.hpp"
#include "calibration/microbench/suite.hpp"

namespace corecast::calibration::microbench {

struct BandwidthPoint {
  Seats seats;
  std::string kernel;  // "first_touch" or a stream's name
  Stream stream = Stream::read;
  double bytes_per_thread = 0.0;
  std::size_t largest = 0;                     // bytes per thread that this team's points need at most
  std::optional<std::pair<int, int>> domains;  // of the CPUs and of the memory
  Seats owners;                                // who touches the memory first; none: the team itself
};

// Order: outside of the caches with one thread and all; through the caches by reading; page faults; memory of other
// domains; counts between; scattered teams; through the caches by the other kernels; stores past the caches; and at the
// end the caches of the counts between.
[[nodiscard]] std::vector<BandwidthPoint> bandwidth_points(Recorder& recorder, Bytes allowance);

}  // namespace corecast::calibration::microbench
