// Lookups, reductions, and operators that make a tensor from a description of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graphs/onnx_shapes.hpp"

namespace corecast::graphs::importing {
namespace {

using Dims = std::optional<Shape>;

DataType dtype(const Inference& in, DataType otherwise) {
  const DataType type = data_type_of_code(in.node.whole("dtype", 0));
  return type == DataType::unknown ? otherwise : type;
}

Types gather(const Inference& in) {
  const Shape* data = in.shape(0);
  const Shape* indices = in.shape(1);
  if (data == nullptr || indices == nullptr) return {{in.type(0), std::nullopt}};
  const auto axis = static_cast<std::ptrdiff_t>(in.axis(in.node.whole("axis", 0), data->size()));
  Shape out(data->begin(), data->begin() + axis);
  out.insert(out.end(), indices->begin(), indices->end());
  out.insert(out.end(), data->begin() + axis + 1, data->end());
  return {{in.type(0), out}};
}

Types gather_elements(const Inference& in) {
  const Shape* indices = in.shape(1);
  return {{in.type(0), indices == nullptr ? Dims() : Dims(*indices)}};
}

Types gather_nd(const Inference& in) {
  const Shape* data = in.shape(0);
  const Shape* indices = in.shape(1);
  if (data == nullptr || indices == nullptr) return {{in.type(0), std::nullopt}};
  in.need_rank(1, 1, 16);
  const std::int64_t skipped = in.node.whole("batch_dims", 0);
  const std::int64_t depth = indices->back();
  if (skipped < 0 || depth < 0 || depth > 64 || skipped > 64 ||
      static_cast<std::size_t>(skipped + depth) > data->size()) {
    in.fail(fmt::format("indices of length {} into a tensor of rank {}", depth, data->size()));
  }
  Shape out(indices->begin(), indices->end() - 1);
  out.insert(out.end(), data->begin() + skipped + depth, data->end());
  return {{in.type(0), out}};
}

Types reduce_to(const Inference& in, DataType type) {
  const Shape* data = in.shape(0);
  if (data == nullptr) return {{type, std::nullopt}};
  const Axes axes = axes_of(in, 1, "axes", data->size());
  if (axes.given && !axes.axes) return {{type, std::nullopt}};
  if (!axes.given && in.node.whole("noop_with_empty_axes", 0) != 0) return {{type, *data}};
  const bool keep = in.node.whole("keepdims", 1) != 0;
  Shape out;
  for (std::size_t d = 0; d < data->size(); ++d) {
    const bool reduced =
        !axes.given || std::find(axes.axes->begin(), axes.axes->end(), d) != axes.axes->end();
    if (!reduced) {
      out.push_back((*data)[d]);
    } else if (keep) {
      out.push_back(1);
    }
  }
  return {{type, out}};
}
Types reduce(const Inference& in) {
  return reduce_to(in, in.type(0));
}

// ArgMax and ArgMin: one axis, an index out.
Types arg_reduce(const Inference& in) {
  const Shape* data = in.shape(0);
  if (data == nullptr) return {{DataType::int64, std::nullopt}};
  const std::size_t axis = in.axis(in.node.whole("axis", 0), data->size());
  Shape out = *data;
  if (in.node.whole("keepdims", 1) != 0) {
    out[axis] = 1;
  } else {
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  return {{DataType::int64, out}};
}

Types top_k(const Inference& in) {
  const Shape* data = in.shape(0);
  const auto k = in.has(1) ? in.integer(1) : std::optional(in.node.whole("k", 1));
  if (data == nullptr || !k) return {{in.type(0), std::nullopt}, {DataType::int64, std::nullopt}};
  const std::size_t axis = in.axis(in.node.whole("axis", -1), data->size());
  Shape out = *data;
  if (*k < 0 || *k > out[axis]) in.fail(fmt::format("the best {} of {}", *k, out[axis]));
  out[axis] = *k;
  return {{in.type(0), out}, {DataType::int64, out}};
}

Types one_hot(const Inference& in) {
  const Shape* indices = in.shape(0);
  const DataType type = in.type(2);
  std::optional<std::int64_t> depth = in.integer(1);
  if (const auto* reals = in.reals(1);
      reals != nullptr && reals->size() == 1 && std::abs(reals->front()) < 1e15) {
    depth = static_cast<std::int64_t>(reals->front());
  }
  if (indices == nullptr || !depth) return {{type, std::nullopt}};
  const std::size_t axis = in.axis(in.node.whole("axis", -1), indices->size() + 1);
  Shape out = *indices;
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), *depth);
  return {{type, out}};
}

Types shape_of(const Inference& in) {
  const Shape* data = in.shape(0);
  if (data == nullptr) return {{DataType::int64, std::nullopt}};
  const auto rank = static_cast<std::int64_t>(data->size());
  const auto bound = [&](std::int64_t value) {
    return std::clamp<std::int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  const std::int64_t start = bound(in.node.whole("start", 0));
  return {{DataType::int64, Shape{std::max<std::int64_t>(0, bound(in.node.whole("end", rank)) - start)}}};
}

Types size_of(const Inference&) {
  return {{DataType::int64, Shape{}}};
}

Types constant_of_shape(const Inference& in) {
  const auto* target = in.integers(0);
  return {{in.value == nullptr ? DataType::fp32 : in.value->view.type,
           target == nullptr ? Dims() : Dims(*target)}};
}

Types range(const Inference& in) {
  const auto count = [](double start, double limit, double step) {
    return std::max(0.0, std::ceil((limit - start) / step));
  };
  const auto *a = in.integers(0), *b = in.integers(1), *c = in.integers(2);
  double n = -1.0;
  if (a != nullptr && b != nullptr && c != nullptr && a->size() == 1 && b->size() == 1 && c->size() == 1) {
    if (c->front() == 0) in.fail("step of 0");
    n = count(static_cast<double>(a->front()), static_cast<double>(b->front()),
              static_cast<double>(c->front()));
  }
  const auto *x = in.reals(0), *y = in.reals(1), *z = in.reals(2);
  if (x != nullptr && y != nullptr && z != nullptr && x->size() == 1 && y->size() == 1 && z->size() == 1) {
    if (z->front() == 0.0) in.fail("step of 0");
    n = count(x->front(), y->front(), z->front());
  }
  if (!(n >= 0.0)) return {{in.type(0), std::nullopt}};
  if (n > static_cast<double>(kMostElements)) in.fail("its result is too large for any machine");
  return {{in.type(0), Shape{static_cast<std::int64_t>(n)}}};
}

// How many elements are not zero is known only for constants.
Types non_zero(const Inference& in) {
  const Shape* data = in.shape(0);
  std::int64_t count = -1;
  if (const auto* whole = in.integers(0)) {
    count =
        static_cast<std::int64_t>(std::count_if(whole->begin(), whole->end(), [](auto v) { return v != 0; }));
  } else if (const auto* real = in.reals(0)) {
    count =
        static_cast<std::int64_t>(std::count_if(real->begin(), real->end(), [](auto v) { return v != 0; }));
  }
  if (data == nullptr || count < 0) return {{DataType::int64, std::nullopt}};
  return {{DataType::int64, Shape{static_cast<std::int64_t>(data->size()), count}}};
}

Types random_shape(const Inference& in) {
  return {{dtype(in, DataType::fp32), in.node.wholes("shape")}};
}

Types multinomial(const Inference& in) {
  const Shape* data = in.shape(0);
  if (data == nullptr) return {{dtype(in, DataType::int32), std::nullopt}};
  in.need_rank(0, 2, 2);
  return {{dtype(in, DataType::int32), Shape{(*data)[0], in.node.whole("sample_size", 1)}}};
}

Types grid_sample(const Inference& in) {
  const Shape* data = in.shape(0);
  const Shape* grid = in.shape(1);
  if (data == nullptr || grid == nullptr) return {{in.type(0), std::nullopt}};
  in.need_rank(0, 3, 8);
  in.need_rank(1, data->size(), data->size());
  Shape out{(*data)[0], (*data)[1]};
  out.insert(out.end(), grid->begin() + 1, grid->end() - 1);
  return {{in.type(0), out}};
}

Types affine_grid(const Inference& in) {
  const auto* size = in.integers(1);
  if (size == nullptr || size->size() < 3) return {{in.type(0), std::nullopt}};
  Shape out{(*size)[0]};
  out.insert(out.end(), size->begin() + 2, size->end());
  out.push_back(static_cast<std::int64_t>(size->size()) - 2);
  return {{in.type(0), out}};
}

Types expand_dims(const Inference& in) {
  const Shape* data = in.shape(0);
  const auto axis = in.integer(1);
  if (data == nullptr || !axis) return {{in.type(0), std::nullopt}};
  Shape out = *data;
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(in.axis(*axis, data->size() + 1)), 1);
  return {{in.type(0), out}};
}

// Sizes that depend on the data: only the type is known.
Types data_dependent(const Inference& in) {
  return {{in.type(0), std::nullopt}};
}
Types data_dependent_indices(const Inference&) {
  return {{DataType::int64, std::nullopt}};
}

}  // namespace

const ShapeRules& indexing_shape_rules() {
  static const ShapeRules rules{
      {"AffineGrid", affine_grid},
      {"ArgMax", arg_reduce},
      {"ArgMin", arg_reduce},
      {"Compress", data_dependent},
      {"ConstantOfShape", constant_of_shape},
      {"ExpandDims", expand_dims},
      {"Gather", gather},
      {"GatherElements", gather_elements},
      {"GatherND", gather_nd},
      {"GridSample", grid_sample},
      {"Multinomial", multinomial},
      {"NonMaxSuppression", data_dependent_indices},
      {"NonZero", non_zero},
      {"OneHot", one_hot},
      {"RandomNormal", random_shape},
      {"RandomUniform", random_shape},
      {"Range", range},
      {"ReduceL1", reduce},
      {"ReduceL2", reduce},
      {"ReduceLogSum", reduce},
      {"ReduceLogSumExp", reduce},
      {"ReduceMax", reduce},
      {"ReduceMean", reduce},
      {"ReduceMin", reduce},
      {"ReduceProd", reduce},
      {"ReduceSum", reduce},
      {"ReduceSumSquare", reduce},
      {"Shape", shape_of},
      {"Size", size_of},
      {"TopK", top_k},
      {"Unique", data_dependent},
  };
  return rules;
}

}  // namespace corecast::graphs::importing
