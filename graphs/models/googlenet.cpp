// GoogLeNet (Inception v1): Szegedy et al., "Going Deeper with Convolutions", arXiv 1409.4842, in the form of Caffe's
// bvlc_googlenet (224 x 224 images, 1000 classes), for inference: the main head only.
#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {
namespace {

using Tensor = Builder::Tensor;

// Channels of the four branches of an inception block; `_in` is what the 1 x 1 convolution in front leaves.
struct Branches {
  std::int64_t one, three_in, three, five_in, five, pooled;
};

struct GoogLeNet : Builder {
  using Builder::Builder;

  Tensor unit(Tensor x, std::int64_t channels, int kernel, ConvOptions options = {}) {
    options.bias = true;
    options.padding = kernel / 2;
    return relu(conv(x, channels, kernel, options));
  }
  // Over 5 neighbouring channels.
  Tensor normalised(Tensor x) {
    return node("LRN", {x}, shape(x), {{"size", std::int64_t{5}}, {"alpha", 1e-4}, {"beta", 0.75}});
  }
  Tensor halved(Tensor x) { return max_pool(x, 3, {.stride = 2, .round_up = true}); }

  Tensor block(Tensor x, const Branches& c) {
    const Tensor one = unit(x, c.one, 1);
    const Tensor three = unit(unit(x, c.three_in, 1), c.three, 3);
    const Tensor five = unit(unit(x, c.five_in, 1), c.five, 5);
    const Tensor pooled = unit(max_pool(x, 3, {.padding = 1}), c.pooled, 1);
    return concat({one, three, five, pooled});
  }
};

}  // namespace

WrittenModel googlenet(const BuildOptions& options) {
  GoogLeNet b(options.batch, options.type);
  b.section("stem");
  Tensor x = b.input({3, 224, 224});
  x = b.normalised(b.halved(b.unit(x, 64, 7, {.stride = 2})));
  x = b.unit(b.unit(x, 64, 1), 192, 3);
  x = b.halved(b.normalised(x));
  const auto block = [&](const char* name, const Branches& channels) {
    b.section(name);
    x = b.block(x, channels);
  };
  block("inception_3a", {64, 96, 128, 16, 32, 32});
  block("inception_3b", {128, 128, 192, 32, 96, 64});
  x = b.halved(x);
  block("inception_4a", {192, 96, 208, 16, 48, 64});
  block("inception_4b", {160, 112, 224, 24, 64, 64});
  block("inception_4c", {128, 128, 256, 24, 64, 64});
  block("inception_4d", {112, 144, 288, 32, 64, 64});
  block("inception_4e", {256, 160, 320, 32, 128, 128});
  x = b.halved(x);
  block("inception_5a", {256, 160, 320, 32, 128, 128});
  block("inception_5b", {384, 192, 384, 48, 128, 128});
  b.section("head");
  x = b.dropout(b.average_pool(x, 7, {}));
  b.softmax(b.dense(b.flatten(x), 1000));
  return b.finish("googlenet");
}

}  // namespace corecast::graphs::models
