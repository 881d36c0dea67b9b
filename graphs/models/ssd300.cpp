// SSD300 with VGG-16: Liu et al., "SSD: Single Shot MultiBox Detector", arXiv 1512.02325, in the form of torchvision
// (300 x 300 images, the 91 class numbers of COCO, background included). Ends with the offsets of all 8732 default
// boxes and their class probabilities: decoding and non-maximum suppression, whose work depends on the image, are left
// out.
#include <vector>

#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {
namespace {

using Tensor = Builder::Tensor;

constexpr std::int64_t kClasses = 91;

// A feature map on which boxes are looked for, and how many around each of its pixels.
struct Source {
  Tensor features;
  std::int64_t boxes;
};

struct Ssd : Builder {
  using Builder::Builder;

  Tensor unit(Tensor x, std::int64_t channels, int kernel, ConvOptions options = {}) {
    options.bias = true;
    return relu(conv(x, channels, kernel, options));
  }
  Tensor stage(const char* name, Tensor x, std::int64_t channels, int convolutions) {
    section(name);
    for (int i = 0; i < convolutions; ++i) x = unit(x, channels, 3, {.padding = 1});
    return x;
  }
  // The first dense layer of VGG-16, thinned out: every sixth pixel of a window of 13 x 13.
  Tensor dilated(Tensor x, std::int64_t channels) {
    const Shape in = shape(x);
    const Tensor y =
        node("Conv", {x, Weight{{channels, in[0], 3, 3}}, Weight{{channels}}}, {channels, in[1], in[2]},
             {{"kernel_shape", Shape{3, 3}}, {"dilations", Shape{6, 6}}, {"pads", Shape{6, 6, 6, 6}}});
    return relu(y);
  }
  // Length 1 over the channels of each pixel, then a learned factor for each channel.
  Tensor normalised(Tensor x) {
    const Tensor y = node("LpNormalization", {x}, shape(x), {{"axis", std::int64_t{1}}});
    return node("Mul", {y, Weight{{shape(x)[0], 1, 1}}}, shape(x));
  }
  // A row of `width` numbers for each box.
  Tensor scores(const Source& source, std::int64_t width) {
    const Tensor y = conv(source.features, source.boxes * width, 3, {.padding = 1, .bias = true});
    const std::int64_t rows = shape(y)[1];
    const std::int64_t columns = shape(y)[2];
    const Tensor split = reshape(y, {source.boxes, width, rows, columns});
    return reshape(transpose(split, {2, 3, 0, 1}), {rows * columns * source.boxes, width});
  }
  Tensor head(const char* name, const std::vector<Source>& sources, std::int64_t width) {
    section(name);
    std::vector<Tensor> parts;
    parts.reserve(sources.size());
    for (const Source& source : sources) parts.push_back(scores(source, width));
    return concat(parts);
  }
};

}  // namespace

WrittenModel ssd300(const BuildOptions& options) {
  Ssd b(options.batch, options.type);
  Tensor x = b.input({3, 300, 300});
  x = b.max_pool(b.stage("conv1", x, 64, 2), 2, {.stride = 2});
  x = b.max_pool(b.stage("conv2", x, 128, 2), 2, {.stride = 2});
  x = b.max_pool(b.stage("conv3", x, 256, 3), 2, {.stride = 2, .round_up = true});  // 75 to 38
  x = b.stage("conv4", x, 512, 3);
  std::vector<Source> sources{{b.normalised(x), 4}};
  x = b.max_pool(x, 2, {.stride = 2});
  x = b.max_pool(b.stage("conv5", x, 512, 3), 3, {.stride = 1, .padding = 1});
  b.section("conv6");
  x = b.dilated(x, 1024);
  b.section("conv7");
  x = b.unit(x, 1024, 1);
  sources.push_back({x, 6});
  const auto smaller = [&](const char* name, std::int64_t channels, ConvOptions window, std::int64_t boxes) {
    b.section(name);
    x = b.unit(b.unit(x, channels / 2, 1), channels, 3, window);
    sources.push_back({x, boxes});
  };
  smaller("conv8", 512, {.stride = 2, .padding = 1}, 6);
  smaller("conv9", 256, {.stride = 2, .padding = 1}, 6);
  smaller("conv10", 256, {}, 4);
  smaller("conv11", 256, {}, 4);
  b.head("boxes", sources, 4);
  b.softmax(b.head("classes", sources, kClasses));
  return b.finish("ssd300");
}

}  // namespace corecast::graphs::models
