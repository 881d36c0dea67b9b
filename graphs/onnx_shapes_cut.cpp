// Operators that take parts of a tensor or put a margin around it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "graphs/onnx_shapes.hpp"

namespace corecast::graphs::importing {
namespace {

// One axis of a Slice as numpy cuts it: negative bounds count from the end, too large ones are clamped.
SliceRange cut(const Inference& in, std::int64_t size, std::int64_t start, std::int64_t end,
               std::int64_t step) {
  if (step == 0) in.fail("step of 0");
  if (start < 0) start += size;
  if (end < 0) end += size;
  if (step > 0) {
    start = std::clamp<std::int64_t>(start, 0, size);
    end = std::clamp<std::int64_t>(end, 0, size);
    const std::int64_t room = end - start;
    return {start, step, room <= 0 ? 0 : (room - 1) / step + 1};
  }
  start = std::clamp<std::int64_t>(start, -1, size - 1);
  end = std::clamp<std::int64_t>(end, -1, size - 1);
  const std::int64_t room = start - end;
  // step may be the most negative number: divide by it, do not negate it.
  return {start, step, room <= 0 ? 0 : (1 - room) / step + 1};
}

}  // namespace

std::optional<std::vector<SliceRange>> slice_ranges(const Inference& in) {
  const Shape* data = in.shape(0);
  if (data == nullptr) return std::nullopt;
  Shape starts, ends, steps;
  std::vector<std::size_t> axes;
  const bool by_input = in.has(1) || in.has(2);
  if (by_input) {
    if (in.integers(1) == nullptr || in.integers(2) == nullptr) return std::nullopt;
    starts = *in.integers(1);
    ends = *in.integers(2);
    if (in.has(4)) {
      if (in.integers(4) == nullptr) return std::nullopt;
      steps = *in.integers(4);
    }
  } else {
    starts = in.node.wholes("starts");
    ends = in.node.wholes("ends");
  }
  const Axes given = axes_of(in, 3, "axes", data->size());
  if (given.given) {
    if (!given.axes) return std::nullopt;
    axes = *given.axes;
  } else {
    for (std::size_t d = 0; d < starts.size(); ++d)
      axes.push_back(in.axis(static_cast<std::int64_t>(d), data->size()));
  }
  if (starts.size() != ends.size() || starts.size() != axes.size() ||
      (!steps.empty() && steps.size() != starts.size())) {
    in.fail(fmt::format("{} starts, {} ends, {} axes, {} steps", starts.size(), ends.size(), axes.size(),
                        steps.size()));
  }
  std::vector<SliceRange> ranges;
  for (const std::int64_t size : *data) ranges.push_back({0, 1, size});
  for (std::size_t k = 0; k < starts.size(); ++k) {
    ranges[axes[k]] = cut(in, (*data)[axes[k]], starts[k], ends[k], steps.empty() ? 1 : steps[k]);
  }
  return ranges;
}

std::optional<Shape> split_sizes(const Inference& in, std::int64_t whole) {
  const std::size_t n = in.node.outputs.size();
  Shape sizes = in.node.wholes("split");
  if (in.has(1)) {
    if (in.integers(1) == nullptr) return std::nullopt;
    sizes = *in.integers(1);
  }
  if (sizes.empty()) {  // equal parts; with num_outputs the last one may be smaller
    const std::int64_t parts = in.node.whole("num_outputs", static_cast<std::int64_t>(n));
    if (parts < 1) in.fail(fmt::format("split into {} parts", parts));
    const std::int64_t part = whole / parts + (whole % parts != 0 ? 1 : 0);
    std::int64_t left = whole;
    for (std::size_t i = 0; i < n; ++i) {
      sizes.push_back(std::min(part, left));
      left -= sizes.back();
    }
    return sizes;
  }
  if (sizes.size() != n) in.fail(fmt::format("{} sizes for {} results", sizes.size(), n));
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > whole) in.fail(fmt::format("a part of {} elements out of {}", size, whole));
    sum += size;
    if (sum > whole) break;
  }
  if (sum != whole) in.fail(fmt::format("parts {} do not add up to {}", to_text(sizes), whole));
  return sizes;
}

namespace {

Types split(const Inference& in) {
  Types types(in.node.outputs.size(), {in.type(0), std::nullopt});
  const Shape* data = in.shape(0);
  if (data == nullptr) return types;
  const std::size_t axis = in.axis(in.node.whole("axis", 0), data->size());
  const auto sizes = split_sizes(in, (*data)[axis]);
  if (!sizes) return types;
  for (std::size_t i = 0; i < types.size(); ++i) {
    types[i].shape = *data;
    (*types[i].shape)[axis] = (*sizes)[i];
  }
  return types;
}

Types slice(const Inference& in) {
  const auto ranges = slice_ranges(in);
  if (!ranges) return {{in.type(0), std::nullopt}};
  Shape out;
  for (const SliceRange& range : *ranges) out.push_back(range.count);
  return {{in.type(0), out}};
}

Types pad(const Inference& in) {
  const Shape* data = in.shape(0);
  Shape pads = in.node.wholes("pads");
  if (pads.empty()) pads = in.node.wholes("paddings");
  if (in.has(1)) {
    if (in.integers(1) == nullptr) return {{in.type(0), std::nullopt}};
    pads = *in.integers(1);
  }
  if (data == nullptr) return {{in.type(0), std::nullopt}};
  const Axes given = axes_of(in, 3, "", data->size());
  if (given.given && !given.axes) return {{in.type(0), std::nullopt}};
  std::vector<std::size_t> axes;
  for (std::size_t d = 0; d < data->size(); ++d) axes.push_back(d);
  if (given.given) axes = *given.axes;
  if (pads.size() != 2 * axes.size()) in.fail(fmt::format("{} pads for {} axes", pads.size(), axes.size()));
  Shape out = *data;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    for (const std::int64_t amount : {pads[k], pads[k + axes.size()]}) {
      if (std::abs(amount / 2) > kMostElements) in.fail(fmt::format("pads by {}", amount));
      out[axes[k]] += amount;
    }
  }
  return {{in.type(0), out}};
}

Types center_crop_pad(const Inference& in) {
  const Shape* data = in.shape(0);
  const auto* sizes = in.integers(1);
  if (data == nullptr || sizes == nullptr) return {{in.type(0), std::nullopt}};
  const Axes given = axes_of(in, std::numeric_limits<std::size_t>::max(), "axes", data->size());
  const std::size_t count = given.given ? given.axes->size() : data->size();
  if (sizes->size() != count) in.fail(fmt::format("{} sizes for {} axes", sizes->size(), count));
  Shape out = *data;
  for (std::size_t k = 0; k < count; ++k) out[given.given ? (*given.axes)[k] : k] = (*sizes)[k];
  return {{in.type(0), out}};
}

}  // namespace

const ShapeRules& cut_shape_rules() {
  static const ShapeRules rules{
      {"CenterCropPad", center_crop_pad},
      {"Pad", pad},
      {"Slice", slice},
      {"Split", split},
  };
  return rules;
}

}  // namespace corecast::graphs::importing
