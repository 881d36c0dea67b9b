// MobileNet v1 of width 1: Howard et al., "MobileNets: Efficient Convolutional Neural Networks for Mobile Vision
// Applications", arXiv 1704.04861, table 1 (224 x 224 images, 1000 classes).
#include <array>
#include <string>

#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {
namespace {

using Tensor = Builder::Tensor;

struct Block {
  std::int64_t channels;
  int stride;
};

constexpr std::array<Block, 13> kBlocks{{{64, 1},
                                         {128, 2},
                                         {128, 1},
                                         {256, 2},
                                         {256, 1},
                                         {512, 2},
                                         {512, 1},
                                         {512, 1},
                                         {512, 1},
                                         {512, 1},
                                         {512, 1},
                                         {1024, 2},
                                         // The table says stride 2 here too, but keeps the image of 7 x 7.
                                         {1024, 1}}};

struct MobileNetV1 : Builder {
  using Builder::Builder;

  Tensor unit(Tensor x, std::int64_t channels, int kernel, ConvOptions options = {}) {
    options.padding = kernel / 2;
    return relu(batch_norm(conv(x, channels, kernel, options)));
  }
  Tensor separable(Tensor x, const Block& block) {
    const std::int64_t channels = shape(x)[0];
    const Tensor y = unit(x, channels, 3, {.stride = block.stride, .groups = channels});
    return unit(y, block.channels, 1);
  }
};

}  // namespace

WrittenModel mobilenet_v1(const BuildOptions& options) {
  MobileNetV1 b(options.batch, options.type);
  b.section("stem");
  Tensor x = b.input({3, 224, 224});
  x = b.unit(x, 32, 3, {.stride = 2});
  int number = 1;
  for (const Block& block : kBlocks) {
    b.section("block" + std::to_string(number++));
    x = b.separable(x, block);
  }
  b.section("head");
  b.softmax(b.dense(b.flatten(b.global_average_pool(x)), 1000));
  return b.finish("mobilenet_v1");
}

}  // namespace corecast::graphs::models
