// Eight products of 512 x 512 matrices: small enough for caches and for threads to wait for each other.
#include "graphs/models/chain.hpp"

namespace corecast::graphs::models {

WrittenModel matmul_512(const BuildOptions& options) {
  return matmul_chain(options, "matmul_512", 512, 8);
}

}  // namespace corecast::graphs::models
