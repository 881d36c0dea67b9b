// ShuffleNet 1x with 3 groups: Zhang et al., "ShuffleNet: An Extremely Efficient Convolutional Neural Network for
// Mobile Devices", arXiv 1707.01083, table 1 (224 x 224 images, 1000 classes).
#include <array>
#include <string>

#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {
namespace {

using Tensor = Builder::Tensor;

constexpr std::int64_t kGroups = 3;

struct ShuffleNet : Builder {
  using Builder::Builder;

  Tensor unit(Tensor x, std::int64_t channels, int kernel, ConvOptions options) {
    options.padding = kernel / 2;
    return batch_norm(conv(x, channels, kernel, options));
  }
  // Channel i of group g becomes channel g of group i.
  Tensor shuffled(Tensor x) {
    const Shape in = shape(x);
    const Tensor grouped = reshape(x, {kGroups, in[0] / kGroups, in[1], in[2]});
    return reshape(transpose(grouped, {1, 0, 2, 3}), in);
  }
  // Grouped 1 x 1, shuffle, depthwise 3 x 3, grouped 1 x 1.
  Tensor residual(Tensor x, std::int64_t channels, std::int64_t inner, std::int64_t groups, int stride) {
    Tensor y = shuffled(relu(unit(x, inner, 1, {.groups = groups})));
    y = unit(y, inner, 3, {.stride = stride, .groups = inner});
    return unit(y, channels, 1, {.groups = kGroups});
  }
  Tensor block(Tensor x) {
    const std::int64_t channels = shape(x)[0];
    return relu(add(residual(x, channels, channels / 4, kGroups, 1), x));
  }
  // Halves the image; its pooled input is some of the result's channels.
  Tensor halving_block(Tensor x, std::int64_t channels) {
    const std::int64_t in = shape(x)[0];
    // The 24 channels of the stem are too few for groups.
    const Tensor y = residual(x, channels - in, channels / 4, in == 24 ? 1 : kGroups, 2);
    const Tensor pooled = average_pool(x, 3, {.stride = 2, .padding = 1});
    return relu(concat({pooled, y}));
  }
};

}  // namespace

WrittenModel shufflenet(const BuildOptions& options) {
  ShuffleNet b(options.batch, options.type);
  b.section("stem");
  Tensor x = b.input({3, 224, 224});
  x = b.max_pool(b.relu(b.unit(x, 24, 3, {.stride = 2})), 3, {.stride = 2, .padding = 1});
  std::int64_t channels = 240;
  int stage = 2;
  for (const int blocks : std::array{4, 8, 4}) {
    for (int block = 0; block < blocks; ++block) {
      b.section("stage" + std::to_string(stage) + "_" + std::to_string(block));
      x = block == 0 ? b.halving_block(x, channels) : b.block(x);
    }
    channels *= 2;
    ++stage;
  }
  b.section("head");
  b.dense(b.flatten(b.global_average_pool(x)), 1000);
  return b.finish("shufflenet");
}

}  // namespace corecast::graphs::models
