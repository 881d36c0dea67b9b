// Four fully connected layers of 4096 units: with few rows, bound by reading the weights.
#include "graphs/models/chain.hpp"

namespace corecast::graphs::models {

WrittenModel fc_4k(const BuildOptions& options) {
  return dense_chain(options, "fc_4k", 4096, 4);
}

}  // namespace corecast::graphs::models
