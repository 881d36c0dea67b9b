// Where the threads of a row sit: cores per socket, NUMA domain and cluster (cores behind one last-level
// cache).
#pragma once

#include <vector>

#include "calibration/measurements.hpp"
#include "hwmodels/machine.hpp"

namespace corecast::calibration {

struct Layout {
  int cores = 1;
  std::vector<int> sockets;               // cores of each socket that has some
  std::vector<std::vector<int>> domains;  // of each domain that has some: cores of each of its clusters
  std::vector<int> clusters;              // cores of each cluster that has some
  int domains_per_socket = 1;

  [[nodiscard]] int most_of_a_socket() const;
};

// From placement and counts. The row's `sockets` and `clusters` stand over what the placement would give (a
// grant may leave odd cores), as far as that many cores fit in; cores are then spread over them as evenly as
// whole cores allow.
[[nodiscard]] Layout layout_of(const hwmodels::Machine& machine, const Row& row);

// Cores behind one instance of a cache.
[[nodiscard]] int sharers(const hwmodels::Machine& machine, const hwmodels::CacheLevel& cache);
// Cores on each instance of `cache`.
[[nodiscard]] std::vector<int> cores_per_instance(const hwmodels::Machine& machine, const Layout& layout,
                                                  const hwmodels::CacheLevel& cache);

}  // namespace corecast::calibration
