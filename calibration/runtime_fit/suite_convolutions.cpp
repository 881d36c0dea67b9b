#include <fmt/format.h>

#include "calibration/runtime_fit/suite_parts.hpp"
#include "graphs/builder.hpp"

namespace corecast::runtime_fit {
namespace {

using graphs::Size;

struct Image {
  std::int64_t channels;
  int size;
};

double pixels(const Image& image) {
  return static_cast<double>(image.size) * image.size;
}

// The same channels and size in every link, each with a bias and a Relu as folded networks have them.
void same(SuiteWriter& suite, const std::string& kind, const Image& image, Size window, std::int64_t groups) {
  const double taps =
      static_cast<double>(window.height * window.width * image.channels) / static_cast<double>(groups);
  const double flop = 2.0 * pixels(image) * static_cast<double>(image.channels) * taps;
  const double bytes = 8.0 * pixels(image) * static_cast<double>(image.channels);
  const graphs::ConvOptions options{1, Size(window.height / 2, window.width / 2), groups, true};
  const bool grouped = groups > 1 && groups < image.channels;
  suite.chain(
      fmt::format("{}_{}x{}_{}x{}{}", kind, image.channels, image.size, window.height, window.width,
                  grouped ? fmt::format("_g{}", groups) : ""),
      "Conv", {image.channels, image.size, image.size}, SuiteWriter::links(flop, bytes),
      [&](Builder& b, Tensor x, int /*i*/) { return b.relu(b.conv(x, image.channels, window, options)); });
}

// Narrow to wide and back, without a window.
void pointwise(SuiteWriter& suite, std::int64_t narrow, std::int64_t wide, int size) {
  const double flop = 2.0 * size * size * static_cast<double>(narrow * wide);
  const double bytes = 4.0 * size * size * static_cast<double>(narrow + wide);
  const int pairs = std::max(1, SuiteWriter::links(flop, bytes) / 2);
  suite.chain(fmt::format("conv_1x1_{}to{}_{}", narrow, wide, size), "Conv", {narrow, size, size}, 2 * pairs,
              [&](Builder& b, Tensor x, int i) {
                return b.relu(b.conv(x, i % 2 == 0 ? wide : narrow, 1, {1, 0, 1, true}));
              });
}

// A stem: few channels in, halved size, then one convolution of the result.
void stem(SuiteWriter& suite, std::int64_t in, std::int64_t out, int size, int window, int stride) {
  suite.chain(fmt::format("conv_{}to{}_{}_{}x{}_s{}", in, out, size, window, window, stride), "Conv",
              {in, size, size}, 1, [&](Builder& b, Tensor x, int /*i*/) {
                return b.relu(b.conv(x, out, window, {stride, window / 2, 1, true}));
              });
}

void transposed(SuiteWriter& suite, std::int64_t channels, int size, int window, int stride) {
  const int padding = (window - stride) / 2;
  suite.chain(fmt::format("conv_transposed_{}x{}_{}x{}_s{}", channels, size, window, window, stride),
              "ConvTranspose", {channels, size, size}, 1, [&](Builder& b, Tensor x, int /*i*/) {
                const std::int64_t out = (size - 1) * stride - 2 * padding + window;
                return b.node("ConvTranspose", {x, Builder::Weight{{channels, channels, window, window}}},
                              {channels, out, out},
                              {{"kernel_shape", Shape{window, window}},
                               {"strides", Shape{stride, stride}},
                               {"pads", Shape(4, padding)}});
              });
}

// A pointwise, a depthwise and a pointwise convolution, with a residual: operators of a few microseconds in a row.
void bottleneck(SuiteWriter& suite, std::int64_t narrow, std::int64_t wide, int size) {
  suite.chain(fmt::format("conv_depthwise_mixed_{}to{}_{}", narrow, wide, size), "Conv", {narrow, size, size},
              4, [&](Builder& b, Tensor x, int /*i*/) {
                Tensor y = b.node("Clip",
                                  {b.conv(x, wide, 1, {1, 0, 1, true}), Builder::Weight{{}, false},
                                   Builder::Weight{{}, false}},
                                  {wide, size, size});
                y = b.relu(b.conv(y, wide, 3, {1, 1, wide, true}));
                y = b.conv(y, narrow, 1, {1, 0, 1, true});
                return b.add(y, x);
              });
}

void eight_bit(SuiteWriter& suite, const Image& image, int window, std::int64_t groups) {
  std::vector<Case> plain;
  SuiteWriter writer(plain);
  const std::string name = fmt::format("qlinear_conv_{}x{}_{}x{}{}", image.channels, image.size, window,
                                       window, groups > 1 ? fmt::format("_g{}", groups) : "");
  writer.chain(name, "Conv", {image.channels, image.size, image.size}, 5,
               [&](Builder& b, Tensor x, int /*i*/) {
                 return b.relu(b.conv(x, image.channels, window, {1, window / 2, groups, true}));
               });
  suite.add_quantized(name, "QLinearConv", plain.front().model);
}

}  // namespace

void add_convolutions(SuiteWriter& suite) {
  for (const Image& image : {Image{96, 48}, Image{160, 22}, Image{192, 12}, Image{320, 6}, Image{48, 60},
                             Image{32, 84}, Image{224, 10}, Image{400, 5}, Image{40, 20}, Image{16, 36}})
    same(suite, "conv", image, 3, 1);
  same(suite, "conv", {96, 22}, 5, 1);
  same(suite, "conv", {120, 20}, Size(1, 5), 1);
  same(suite, "conv", {120, 20}, Size(5, 1), 1);
  same(suite, "conv", {32, 40}, 7, 1);
  same(suite, "conv", {128, 20}, 3, 4);
  same(suite, "conv", {192, 12}, 3, 24);
  stem(suite, 3, 48, 160, 5, 2);
  stem(suite, 3, 40, 200, 7, 2);
  stem(suite, 3, 24, 176, 3, 2);
  stem(suite, 88, 160, 44, 3, 2);
  struct Pair {
    std::int64_t narrow, wide;
    int size;
  };
  for (const Pair& p : {Pair{96, 376, 22}, Pair{120, 136, 32}, Pair{40, 248, 40}, Pair{168, 488, 12},
                        Pair{392, 776, 10}, Pair{312, 1272, 6}, Pair{32, 88, 90}, Pair{80, 632, 9},
                        Pair{24, 56, 26}, Pair{616, 640, 5}, Pair{16, 48, 60}, Pair{48, 72, 12}})
    pointwise(suite, p.narrow, p.wide, p.size);
  for (const Image& image : {Image{88, 48}, Image{184, 22}, Image{376, 12}, Image{744, 6}, Image{32, 92},
                             Image{136, 10}, Image{552, 18}})
    same(suite, "conv_depthwise", image, 3, image.channels);
  same(suite, "conv_depthwise", {96, 24}, 5, 96);
  same(suite, "conv_depthwise", {40, 40}, 7, 40);
  bottleneck(suite, 40, 152, 20);
  bottleneck(suite, 72, 216, 10);
  bottleneck(suite, 24, 88, 44);
  transposed(suite, 96, 24, 3, 1);
  transposed(suite, 64, 40, 2, 2);
  transposed(suite, 128, 12, 4, 2);
  transposed(suite, 48, 20, 4, 2);
  for (const Image& image : {Image{96, 22}, Image{160, 12}, Image{48, 44}}) eight_bit(suite, image, 3, 1);
  for (const Image& image : {Image{248, 22}, Image{376, 10}, Image{96, 40}}) eight_bit(suite, image, 1, 1);
  eight_bit(suite, {160, 20}, 3, 160);
}

}  // namespace corecast::runtime_fit
