// What the versions of SqueezeNet share: Iandola et al., "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters
// and <0.5MB model size", arXiv 1602.07360, in the form of torchvision (224 x 224 images, 1000 classes).
#pragma once

#include <string>

#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {

struct SqueezeNet : Builder {
  using Builder::Builder;

  Tensor unit(Tensor x, std::int64_t channels, int kernel, ConvOptions options = {}) {
    options.bias = true;
    return relu(conv(x, channels, kernel, options));
  }
  Tensor halved(Tensor x) { return max_pool(x, 3, {.stride = 2, .round_up = true}); }

  // `number` is that of the paper, which begins at fire2; half of the channels come from 1 x 1, half from 3 x 3.
  Tensor fire(int number, Tensor x, std::int64_t squeezed, std::int64_t channels) {
    section("fire" + std::to_string(number));
    const Tensor y = unit(x, squeezed, 1);
    const Tensor one = unit(y, channels / 2, 1);
    const Tensor three = unit(y, channels / 2, 3, {.padding = 1});
    return concat({one, three});
  }
  // The classes are channels of a convolution, averaged over the image.
  void head(Tensor x) {
    section("head");
    flatten(global_average_pool(unit(dropout(x), 1000, 1)));
  }
};

}  // namespace corecast::graphs::models
