#include <fmt/format.h>

#include "calibration/runtime_fit/suite_parts.hpp"

namespace corecast::runtime_fit {
namespace {

struct Image {
  std::int64_t channels;
  int size;
};

Shape shape_of(const Image& image) {
  return {image.channels, image.size, image.size};
}

int links_of(const Image& image, double flop_per_element) {
  const double elements = static_cast<double>(image.channels) * image.size * image.size;
  return SuiteWriter::links(elements * flop_per_element * 4.0, 8.0 * elements);
}

// Behind a convolution, so in whichever layout the runtime keeps for images.
void pools(SuiteWriter& suite, const char* type, const Image& image, int window) {
  suite.chain(fmt::format("{}_{}x{}_{}x{}", type, image.channels, image.size, window, window), type,
              {16, image.size, image.size}, 1, [&](Builder& b, Tensor x, int /*i*/) {
                x = b.conv(x, image.channels, 1, {1, 0, 1, true});
                for (int j = links_of(image, window * window); j > 0; --j) {
                  x = type == std::string("MaxPool") ? b.max_pool(x, window, {1, window / 2})
                                                     : b.average_pool(x, window, {1, window / 2});
                }
                return x;
              });
}

void strided_pools(SuiteWriter& suite, std::int64_t channels, int size, int window) {
  suite.chain(fmt::format("MaxPool_{}x{}_{}x{}_s2", channels, size, window, window), "MaxPool",
              {16, size, size}, 1, [&](Builder& b, Tensor x, int /*i*/) {
                x = b.conv(x, channels, 1, {1, 0, 1, true});
                return b.max_pool(b.max_pool(x, window, {2, window / 2}), window, {2, window / 2});
              });
}

void batch_norm(SuiteWriter& suite, const Image& image) {
  suite.chain(fmt::format("BatchNormalization_{}x{}", image.channels, image.size), "BatchNormalization",
              shape_of(image), links_of(image, 2),
              [](Builder& b, Tensor x, int /*i*/) { return b.batch_norm(x); });
}

// As densely connected networks have them: normalised, activated, then a convolution of one in four channels.
void normalised_conv(SuiteWriter& suite, const Image& image) {
  suite.chain(fmt::format("BatchNormalization_Conv_{}x{}", image.channels, image.size), "BatchNormalization",
              shape_of(image), 6, [&](Builder& b, Tensor x, int /*i*/) {
                const Tensor grown = b.conv(b.relu(b.batch_norm(x)), image.channels / 4, 1);
                const Tensor back = b.conv(grown, image.channels, 1);
                return b.add(back, x);
              });
}

void instance_norm(SuiteWriter& suite, const Image& image) {
  suite.chain(fmt::format("InstanceNormalization_{}x{}", image.channels, image.size), "InstanceNormalization",
              shape_of(image), links_of(image, 8), [&](Builder& b, Tensor x, int /*i*/) {
                const Builder::Weight weight{{image.channels}};
                return b.node("InstanceNormalization", {x, weight, weight}, shape_of(image));
              });
}

void local_response(SuiteWriter& suite, const Image& image) {
  suite.chain(fmt::format("LRN_{}x{}", image.channels, image.size), "LRN", shape_of(image), 3,
              [&](Builder& b, Tensor x, int /*i*/) {
                return b.node("LRN", {x}, shape_of(image),
                              {{"size", std::int64_t{5}}, {"alpha", 1e-4}, {"beta", 0.75}, {"bias", 1.0}});
              });
}

void global_average(SuiteWriter& suite, const Image& image) {
  suite.fan(fmt::format("GlobalAveragePool_{}x{}", image.channels, image.size), "GlobalAveragePool",
            shape_of(image), 4, [](Builder& b, Tensor x, int /*i*/) { return b.global_average_pool(x); });
}

// Pools, which runtimes may keep in a layout of their own, between passes that read the plain one.
void reorders(SuiteWriter& suite, const Image& image) {
  suite.chain(fmt::format("Reorder_{}x{}", image.channels, image.size), "Reorder", shape_of(image),
              links_of(image, 9), [](Builder& b, Tensor x, int /*i*/) {
                return b.activation("Neg", b.max_pool(x, 3, {1, 1}));
              });
}

}  // namespace

void add_image_passes(SuiteWriter& suite) {
  for (const Image& image : {Image{96, 48}, Image{184, 22}, Image{376, 12}, Image{48, 90}})
    pools(suite, "MaxPool", image, 3);
  for (const Image& image : {Image{96, 48}, Image{184, 22}, Image{376, 12}})
    pools(suite, "AveragePool", image, 3);
  pools(suite, "MaxPool", {64, 40}, 5);
  strided_pools(suite, 88, 96, 3);
  strided_pools(suite, 160, 44, 2);
  for (const Image& image : {Image{96, 48}, Image{160, 22}, Image{312, 12}, Image{40, 20}})
    batch_norm(suite, image);
  normalised_conv(suite, {160, 22});
  normalised_conv(suite, {96, 44});
  for (const Image& image : {Image{96, 48}, Image{160, 22}, Image{312, 12}}) instance_norm(suite, image);
  for (const Image& image : {Image{48, 40}, Image{128, 22}, Image{160, 12}, Image{64, 60}})
    local_response(suite, image);
  for (const Image& image : {Image{312, 12}, Image{744, 6}, Image{160, 22}, Image{1200, 8}})
    global_average(suite, image);
  for (const Image& image :
       {Image{64, 10}, Image{96, 48}, Image{176, 22}, Image{384, 12}, Image{32, 88}, Image{752, 6}})
    reorders(suite, image);
}

}  // namespace corecast::runtime_fit
