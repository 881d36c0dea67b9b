// Convolutions. Work of one: every output element is a sum over the channels of its group and the window.
//
//   flop = 2 * images * output channels * output pixels * (input channels / groups) * window
//
// The bias starts the accumulator and costs no flop of its own; it is read.
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

struct ConvShape {
  std::int64_t images = 0, groups = 1, in_channels = 0, out_channels = 0;
  Shape in_pixels, out_pixels, window;
};

std::int64_t rows_of(const NodeView& node, const Shape& pixels) {
  if (pixels.size() == 1) return ceil_div(pixels[0], 16);
  return product(node, std::span(pixels).first(pixels.size() - 1));
}

// Images, channels and pixels of a tensor in either layout.
struct Image {
  std::int64_t images, channels;
  Shape pixels;
};

Image image_of(const Shape& shape, bool channels_last) {
  if (channels_last) return {shape.front(), shape.back(), Shape(shape.begin() + 1, shape.end() - 1)};
  return {shape[0], shape[1], Shape(shape.begin() + 2, shape.end())};
}

std::int64_t groups_of(const NodeView& node) {
  const std::int64_t groups = node.whole("group", 1);
  if (groups < 1) fail(node, fmt::format("group is {}, wanted at least 1", groups));
  return groups;
}

ConvShape conv_shape(const NodeView& node, std::size_t weights, bool transposed, bool channels_last) {
  const Shape& x = input_shape(node, 0, 3, 8);
  const Shape& w = input_shape(node, weights, x.size(), x.size());
  const Shape& y = output_shape(node, 0);
  require_equal(node, "the output's rank", static_cast<std::int64_t>(y.size()),
                static_cast<std::int64_t>(x.size()));
  const Image in = image_of(x, channels_last);
  const Image out = image_of(y, channels_last);
  ConvShape s{in.images,
              groups_of(node),
              in.channels,
              out.channels,
              in.pixels,
              out.pixels,
              Shape(w.begin() + 2, w.end())};
  require_equal(node, "the output's batch", out.images, s.images);
  const std::int64_t per_group = w[1];
  if (transposed) {
    require_equal(node, "input channels", s.in_channels, w[0]);
    require_equal(node, "output channels", s.out_channels, product(node, {per_group, s.groups}));
  } else {
    require_equal(node, "input channels", s.in_channels, product(node, {per_group, s.groups}));
    require_equal(node, "output channels", s.out_channels, w[0]);
  }
  require_equal(node, "channels modulo group", (transposed ? s.in_channels : s.out_channels) % s.groups, 0);
  if (const Shape kernel = node.wholes("kernel_shape"); !kernel.empty() && kernel != s.window) {
    fail(node, fmt::format("kernel_shape {} differs from the weights' {}", fmt::join(kernel, "x"),
                           fmt::join(s.window, "x")));
  }
  return s;
}

KernelClass class_of(const ConvShape& s) {
  if (s.groups > 1 && s.groups == s.in_channels) return KernelClass::conv_depthwise;
  const bool pointwise = std::all_of(s.window.begin(), s.window.end(), [](std::int64_t k) { return k == 1; });
  return pointwise ? KernelClass::conv_1x1 : KernelClass::conv;
}

// Weights of a group, the input rows under the window and one output row.
Bytes working_set(const ConvShape& s, DataType type) {
  const auto channels = static_cast<double>(s.in_channels) / static_cast<double>(s.groups);
  const auto filters = static_cast<double>(s.out_channels) / static_cast<double>(s.groups);
  double window = 1;
  for (const std::int64_t k : s.window) window *= static_cast<double>(k);
  const auto rows = static_cast<double>(s.window.front());
  double in_row = 1, out_row = 1;
  for (std::size_t i = 1; i < s.in_pixels.size(); ++i) in_row *= static_cast<double>(s.in_pixels[i]);
  for (std::size_t i = 1; i < s.out_pixels.size(); ++i) out_row *= static_cast<double>(s.out_pixels[i]);
  return Bytes((filters * channels * window + rows * in_row * channels + out_row * filters) *
               bytes_per_element(type));
}

Operator finish(const NodeView& node, const ConvShape& s, KernelClass kernel, MatrixShape matrix,
                double flop_per_output) {
  Work work = traffic(node);
  work.flops = flops_of(matrix) + Flops(flop_per_output * output(node, 0).elements());
  const std::int64_t filter_blocks = ceil_div(s.out_channels / s.groups, 16);
  work.units = product(node, {s.images, s.groups, filter_blocks, rows_of(node, s.out_pixels)});
  work.working_set = working_set(s, work.compute_type);
  Operator op = operator_with(kernel, work);
  op.matrix = matrix;
  op.window = s.window;
  return op;
}

Operator convolution(const NodeView& node, std::size_t weights, bool channels_last, double flop_per_output) {
  const ConvShape s = conv_shape(node, weights, false, channels_last);
  const MatrixShape matrix{product(node, {s.images, s.groups}), product(node, s.out_pixels),
                           s.out_channels / s.groups,
                           product(node, {s.in_channels / s.groups, product(node, s.window)})};
  return finish(node, s, class_of(s), matrix, flop_per_output);
}

// Every input element is spread over the window: the product has the input's pixels as rows.
Operator transposed(const NodeView& node, double flop_per_output) {
  const ConvShape s = conv_shape(node, 1, true, false);
  const MatrixShape matrix{product(node, {s.images, s.groups}), product(node, s.in_pixels),
                           product(node, {s.out_channels / s.groups, product(node, s.window)}),
                           s.in_channels / s.groups};
  return finish(node, s, KernelClass::conv_transposed, matrix, flop_per_output);
}

bool channels_last(const NodeView& node) {
  return node.whole("channels_last", 0) != 0;
}

Operator conv(const NodeView& node) {
  return convolution(node, 1, false, 0);
}
Operator conv_transpose(const NodeView& node) {
  return transposed(node, 0);
}

// Activation, and the addend Z when there is one, on every output.
Operator fused_conv(const NodeView& node) {
  const int addend = node.input(3) != nullptr ? 1 : 0;
  return convolution(node, 1, channels_last(node), addend + activation_cost(node.text("activation", "")));
}

Operator nhwc_conv(const NodeView& node) {
  const int addend = node.input(3) != nullptr ? 1 : 0;
  return convolution(node, 1, true, addend + activation_cost(node.text("activation", "")));
}

Operator conv_integer(const NodeView& node) {
  return convolution(node, 1, false, 0);
}
Operator qlinear_conv(const NodeView& node) {
  return convolution(node, 3, channels_last(node), kQuantize);
}

// Each tap of each output pixel samples every input channel between four neighbours: 4 multiply-adds, and a
// modulation factor when there is a mask.
Operator deform_conv(const NodeView& node) {
  Operator op = convolution(node, 1, false, 0);
  const double taps = output(node, 0).elements() == 0
                          ? 0.0
                          : static_cast<double>(op.matrix->m) * static_cast<double>(op.matrix->k) *
                                static_cast<double>(op.matrix->batch);
  op.work.flops += Flops(taps * (node.input(4) != nullptr ? 9.0 : 8.0));
  return op;
}

constexpr std::array kRules{
    Entry{kOnnx, "Conv", conv},
    Entry{kOnnx, "ConvInteger", conv_integer},
    Entry{kOnnx, "ConvTranspose", conv_transpose},
    Entry{kOnnx, "DeformConv", deform_conv},
    Entry{kOnnx, "QLinearConv", qlinear_conv},
    Entry{kMicrosoft, "ConvTransposeWithDynamicPads", conv_transpose},
    Entry{kMicrosoft, "FusedConv", fused_conv},
    Entry{kMicrosoft, "NhwcConv", nhwc_conv},
    Entry{kMicrosoft, "NhwcFusedConv", nhwc_conv},
    Entry{kMicrosoft, "QLinearConv", qlinear_conv},
    Entry{kNchwc, "Conv", fused_conv},
};

}  // namespace

std::span<const Entry> conv_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
