// Operators that move elements without computing: reshape, transpose, concatenate, cut, repeat, resize.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "graphs/onnx_shapes.hpp"

namespace corecast::graphs::importing {

Axes axes_of(const Inference& in, std::size_t i, std::string_view attribute, std::size_t rank) {
  Axes result;
  Shape given;
  if (in.has(i)) {
    result.given = true;
    const auto* values = in.integers(i);
    if (values == nullptr) return result;
    given = *values;
  } else {
    given = in.node.wholes(attribute);
  }
  result.given = !given.empty();  // an empty list says as much as none
  std::set<std::size_t> seen;
  std::vector<std::size_t> axes;
  for (const std::int64_t value : given) {
    const std::size_t axis = in.axis(value, rank);
    if (!seen.insert(axis).second) in.fail(fmt::format("axis {} is given twice", value));
    axes.push_back(axis);
  }
  result.axes = std::move(axes);
  return result;
}

namespace {

// The target with the file's batch replaced by the one asked for, where that makes the element count fit.
void rebatch_target(const Inference& in, const Shape& data, std::int64_t elements, Shape& target) {
  if (!in.rebatch || target.empty() || target.front() <= 0) return;
  const auto [from, to] = *in.rebatch;
  const bool open = std::find(target.begin(), target.end(), -1) != target.end();
  if (open) {
    if (target.front() == from && !data.empty() && data.front() == to) target.front() = to;
    return;
  }
  const auto product = elements_of(target);
  if (!product || *product == elements || target.front() % from != 0) return;
  Shape changed = target;
  changed.front() = target.front() / from;
  if (changed.front() > kMostElements / to) return;
  changed.front() *= to;
  if (elements_of(changed) == elements) target = changed;
}

Types reshape(const Inference& in) {
  const Shape* data = in.shape(0);
  const Shape from_attribute = in.node.wholes("shape");
  const Shape* wanted = in.has(1) ? in.integers(1) : &from_attribute;
  if (data == nullptr || wanted == nullptr) return {{in.type(0), std::nullopt}};
  Shape target = *wanted;
  const bool allow_zero = in.node.whole("allowzero", 0) != 0;
  for (std::size_t d = 0; d < target.size(); ++d) {
    if (target[d] == 0 && !allow_zero) {
      if (d >= data->size())
        in.fail(fmt::format("keeps dimension {} of an input of rank {}", d, data->size()));
      target[d] = (*data)[d];
    }
    if (target[d] < -1) in.fail(fmt::format("target shape {} has the size {}", to_text(*wanted), target[d]));
  }
  const std::int64_t elements = elements_of(*data).value_or(0);
  rebatch_target(in, *data, elements, target);
  const auto open = std::find(target.begin(), target.end(), -1);
  if (open != target.end()) {
    if (std::find(open + 1, target.end(), -1) != target.end()) {
      in.fail(fmt::format("target shape {} leaves two dimensions open", to_text(*wanted)));
    }
    *open = 1;
    const auto rest = elements_of(target);
    if (!rest || (*rest == 0 ? elements != 0 : elements % *rest != 0)) {
      in.fail(fmt::format("{} elements of shape {} do not fill the target shape {}", elements, to_text(*data),
                          to_text(*wanted)));
    }
    *open = *rest == 0 ? 0 : elements / *rest;
  } else if (elements_of(target) != elements) {
    in.fail(fmt::format("{} elements of shape {} do not fill the target shape {}", elements, to_text(*data),
                        to_text(*wanted)));
  }
  return {{in.type(0), target}};
}

Types flatten(const Inference& in) {
  const Shape* data = in.shape(0);
  if (data == nullptr) return {{in.type(0), std::nullopt}};
  const std::int64_t given = in.node.whole("axis", 1);
  const auto rank = static_cast<std::int64_t>(data->size());
  if (given < -rank || given > rank) in.fail(fmt::format("axis {} of a tensor of rank {}", given, rank));
  const auto middle = data->begin() + (given < 0 ? given + rank : given);
  return {{in.type(0), Shape{elements_of(Shape(data->begin(), middle)).value_or(0),
                             elements_of(Shape(middle, data->end())).value_or(0)}}};
}

Types transpose(const Inference& in) {
  const Shape* data = in.shape(0);
  if (data == nullptr) return {{in.type(0), std::nullopt}};
  const Shape order = in.node.wholes("perm");
  Shape out(data->rbegin(), data->rend());
  if (!order.empty()) {
    if (order.size() != data->size()) {
      in.fail(fmt::format("perm has {} entries for an input of rank {}", order.size(), data->size()));
    }
    std::set<std::size_t> seen;
    for (std::size_t d = 0; d < order.size(); ++d) {
      const std::size_t from = in.axis(order[d], data->size());
      if (!seen.insert(from).second) in.fail(fmt::format("perm names axis {} twice", from));
      out[d] = (*data)[from];
    }
  }
  return {{in.type(0), out}};
}

Types squeeze(const Inference& in) {
  const Shape* data = in.shape(0);
  if (data == nullptr) return {{in.type(0), std::nullopt}};
  const Axes axes = axes_of(in, 1, "axes", data->size());
  if (axes.given && !axes.axes) return {{in.type(0), std::nullopt}};
  Shape out;
  for (std::size_t d = 0; d < data->size(); ++d) {
    const bool named = axes.given && std::find(axes.axes->begin(), axes.axes->end(), d) != axes.axes->end();
    if (named && (*data)[d] != 1) in.fail(fmt::format("axis {} of shape {} is not 1", d, to_text(*data)));
    if (axes.given ? !named : (*data)[d] != 1) out.push_back((*data)[d]);
  }
  return {{in.type(0), out}};
}

Types unsqueeze(const Inference& in) {
  const Shape* data = in.shape(0);
  const Shape from_attribute = in.node.wholes("axes");
  const Shape* given = in.has(1) ? in.integers(1) : &from_attribute;
  if (data == nullptr || given == nullptr) return {{in.type(0), std::nullopt}};
  const std::size_t rank = data->size() + given->size();
  const Axes axes = axes_of(in, 1, "axes", rank);
  Shape out(rank, 0);
  for (const std::size_t axis : *axes.axes) out[axis] = 1;
  auto next = data->begin();
  for (auto& size : out) {
    if (size == 0) size = *next++;
  }
  return {{in.type(0), out}};
}

Types expand(const Inference& in) {
  const Shape* data = in.shape(0);
  const auto* target = in.integers(1);
  if (data == nullptr || target == nullptr) return {{in.type(0), std::nullopt}};
  Shape out(std::max(data->size(), target->size()), 1);
  for (const Shape* shape : {data, target}) {
    const std::size_t offset = out.size() - shape->size();
    for (std::size_t d = 0; d < shape->size(); ++d) {
      std::int64_t& all = out[offset + d];
      const std::int64_t one = (*shape)[d];
      const bool stale = in.rebatch && offset + d == 0 && shape == target && one == in.rebatch->from;
      if (all != 1 && one != 1 && all != one && !stale) {
        in.fail(fmt::format("shape {} does not expand to {}", to_text(*data), to_text(*target)));
      }
      if (all == 1) all = one;
    }
  }
  return {{in.type(0), out}};
}

Types tile(const Inference& in) {
  const Shape* data = in.shape(0);
  const auto* repeats = in.integers(1);
  if (data == nullptr || repeats == nullptr) return {{in.type(0), std::nullopt}};
  if (repeats->size() != data->size()) {
    in.fail(fmt::format("{} repeats for an input of rank {}", repeats->size(), data->size()));
  }
  Shape out = *data;
  for (std::size_t d = 0; d < out.size(); ++d) {
    const std::int64_t times = (*repeats)[d];
    if (times < 0 || (times > 0 && out[d] > kMostElements / times)) in.fail(fmt::format("{} repeats", times));
    out[d] *= times;
  }
  return {{in.type(0), out}};
}

// Concat and its quantised form: inputs from `first` on, every `every`-th.
Types concatenate(const Inference& in, std::size_t first, std::size_t every) {
  if (in.shape(first) == nullptr) return {{in.type(first), std::nullopt}};
  Shape out = *in.shape(first);
  const std::size_t axis = in.axis(in.node.whole("axis", in.node.opset < 4 ? 1 : 0), out.size());
  const bool stale_first =
      in.rebatch && in.inputs[first]->view.constant && axis != 0 && out[0] == in.rebatch->from;
  if (stale_first) out[0] = in.rebatch->to;
  for (std::size_t i = first + every; i < in.inputs.size(); i += every) {
    const Shape* next = in.shape(i);
    if (next == nullptr) return {{in.type(first), std::nullopt}};
    bool fits = next->size() == out.size();
    for (std::size_t d = 0; fits && d < out.size(); ++d) {
      const bool stale =
          in.rebatch && d == 0 && in.inputs[i]->view.constant && (*next)[d] == in.rebatch->from;
      fits = d == axis || (*next)[d] == out[d] || stale;
    }
    if (!fits) {
      in.fail(fmt::format("shapes {} and {} do not join along axis {}", to_text(*in.shape(first)),
                          to_text(*next), axis));
    }
    out[axis] += (*next)[axis];
    if (out[axis] > kMostElements) in.fail("its result is too large for any machine");
  }
  return {{in.type(first), out}};
}
Types concat(const Inference& in) {
  return concatenate(in, 0, 1);
}
// QLinearConcat(y_scale, y_zero, x, x_scale, x_zero, ...)
Types quantized_concat(const Inference& in) {
  return concatenate(in, 2, 3);
}

std::int64_t scaled(const Inference& in, std::int64_t size, double scale) {
  // Scales are stored as 32-bit floats: 2.9999998 times 10 means 30, not 29.
  const double exact = static_cast<double>(size) * scale;
  if (!(scale > 0.0) || !(exact < static_cast<double>(kMostElements)))
    in.fail(fmt::format("scale of {}", scale));
  return static_cast<std::int64_t>(std::floor(exact + 1e-5 * std::max(1.0, std::min(exact, 1e4))));
}

Types scale_by(const Inference& in, const std::vector<double>& scales, const std::vector<std::size_t>& axes) {
  Shape out = *in.shape(0);
  if (scales.size() != axes.size()) in.fail(fmt::format("{} scales for {} axes", scales.size(), axes.size()));
  for (std::size_t k = 0; k < axes.size(); ++k) out[axes[k]] = scaled(in, out[axes[k]], scales[k]);
  return {{in.type(0), out}};
}

Types resize_to(const Inference& in, const Shape& sizes, const std::vector<std::size_t>& axes) {
  Shape out = *in.shape(0);
  if (sizes.size() != axes.size()) in.fail(fmt::format("{} sizes for {} axes", sizes.size(), axes.size()));
  const std::string policy = in.node.text("keep_aspect_ratio_policy", "stretch");
  double scale = policy == "not_larger" ? std::numeric_limits<double>::max() : 0.0;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const double ratio =
        static_cast<double>(sizes[k]) / static_cast<double>(std::max<std::int64_t>(out[axes[k]], 1));
    scale = policy == "not_larger" ? std::min(scale, ratio) : std::max(scale, ratio);
  }
  for (std::size_t k = 0; k < axes.size(); ++k) {
    std::int64_t& size = out[axes[k]];
    size = policy == "stretch" ? sizes[k]
                               : scaled(in, 1, std::max(1.0, std::round(static_cast<double>(size) * scale)));
  }
  return {{in.type(0), out}};
}

// Resize(X, roi, scales, sizes); opset 10: (X, scales); Upsample: scales as input or attribute.
Types resize(const Inference& in) {
  const Shape* data = in.shape(0);
  if (data == nullptr) return {{in.type(0), std::nullopt}};
  std::vector<std::size_t> axes;
  for (std::size_t d = 0; d < data->size(); ++d) axes.push_back(d);
  const Axes given = axes_of(in, std::numeric_limits<std::size_t>::max(), "axes", data->size());
  if (given.given) axes = *given.axes;
  if (in.integers(3) != nullptr && !in.integers(3)->empty()) return resize_to(in, *in.integers(3), axes);
  const std::size_t where = in.node.type == "Resize" && in.node.opset >= 11 ? 2 : 1;
  if (in.reals(where) != nullptr && !in.reals(where)->empty()) return scale_by(in, *in.reals(where), axes);
  if (const auto found = in.node.attributes.find("scales"); found != in.node.attributes.end()) {
    if (const auto* scales = std::get_if<std::vector<double>>(&found->second))
      return scale_by(in, *scales, axes);
  }
  const double width = in.node.number("width_scale", 0.0);
  if (width > 0.0 && axes.size() == 4)
    return scale_by(in, {1, 1, in.node.number("height_scale", 1.0), width}, axes);
  return {{in.type(0), std::nullopt}};
}

Types blocks(const Inference& in, bool to_space) {
  const Shape* data = in.shape(0);
  if (data == nullptr) return {{in.type(0), std::nullopt}};
  in.need_rank(0, 4, 4);
  const std::int64_t b = in.node.whole("blocksize", 0);
  if (b < 1 || b > 65536) in.fail(fmt::format("blocksize is {}", b));
  Shape out = *data;
  if (to_space ? out[1] % (b * b) != 0 : out[2] % b != 0 || out[3] % b != 0) {
    in.fail(fmt::format("shape {} does not hold whole blocks of {}", to_text(out), b));
  }
  if (to_space) {
    out = {out[0], out[1] / (b * b), out[2] * b, out[3] * b};
  } else {
    out = {out[0], out[1] * b * b, out[2] / b, out[3] / b};
  }
  return {{in.type(0), out}};
}
Types depth_to_space(const Inference& in) {
  return blocks(in, true);
}
Types space_to_depth(const Inference& in) {
  return blocks(in, false);
}

}  // namespace

const ShapeRules& movement_shape_rules() {
  static const ShapeRules rules{
      {"Concat", concat},
      {"DepthToSpace", depth_to_space},
      {"Expand", expand},
      {"Flatten", flatten},
      {"QLinearConcat", quantized_concat},
      {"Reshape", reshape},
      {"Resize", resize},
      {"SpaceToDepth", space_to_depth},
      {"Squeeze", squeeze},
      {"Tile", tile},
      {"Transpose", transpose},
      {"Unsqueeze", unsqueeze},
      {"Upsample", resize},
  };
  return rules;
}

}  // namespace corecast::graphs::importing
