#include "graphs/onnx_fold_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

namespace corecast::graphs::importing {
namespace {

using Sources = std::optional<std::vector<std::size_t>>;

std::size_t count_of(const Shape& shape) {
  return static_cast<std::size_t>(elements_of(shape).value_or(0));
}

// One index per position of `out`, by a function of the position.
template <typename IndexOf>
Sources each_position(const Shape& out, const IndexOf& index_of) {
  std::vector<std::size_t> sources(count_of(out));
  Positions positions(out);
  for (std::size_t& source : sources) {
    source = index_of(positions.at());
    positions.advance();
  }
  return sources;
}

Sources sliced(const Inference& in, const Shape& out) {
  const auto ranges = slice_ranges(in);
  if (!ranges) return std::nullopt;
  const auto strides = strides_of(*in.shape(0));
  return each_position(out, [&](const auto& at) {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < at.size(); ++d)
      index += ((*ranges)[d].start + at[d] * (*ranges)[d].step) * strides[d];
    return static_cast<std::size_t>(index);
  });
}

Sources transposed(const Inference& in, const Shape& out) {
  const auto strides = strides_of(*in.shape(0));
  const Shape order = in.node.wholes("perm");
  return each_position(out, [&](const auto& at) {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      index += at[d] * strides[order.empty() ? at.size() - 1 - d : in.axis(order[d], at.size())];
    }
    return static_cast<std::size_t>(index);
  });
}

Sources tiled(const Inference& in, const Shape& out) {
  const Shape& data = *in.shape(0);
  const auto strides = strides_of(data);
  return each_position(out, [&](const auto& at) {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < at.size(); ++d) index += at[d] % data[d] * strides[d];
    return static_cast<std::size_t>(index);
  });
}

Sources gathered(const Inference& in, const Shape& out) {
  const auto* indices = in.integers(1);
  if (indices == nullptr) return std::nullopt;
  const Shape& data = *in.shape(0);
  const Shape& index_shape = *in.shape(1);
  const std::size_t axis = in.axis(in.node.whole("axis", 0), data.size());
  for (const std::int64_t index : *indices) {
    if (index < -data[axis] || index >= data[axis]) in.fail(fmt::format("index {} of {}", index, data[axis]));
  }
  const auto strides = strides_of(data);
  const auto index_strides = strides_of(index_shape);
  return each_position(out, [&](const auto& at) {
    std::int64_t which = 0;
    for (std::size_t d = 0; d < index_shape.size(); ++d) which += at[axis + d] * index_strides[d];
    const std::int64_t given = (*indices)[static_cast<std::size_t>(which)];
    std::int64_t index = (given < 0 ? given + data[axis] : given) * strides[axis];
    for (std::size_t d = 0; d < axis; ++d) index += at[d] * strides[d];
    for (std::size_t d = axis + 1; d < data.size(); ++d) index += at[d - 1 + index_shape.size()] * strides[d];
    return static_cast<std::size_t>(index);
  });
}

Sources split(const Inference& in, const Types& types, std::size_t output) {
  const Shape& data = *in.shape(0);
  const std::size_t axis = in.axis(in.node.whole("axis", 0), data.size());
  std::int64_t before = 0;
  for (std::size_t i = 0; i < output; ++i) {
    if (!types[i].shape) return std::nullopt;
    before += (*types[i].shape)[axis];
  }
  const auto strides = strides_of(data);
  return each_position(*types[output].shape, [&](const auto& at) {
    std::int64_t index = before * strides[axis];
    for (std::size_t d = 0; d < at.size(); ++d) index += at[d] * strides[d];
    return static_cast<std::size_t>(index);
  });
}

}  // namespace

void Positions::advance() {
  for (std::size_t d = shape_.size(); d-- > 0;) {
    if (++at_[d] < shape_[d]) return;
    at_[d] = 0;
  }
}

std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * std::max<std::int64_t>(shape[d], 1);
  return strides;
}

std::size_t broadcast_index(const Shape& from, const std::vector<std::int64_t>& position) {
  const std::size_t offset = position.size() - from.size();
  std::int64_t index = 0;
  for (std::size_t d = 0; d < from.size(); ++d)
    index = index * from[d] + (from[d] <= 1 ? 0 : position[offset + d] % from[d]);
  return static_cast<std::size_t>(index);
}

std::optional<std::vector<std::size_t>> moved_from(const Inference& in, const Types& types,
                                                   std::size_t output) {
  static const std::set<std::string_view> in_order{"Dropout", "ExpandDims", "Flatten",  "Identity",
                                                   "Reshape", "Squeeze",    "Unsqueeze"};
  const std::string_view type = in.node.type;
  const Shape* data = in.shape(0);
  const auto& out = types[output].shape;
  if (data == nullptr || !out || count_of(*out) > kMostValues) return std::nullopt;
  if (in_order.contains(type)) {
    if (output > 0 || count_of(*data) != count_of(*out)) return std::nullopt;
    std::vector<std::size_t> sources(count_of(*out));
    std::iota(sources.begin(), sources.end(), std::size_t{0});
    return sources;
  }
  if (type == "Slice") return sliced(in, *out);
  if (type == "Transpose") return transposed(in, *out);
  if (type == "Tile") return tiled(in, *out);
  if (type == "Gather") return gathered(in, *out);
  if (type == "Split") return split(in, types, output);
  if (type == "Expand") {
    if (data->size() > out->size()) return std::nullopt;
    return each_position(*out, [&](const auto& at) { return broadcast_index(*data, at); });
  }
  return std::nullopt;
}

}  // namespace corecast::graphs::importing
