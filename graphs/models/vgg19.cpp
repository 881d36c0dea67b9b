// VGG-19: Simonyan and Zisserman, "Very Deep Convolutional Networks for Large-Scale Image Recognition", arXiv
// 1409.1556, configuration E, in the form of torchvision (224 x 224 images, 1000 classes). Its adaptive pool to 7 x 7
// does nothing at this size and is left out.
#include <array>
#include <string>

#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {
namespace {

using Tensor = Builder::Tensor;

struct Stage {
  std::int64_t channels;
  int convolutions;
};

constexpr std::array<Stage, 5> kStages{{{64, 2}, {128, 2}, {256, 4}, {512, 4}, {512, 4}}};

}  // namespace

WrittenModel vgg19(const BuildOptions& options) {
  Builder b(options.batch, options.type);
  Tensor x = b.input({3, 224, 224});
  int number = 1;
  for (const Stage& stage : kStages) {
    b.section("stage" + std::to_string(number++));
    for (int i = 0; i < stage.convolutions; ++i) {
      x = b.relu(b.conv(x, stage.channels, 3, {.padding = 1, .bias = true}));
    }
    x = b.max_pool(x, 2, {.stride = 2});
  }
  b.section("classifier");
  x = b.flatten(x);
  x = b.dropout(b.relu(b.dense(x, 4096)));
  x = b.dropout(b.relu(b.dense(x, 4096)));
  b.dense(x, 1000);
  return b.finish("vgg19");
}

}  // namespace corecast::graphs::models
