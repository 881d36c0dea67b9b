// Convolutions, pools and what else slides a window over an image.
//
//   out = floor((in + pads - (d (k - 1) + 1)) / s) + 1          (ceil with ceil_mode)
//   out = s (in - 1) + output_padding + (d (k - 1) + 1) - pads  (transposed)
//
// in, out sizes, k window, s stride, d dilation, pads both ends together. Source: ONNX operator
// specifications.
#include <fmt/format.h>

#include <algorithm>

#include "graphs/onnx_shapes.hpp"

namespace corecast::graphs::importing {
namespace {

// Attributes beyond this are nonsense and would overflow the sums below.
constexpr std::int64_t kMostAttribute = std::int64_t{1} << 30;

struct Window {
  Shape kernel, strides, dilations, begins, ends;
  std::string auto_pad;
};

Shape attribute(const Inference& in, std::string_view name, std::size_t size, std::int64_t otherwise,
                std::int64_t least) {
  Shape values = in.node.wholes(name);
  if (values.empty()) return Shape(size, otherwise);
  if (values.size() != size) {
    in.fail(fmt::format("{} has {} entries, wanted {}", name, values.size(), size));
  }
  for (const std::int64_t value : values) {
    if (value < least || value > kMostAttribute) in.fail(fmt::format("{} has the entry {}", name, value));
  }
  return values;
}

Window window_of(const Inference& in, Shape kernel) {
  const std::size_t n = kernel.size();
  Window window;
  window.strides = attribute(in, "strides", n, 1, 1);
  window.dilations = attribute(in, "dilations", n, 1, 1);
  const Shape pads = attribute(in, "pads", 2 * n, 0, -kMostAttribute);
  window.begins.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(n));
  window.ends.assign(pads.begin() + static_cast<std::ptrdiff_t>(n), pads.end());
  window.auto_pad = in.node.text("auto_pad", "NOTSET");
  for (const std::int64_t size : kernel) {
    if (size < 1 || size > kMostAttribute) in.fail(fmt::format("window of size {}", size));
  }
  window.kernel = std::move(kernel);
  return window;
}

std::int64_t slide(const Inference& in, const Window& window, std::size_t d, std::int64_t size,
                   bool ceil_mode) {
  const std::int64_t stride = window.strides[d];
  if (window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER") return (size + stride - 1) / stride;
  const bool valid = window.auto_pad == "VALID";
  const std::int64_t begin = valid ? 0 : window.begins[d];
  const std::int64_t end = valid ? 0 : window.ends[d];
  const std::int64_t reach = window.dilations[d] * (window.kernel[d] - 1) + 1;
  const std::int64_t room = size + begin + end - reach;
  if (room < 0) {
    in.fail(fmt::format("its window reaches over {} elements, more than the {} of the padded input", reach,
                        size + begin + end));
  }
  std::int64_t out = room / stride + 1;
  // With ceil_mode a last window may hang over the end, but none may start in the padding behind it.
  if (ceil_mode && room % stride != 0 && out * stride < size + begin) ++out;
  return out;
}

// Channels first: N x C x spatial; channels last: N x spatial x C.
struct Layout {
  std::size_t channel = 1;
  std::size_t first_spatial = 2;
};
Layout layout_of(bool channels_last, std::size_t rank) {
  return channels_last ? Layout{rank - 1, 1} : Layout{1, 2};
}

// x and w by input index; w is M x C/group x window, or M x window x C/group with channels last.
Types convolution(const Inference& in, std::size_t x, std::size_t w, DataType type,
                  bool channels_last = false) {
  const Shape* image = in.shape(x);
  const Shape* weight = in.shape(w);
  if (image == nullptr || weight == nullptr) return {{type, std::nullopt}};
  in.need_rank(x, 3, 8);
  in.need_rank(w, image->size(), image->size());
  const std::int64_t group = in.node.whole("group", 1);
  const Layout layout = layout_of(channels_last, image->size());
  const Layout weight_layout = layout_of(channels_last, weight->size());
  const std::int64_t channels = (*image)[layout.channel];
  const std::int64_t per_group = (*weight)[weight_layout.channel];
  if (group < 1 || group > kMostAttribute || per_group > kMostElements / group ||
      per_group * group != channels) {
    in.fail(fmt::format("input {} has {} channels, the weights {} are for {} in each of {} groups",
                        to_text(*image), channels, to_text(*weight), per_group, group));
  }
  if ((*weight)[0] % group != 0) in.fail(fmt::format("{} output channels in {} groups", (*weight)[0], group));
  const std::size_t spatial = image->size() - 2;
  Shape kernel = in.node.wholes("kernel_shape");
  const auto first = weight->begin() + static_cast<std::ptrdiff_t>(weight_layout.first_spatial);
  const Shape from_weight(first, first + static_cast<std::ptrdiff_t>(spatial));
  if (!kernel.empty() && kernel != from_weight) {
    in.fail(fmt::format("kernel_shape {} is not that of the weights {}", to_text(kernel), to_text(*weight)));
  }
  const Window window = window_of(in, from_weight);
  Shape out = *image;
  out[layout.channel] = (*weight)[0];
  for (std::size_t d = 0; d < spatial; ++d) {
    std::int64_t& size = out[layout.first_spatial + d];
    size = slide(in, window, d, size, false);
  }
  return {{type, out}};
}

Types conv(const Inference& in) {
  return convolution(in, 0, 1, in.type(0));
}
Types conv_integer(const Inference& in) {
  return convolution(in, 0, 1, DataType::int32);
}
// QLinearConv(x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, B)
Types quantized_conv(const Inference& in) {
  return convolution(in, 0, 3, in.has(7) ? in.type(7) : in.type(0), in.node.whole("channels_last", 0) != 0);
}
Types nhwc_conv(const Inference& in) {
  return convolution(in, 0, 1, in.type(0), true);
}

Types transposed_conv(const Inference& in) {
  const Shape* image = in.shape(0);
  const Shape* weight = in.shape(1);
  if (image == nullptr || weight == nullptr) return {{in.type(0), std::nullopt}};
  in.need_rank(0, 3, 8);
  in.need_rank(1, image->size(), image->size());
  const std::int64_t group = in.node.whole("group", 1);
  if ((*image)[1] != (*weight)[0]) {
    in.fail(fmt::format("input {} has {} channels, the weights {} are for {}", to_text(*image), (*image)[1],
                        to_text(*weight), (*weight)[0]));
  }
  if (group < 1 || group > kMostAttribute || (*weight)[1] > kMostElements / group) {
    in.fail(fmt::format("group is {}", group));
  }
  const std::size_t spatial = image->size() - 2;
  const Window window = window_of(in, Shape(weight->begin() + 2, weight->end()));
  const Shape more = attribute(in, "output_padding", spatial, 0, 0);
  const Shape wanted = in.node.wholes("output_shape");
  Shape out{(*image)[0], (*weight)[1] * group};
  for (std::size_t d = 0; d < spatial; ++d) {
    const std::int64_t size = (*image)[2 + d];
    const std::int64_t reach = window.dilations[d] * (window.kernel[d] - 1) + 1;
    if (size > kMostElements / window.strides[d]) in.fail("its result is too large for any machine");
    if (wanted.size() == spatial) {
      out.push_back(wanted[d]);
    } else if (wanted.size() == spatial + 2) {
      out.push_back(wanted[2 + d]);
    } else if (window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER") {
      out.push_back(size * window.strides[d]);
    } else {
      const bool valid = window.auto_pad == "VALID";
      const std::int64_t pads = valid ? 0 : window.begins[d] + window.ends[d];
      out.push_back(window.strides[d] * (size - 1) + more[d] + reach - pads);
    }
  }
  return {{in.type(0), out}};
}

Types pooling(const Inference& in, bool channels_last) {
  const Shape* image = in.shape(0);
  if (image == nullptr) return {{in.type(0), std::nullopt}, {DataType::int64, std::nullopt}};
  in.need_rank(0, 3, 8);
  const std::size_t spatial = image->size() - 2;
  const Shape kernel = attribute(in, "kernel_shape", spatial, 0, 1);
  if (kernel[0] == 0) in.fail("has no kernel_shape");
  const Window window = window_of(in, kernel);
  const bool ceil_mode = in.node.whole("ceil_mode", 0) != 0;
  const Layout layout = layout_of(channels_last, image->size());
  Shape out = *image;
  for (std::size_t d = 0; d < spatial; ++d) {
    std::int64_t& size = out[layout.first_spatial + d];
    size = slide(in, window, d, size, ceil_mode);
  }
  return {{in.type(0), out}, {DataType::int64, out}};
}
Types pool(const Inference& in) {
  return pooling(in, false);
}
Types nhwc_pool(const Inference& in) {
  return pooling(in, true);
}
Types quantized_pool(const Inference& in) {
  return {pooling(in, in.node.whole("channels_last", 0) != 0)[0]};
}

Types global_pool(const Inference& in) {
  const Shape* image = in.shape(0);
  if (image == nullptr) return {{in.type(0), std::nullopt}};
  in.need_rank(0, 2, 8);
  Shape out(image->size(), 1);
  out[0] = (*image)[0];
  const Layout layout = layout_of(in.node.whole("channels_last", 0) != 0, image->size());
  out[layout.channel] = (*image)[layout.channel];
  return {{in.type(0), out}};
}

Types max_unpool(const Inference& in) {
  const Shape* image = in.shape(0);
  if (in.has(2)) {
    const auto* target = in.integers(2);
    return {{in.type(0), target == nullptr ? std::nullopt : std::optional<Shape>(*target)}};
  }
  if (image == nullptr) return {{in.type(0), std::nullopt}};
  in.need_rank(0, 3, 8);
  const std::size_t spatial = image->size() - 2;
  const Window window = window_of(in, attribute(in, "kernel_shape", spatial, 1, 1));
  Shape out{(*image)[0], (*image)[1]};
  for (std::size_t d = 0; d < spatial; ++d) {
    if ((*image)[2 + d] > kMostElements / window.strides[d])
      in.fail("its result is too large for any machine");
    out.push_back(window.strides[d] * ((*image)[2 + d] - 1) + window.kernel[d] - window.begins[d] -
                  window.ends[d]);
  }
  return {{in.type(0), out}};
}

// RoiAlign and MaxRoiPool: one window of fixed size per region.
Types regions(const Inference& in, std::int64_t height, std::int64_t width) {
  const Shape* image = in.shape(0);
  const Shape* boxes = in.shape(1);
  if (image == nullptr || boxes == nullptr) return {{in.type(0), std::nullopt}};
  in.need_rank(0, 4, 4);
  in.need_rank(1, 2, 2);
  return {{in.type(0), Shape{(*boxes)[0], (*image)[1], height, width}}};
}
Types roi_align(const Inference& in) {
  return regions(in, in.node.whole("output_height", 1), in.node.whole("output_width", 1));
}
Types roi_pool(const Inference& in) {
  const Shape size = attribute(in, "pooled_shape", 2, 1, 1);
  return regions(in, size[0], size[1]);
}

// Columns back to an image: (N, C prod(block), L) -> (N, C, image).
Types columns_to_image(const Inference& in) {
  const Shape* columns = in.shape(0);
  const auto* image = in.integers(1);
  const auto* block = in.integers(2);
  if (columns == nullptr || image == nullptr || block == nullptr) return {{in.type(0), std::nullopt}};
  in.need_rank(0, 3, 3);
  const auto size = elements_of(*block);
  if (!size || *size == 0 || (*columns)[1] % *size != 0) {
    in.fail(fmt::format("{} rows do not hold whole blocks of {}", (*columns)[1], to_text(*block)));
  }
  Shape out{(*columns)[0], (*columns)[1] / *size};
  out.insert(out.end(), image->begin(), image->end());
  return {{in.type(0), out}};
}

}  // namespace

const ShapeRules& window_shape_rules() {
  static const ShapeRules rules{
      {"AveragePool", pool},
      {"Col2Im", columns_to_image},
      {"Conv", conv},
      {"ConvInteger", conv_integer},
      {"ConvTranspose", transposed_conv},
      {"DeformConv", conv},
      {"FusedConv", conv},
      {"GlobalAveragePool", global_pool},
      {"GlobalLpPool", global_pool},
      {"GlobalMaxPool", global_pool},
      {"LpPool", pool},
      {"MaxPool", pool},
      {"MaxRoiPool", roi_pool},
      {"MaxUnpool", max_unpool},
      {"NhwcConv", nhwc_conv},
      {"NhwcFusedConv", nhwc_conv},
      {"NhwcMaxPool", nhwc_pool},
      {"QLinearAveragePool", quantized_pool},
      {"QLinearConv", quantized_conv},
      {"QLinearGlobalAveragePool", global_pool},
      {"RoiAlign", roi_align},
  };
  return rules;
}

}  // namespace corecast::graphs::importing
