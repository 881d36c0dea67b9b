// DenseNet-121: Huang et al., "Densely Connected Convolutional Networks", arXiv 1608.06993, in the form of torchvision
// (224 x 224 images, 1000 classes). Normalisation and ReLU stand in front of a convolution.
#include <array>
#include <string>
#include <vector>

#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {
namespace {

using Tensor = Builder::Tensor;

constexpr std::int64_t kGrowth = 32;  // channels that each layer adds

struct DenseNet : Builder {
  using Builder::Builder;

  Tensor unit(Tensor x, std::int64_t channels, int kernel) {
    return conv(relu(batch_norm(x)), channels, kernel, {.padding = kernel / 2});
  }
  Tensor layer(Tensor x) { return unit(unit(x, 4 * kGrowth, 1), kGrowth, 3); }
  // Halves channels and image.
  Tensor transition(Tensor x) {
    const Tensor y = unit(x, shape(x)[0] / 2, 1);
    return average_pool(y, 2, {.stride = 2});
  }
};

}  // namespace

WrittenModel densenet121(const BuildOptions& options) {
  DenseNet b(options.batch, options.type);
  b.section("stem");
  Tensor x = b.input({3, 224, 224});
  x = b.relu(b.batch_norm(b.conv(x, 64, 7, {.stride = 2, .padding = 3})));
  x = b.max_pool(x, 3, {.stride = 2, .padding = 1});
  int block = 1;
  for (const int layers : std::array{6, 12, 24, 16}) {
    if (block > 1) {
      b.section("transition" + std::to_string(block - 1));
      x = b.transition(x);
    }
    std::vector<Tensor> features{x};  // the block's input and what each of its layers added
    for (int layer = 1; layer <= layers; ++layer) {
      b.section("block" + std::to_string(block) + "_layer" + std::to_string(layer));
      features.push_back(b.layer(x));
      x = b.concat(features);
    }
    ++block;
  }
  b.section("head");
  x = b.relu(b.batch_norm(x));
  b.dense(b.flatten(b.global_average_pool(x)), 1000);
  return b.finish("densenet121");
}

}  // namespace corecast::graphs::models
