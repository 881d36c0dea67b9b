// AlexNet: Krizhevsky et al., "ImageNet Classification with Deep Convolutional Neural Networks", NIPS 2012, in the form
// of Caffe's bvlc_alexnet (227 x 227 images, 1000 classes): two groups where the paper's two GPUs did not exchange
// channels, and local response normalisation.
#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {
namespace {

using Tensor = Builder::Tensor;

struct AlexNet : Builder {
  using Builder::Builder;

  Tensor unit(Tensor x, std::int64_t channels, Size kernel, ConvOptions options) {
    options.bias = true;
    return relu(conv(x, channels, kernel, options));
  }
  // Over 5 neighbouring channels.
  Tensor normalised(Tensor x) {
    return node("LRN", {x}, shape(x), {{"size", std::int64_t{5}}, {"alpha", 1e-4}, {"beta", 0.75}});
  }
  Tensor halved(Tensor x) { return max_pool(x, 3, {.stride = 2}); }
  Tensor hidden(Tensor x) { return dropout(relu(dense(x, 4096))); }
};

}  // namespace

WrittenModel alexnet(const BuildOptions& options) {
  AlexNet b(options.batch, options.type);
  b.section("features");
  Tensor x = b.input({3, 227, 227});
  x = b.halved(b.normalised(b.unit(x, 96, 11, {.stride = 4})));
  x = b.halved(b.normalised(b.unit(x, 256, 5, {.padding = 2, .groups = 2})));
  x = b.unit(x, 384, 3, {.padding = 1});
  x = b.unit(x, 384, 3, {.padding = 1, .groups = 2});
  x = b.halved(b.unit(x, 256, 3, {.padding = 1, .groups = 2}));
  b.section("classifier");
  x = b.hidden(b.hidden(b.flatten(x)));
  b.softmax(b.dense(x, 1000));
  return b.finish("alexnet");
}

}  // namespace corecast::graphs::models
