// Inception v2 (BN-Inception): Ioffe and Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing
// Internal Covariate Shift", arXiv 1502.03167, in the form of the published Caffe weights (224 x 224 images, 1000
// classes), for inference. That form has 608 channels after 4c and 4d (576 in the paper), and keeps the biases of
// the convolutions in front of the normalisations.
#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {
namespace {

using Tensor = Builder::Tensor;

// Channels of the branches of a block; `_in` is what the 1 x 1 convolution in front leaves.
struct Branches {
  std::int64_t one, three_in, three, twice_in, twice, pooled;
};

struct InceptionV2 : Builder {
  using Builder::Builder;

  Tensor unit(Tensor x, std::int64_t channels, int kernel, int stride = 1) {
    const Tensor y = conv(x, channels, kernel, {.stride = stride, .padding = kernel / 2, .bias = true});
    return relu(batch_norm(y));
  }
  Tensor halved(Tensor x) { return max_pool(x, 3, {.stride = 2, .round_up = true}); }

  Tensor block(Tensor x, const Branches& c, bool largest) {
    const Tensor one = unit(x, c.one, 1);
    const Tensor three = unit(unit(x, c.three_in, 1), c.three, 3);
    const Tensor twice = unit(unit(unit(x, c.twice_in, 1), c.twice, 3), c.twice, 3);
    const Tensor pool = largest ? max_pool(x, 3, {.padding = 1}) : average_pool(x, 3, {.padding = 1});
    return concat({one, three, twice, unit(pool, c.pooled, 1)});
  }
  // Halves the image; no branch of 1 x 1 and no convolution behind the pool.
  Tensor halving_block(Tensor x, const Branches& c) {
    const Tensor three = unit(unit(x, c.three_in, 1), c.three, 3, 2);
    const Tensor twice = unit(unit(unit(x, c.twice_in, 1), c.twice, 3), c.twice, 3, 2);
    return concat({three, twice, halved(x)});
  }
};

}  // namespace

WrittenModel inception_v2(const BuildOptions& options) {
  InceptionV2 b(options.batch, options.type);
  b.section("stem");
  Tensor x = b.input({3, 224, 224});
  x = b.halved(b.unit(x, 64, 7, 2));
  x = b.halved(b.unit(b.unit(x, 64, 1), 192, 3));
  const auto block = [&](const char* name, const Branches& channels, bool largest = false) {
    b.section(name);
    x = b.block(x, channels, largest);
  };
  const auto halving = [&](const char* name, const Branches& channels) {
    b.section(name);
    x = b.halving_block(x, channels);
  };
  block("inception_3a", {64, 64, 64, 64, 96, 32});
  block("inception_3b", {64, 64, 96, 64, 96, 64});
  halving("inception_3c", {0, 128, 160, 64, 96, 0});
  block("inception_4a", {224, 64, 96, 96, 128, 128});
  block("inception_4b", {192, 96, 128, 96, 128, 128});
  block("inception_4c", {160, 128, 160, 128, 160, 128});
  block("inception_4d", {96, 128, 192, 160, 192, 128});
  halving("inception_4e", {0, 128, 192, 192, 256, 0});
  block("inception_5a", {352, 192, 320, 160, 224, 128});
  block("inception_5b", {352, 192, 320, 192, 224, 128}, true);
  b.section("head");
  x = b.average_pool(x, 7, {});
  b.softmax(b.dense(b.flatten(x), 1000));
  return b.finish("inception_v2");
}

}  // namespace corecast::graphs::models
