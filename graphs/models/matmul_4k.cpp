// Four products of 4096 x 4096 matrices: bound by arithmetic.
#include "graphs/models/chain.hpp"

namespace corecast::graphs::models {

WrittenModel matmul_4k(const BuildOptions& options) {
  return matmul_chain(options, "matmul_4k", 4096, 4);
}

}  // namespace corecast::graphs::models
