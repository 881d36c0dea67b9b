// Sizes to measure at: from inside the first cache to outside of the last, within the memory that may be taken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "calibration/microbench/suite.hpp"
#include "calibration/microbench/team.hpp"
#include "hwmodels/machine.hpp"

namespace corecast::calibration::microbench {

struct WorkingSets {
  std::vector<double>
      bytes_per_thread;  // ascending; the last is outside of the caches, or as near as memory allows
  std::optional<std::string> cut;  // what had to be left out
};

//   first  half of a thread's share of L1
//   last   times_last_cache x (a thread's share of the last cache of its clusters + of the cache before it)
//   ratio  about 4, 2 and sqrt(2) between neighbours for quick, normal and thorough
[[nodiscard]] WorkingSets working_sets(const hwmodels::Machine& machine, const Seats& seats, Effort effort,
                                       double times_last_cache, Bytes allowance);

// A thread's share of the caches up to level 2: what is larger comes from a shared cache or memory.
[[nodiscard]] double private_bytes(const hwmodels::Machine& machine, const Seats& seats);

}  // namespace corecast::calibration::microbench
