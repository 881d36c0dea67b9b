// Eight fully connected layers of 512 units.
#include "graphs/models/chain.hpp"

namespace corecast::graphs::models {

WrittenModel fc_512(const BuildOptions& options) {
  return dense_chain(options, "fc_512", 512, 8);
}

}  // namespace corecast::graphs::models
