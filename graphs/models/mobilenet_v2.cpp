// MobileNet v2 of width 1: Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", arXiv 1801.04381,
// table 2, in the form of torchvision (224 x 224 images, 1000 classes).
#include <array>
#include <string>

#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {
namespace {

using Tensor = Builder::Tensor;

// Rows of the table: `expansion` t, channels c, `repeats` n, stride s of the first.
struct Row {
  std::int64_t expansion, channels;
  int repeats, stride;
};

constexpr std::array<Row, 7> kRows{{{1, 16, 1, 1},
                                    {6, 24, 2, 2},
                                    {6, 32, 3, 2},
                                    {6, 64, 4, 2},
                                    {6, 96, 3, 1},
                                    {6, 160, 3, 2},
                                    {6, 320, 1, 1}}};

struct MobileNetV2 : Builder {
  using Builder::Builder;

  Tensor linear(Tensor x, std::int64_t channels, int kernel, ConvOptions options = {}) {
    options.padding = kernel / 2;
    return batch_norm(conv(x, channels, kernel, options));
  }
  // ReLU6: its bounds 0 and 6 are inputs of the operator.
  Tensor unit(Tensor x, std::int64_t channels, int kernel, ConvOptions options = {}) {
    const Tensor y = linear(x, channels, kernel, options);
    const Weight bound{{}, false};
    return node("Clip", {y, bound, bound}, shape(y));
  }
  Tensor inverted_residual(Tensor x, std::int64_t expansion, std::int64_t channels, int stride) {
    const std::int64_t in = shape(x)[0];
    const std::int64_t wide = in * expansion;
    Tensor y = expansion == 1 ? x : unit(x, wide, 1);
    y = unit(y, wide, 3, {.stride = stride, .groups = wide});
    y = linear(y, channels, 1);
    return stride == 1 && in == channels ? add(x, y) : y;
  }
};

}  // namespace

WrittenModel mobilenet_v2(const BuildOptions& options) {
  MobileNetV2 b(options.batch, options.type);
  b.section("stem");
  Tensor x = b.input({3, 224, 224});
  x = b.unit(x, 32, 3, {.stride = 2});
  int number = 1;
  for (const Row& row : kRows) {
    for (int repeat = 0; repeat < row.repeats; ++repeat) {
      b.section("block" + std::to_string(number++));
      x = b.inverted_residual(x, row.expansion, row.channels, repeat == 0 ? row.stride : 1);
    }
  }
  b.section("head");
  x = b.unit(x, 1280, 1);
  b.dense(b.dropout(b.flatten(b.global_average_pool(x))), 1000);
  return b.finish("mobilenet_v2");
}

}  // namespace corecast::graphs::models
