// Inception v3: Szegedy et al., "Rethinking the Inception Architecture for Computer Vision", arXiv 1512.00567,
// in the form of torchvision (299 x 299 images, 1000 classes), for inference, without the auxiliary head.
#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {
namespace {

using Tensor = Builder::Tensor;

struct Inception : Builder {
  using Builder::Builder;

  Tensor unit(Tensor x, std::int64_t channels, Size kernel, ConvOptions options = {}) {
    return relu(batch_norm(conv(x, channels, kernel, options)));
  }
  // Keeps the image's size.
  Tensor same(Tensor x, std::int64_t channels, Size kernel) {
    return unit(x, channels, kernel, {.padding = {kernel.height / 2, kernel.width / 2}});
  }
  Tensor halved(Tensor x, std::int64_t channels) { return unit(x, channels, 3, {.stride = 2}); }
  Tensor halved(Tensor x) { return max_pool(x, 3, {.stride = 2}); }
  Tensor pooled(Tensor x, std::int64_t channels) {
    return unit(average_pool(x, 3, {.padding = 1}), channels, 1);
  }

  // 35 x 35
  Tensor block_a(Tensor x, std::int64_t pooled_channels) {
    const Tensor one = unit(x, 64, 1);
    const Tensor five = same(unit(x, 48, 1), 64, 5);
    const Tensor three = same(same(unit(x, 64, 1), 96, 3), 96, 3);
    return concat({one, five, three, pooled(x, pooled_channels)});
  }
  // 35 x 35 to 17 x 17
  Tensor block_b(Tensor x) {
    const Tensor three = halved(x, 384);
    const Tensor twice = halved(same(unit(x, 64, 1), 96, 3), 96);
    return concat({three, twice, halved(x)});
  }
  // 17 x 17, seven by seven windows as rows and columns
  Tensor block_c(Tensor x, std::int64_t c) {
    const Tensor one = unit(x, 192, 1);
    const Tensor seven = same(same(unit(x, c, 1), c, {1, 7}), 192, {7, 1});
    Tensor twice = same(same(unit(x, c, 1), c, {7, 1}), c, {1, 7});
    twice = same(same(twice, c, {7, 1}), 192, {1, 7});
    return concat({one, seven, twice, pooled(x, 192)});
  }
  // 17 x 17 to 8 x 8
  Tensor block_d(Tensor x) {
    const Tensor three = halved(unit(x, 192, 1), 320);
    const Tensor seven = halved(same(same(unit(x, 192, 1), 192, {1, 7}), 192, {7, 1}), 192);
    return concat({three, seven, halved(x)});
  }
  // 8 x 8, branches that fork once more
  Tensor block_e(Tensor x) {
    const Tensor one = unit(x, 320, 1);
    const Tensor three = fork(unit(x, 384, 1));
    const Tensor twice = fork(same(unit(x, 448, 1), 384, 3));
    return concat({one, three, twice, pooled(x, 192)});
  }
  Tensor fork(Tensor x) { return concat({same(x, 384, {1, 3}), same(x, 384, {3, 1})}); }
};

}  // namespace

WrittenModel inception_v3(const BuildOptions& options) {
  Inception b(options.batch, options.type);
  b.section("stem");
  Tensor x = b.input({3, 299, 299});
  x = b.same(b.unit(b.halved(x, 32), 32, 3), 64, 3);
  x = b.unit(b.unit(b.halved(x), 80, 1), 192, 3);
  x = b.halved(x);
  const auto block = [&](const char* name, auto make) {
    b.section(name);
    x = make();
  };
  block("mixed_5b", [&] { return b.block_a(x, 32); });
  block("mixed_5c", [&] { return b.block_a(x, 64); });
  block("mixed_5d", [&] { return b.block_a(x, 64); });
  block("mixed_6a", [&] { return b.block_b(x); });
  block("mixed_6b", [&] { return b.block_c(x, 128); });
  block("mixed_6c", [&] { return b.block_c(x, 160); });
  block("mixed_6d", [&] { return b.block_c(x, 160); });
  block("mixed_6e", [&] { return b.block_c(x, 192); });
  block("mixed_7a", [&] { return b.block_d(x); });
  block("mixed_7b", [&] { return b.block_e(x); });
  block("mixed_7c", [&] { return b.block_e(x); });
  b.section("head");
  b.dense(b.flatten(b.dropout(b.global_average_pool(x))), 1000);
  return b.finish("inception_v3");
}

}  // namespace corecast::graphs::models
