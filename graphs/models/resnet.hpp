// What the residual networks of 50 layers share: stem, bottleneck blocks, head, in the form of torchvision.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {

struct ResNet : Builder {
  using Builder::Builder;

  Tensor unit(Tensor x, std::int64_t channels, int kernel, ConvOptions options = {}) {
    options.padding = kernel / 2;
    return batch_norm(conv(x, channels, kernel, options));
  }
  // The stride stands at the 3 x 3 convolution ("v1.5"), not at the first 1 x 1 of the paper.
  Tensor bottleneck(Tensor x, std::int64_t width, std::int64_t channels, int stride, std::int64_t groups) {
    Tensor y = relu(unit(x, width, 1));
    y = relu(unit(y, width, 3, {.stride = stride, .groups = groups}));
    y = unit(y, channels, 1);
    const bool projected = stride != 1 || shape(x)[0] != channels;
    return relu(add(y, projected ? unit(x, channels, 1, {.stride = stride}) : x));
  }
};

// 3, 4, 6 and 3 blocks; `width` is that of the 3 x 3 convolutions of the first stage, in `groups` groups.
inline WrittenModel residual_network_50(const BuildOptions& options, std::string name, std::int64_t width,
                                        std::int64_t groups) {
  ResNet b(options.batch, options.type);
  b.section("stem");
  Builder::Tensor x = b.input({3, 224, 224});
  x = b.max_pool(b.relu(b.unit(x, 64, 7, {.stride = 2})), 3, {.stride = 2, .padding = 1});
  std::int64_t channels = 256;
  int stage = 1;
  for (const int blocks : std::array{3, 4, 6, 3}) {
    for (int block = 0; block < blocks; ++block) {
      b.section("layer" + std::to_string(stage) + "_" + std::to_string(block));
      x = b.bottleneck(x, width, channels, stage > 1 && block == 0 ? 2 : 1, groups);
    }
    width *= 2;
    channels *= 2;
    ++stage;
  }
  b.section("head");
  b.dense(b.flatten(b.global_average_pool(x)), 1000);
  return b.finish(std::move(name));
}

}  // namespace corecast::graphs::models
