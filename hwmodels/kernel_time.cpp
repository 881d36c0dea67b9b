#include "hwmodels/kernel_time.hpp"

#include "base/error.hpp"

namespace corecast::hwmodels {

double imbalance(std::int64_t units, int n_threads) {
  CORECAST_CHECK(units >= 1 && n_threads >= 1, "units={} threads={}", units, n_threads);
  const std::int64_t rounds = (units - 1) / n_threads + 1;
  return static_cast<double>(rounds) * static_cast<double>(n_threads) / static_cast<double>(units);
}

}  // namespace corecast::hwmodels
