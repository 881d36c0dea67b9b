// SqueezeNet 1.0, the paper's: see squeezenet.hpp.
#include "graphs/models/squeezenet.hpp"

namespace corecast::graphs::models {

WrittenModel squeezenet1_0(const BuildOptions& options) {
  SqueezeNet b(options.batch, options.type);
  b.section("stem");
  Builder::Tensor x = b.input({3, 224, 224});
  x = b.halved(b.unit(x, 96, 7, {.stride = 2}));
  x = b.fire(2, x, 16, 128);
  x = b.fire(3, x, 16, 128);
  x = b.fire(4, x, 32, 256);
  x = b.halved(x);
  x = b.fire(5, x, 32, 256);
  x = b.fire(6, x, 48, 384);
  x = b.fire(7, x, 48, 384);
  x = b.fire(8, x, 64, 512);
  x = b.halved(x);
  x = b.fire(9, x, 64, 512);
  b.head(x);
  return b.finish("squeezenet1_0");
}

}  // namespace corecast::graphs::models
