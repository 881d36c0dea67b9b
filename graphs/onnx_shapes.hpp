// Shapes and types of an operator's results from those of its inputs. Free of ONNX: works on views.
//
// Own functions rather than the ONNX library's: they know operators newer than the library and the fused ones
// of runtimes, use folded values, and turn every contradiction into an InputError instead of a guess or a
// crash.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graphs/onnx_tensor.hpp"

namespace corecast::graphs::importing {

struct Inference {
  const NodeView& node;
  std::span<const Tensor* const> inputs;  // nullptr where an optional input is left out
  std::optional<Rebatch> rebatch;
  const Tensor* value = nullptr;  // the tensor attribute "value", where the node has one

  [[nodiscard]] bool has(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  // nullptr when the input is absent or its shape unknown.
  [[nodiscard]] const Shape* shape(std::size_t i) const;
  [[nodiscard]] DataType type(std::size_t i) const;
  // Values of a small constant input; nullptr when absent or not known.
  [[nodiscard]] const std::vector<std::int64_t>* integers(std::size_t i) const;
  [[nodiscard]] const std::vector<double>* reals(std::size_t i) const;
  // The single whole number of a constant input.
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t i) const;
  // `axis` counted from the front; InputError when it is outside of -rank..rank-1.
  [[nodiscard]] std::size_t axis(std::int64_t axis, std::size_t rank) const;
  // InputError when input i has another rank.
  void need_rank(std::size_t i, std::size_t least, std::size_t most) const;
  [[noreturn]] void fail(const std::string& what) const;
};

using Types = std::vector<Typed>;
using ShapeRule = Types (*)(const Inference&);
using ShapeRules = std::unordered_map<std::string_view, ShapeRule>;

// Nothing when no rule stands for the operator. Types are as many as the node has outputs; dimensions are
// checked.
[[nodiscard]] std::optional<Types> infer_types(const Inference& inference);
// InputError naming the node when a dimension is negative or the tensor larger than kMostElements.
void check_size(const Inference& inference, const Typed& typed);

// Shapes that meet element by element (numpy rules); `inputs` by index.
[[nodiscard]] std::optional<Shape> broadcast(const Inference& inference, std::span<const std::size_t> which);
// Rows and columns of a product of two stacks of matrices (numpy's matmul).
[[nodiscard]] std::optional<Shape> matmul_shape(const Inference& inference, std::size_t a, std::size_t b);

// Axes given as input `i` (newer opsets) or attribute (older ones), each 0..rank-1, without repetition.
struct Axes {
  bool given = false;                            // false: left out
  std::optional<std::vector<std::size_t>> axes;  // nothing when given by a value not known before the run
};
[[nodiscard]] Axes axes_of(const Inference& inference, std::size_t i, std::string_view attribute,
                           std::size_t rank);

// What a Slice takes along each axis of its input.
struct SliceRange {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};
[[nodiscard]] std::optional<std::vector<SliceRange>> slice_ranges(const Inference& inference);

// Sizes of the parts of a Split along its axis.
[[nodiscard]] std::optional<Shape> split_sizes(const Inference& inference, std::int64_t whole);

// From the codes of TensorProto.DataType.
[[nodiscard]] DataType data_type_of_code(std::int64_t code);

// The tables, by file.
[[nodiscard]] const ShapeRules& elementwise_shape_rules();
[[nodiscard]] const ShapeRules& window_shape_rules();
[[nodiscard]] const ShapeRules& matrix_shape_rules();
[[nodiscard]] const ShapeRules& movement_shape_rules();
[[nodiscard]] const ShapeRules& cut_shape_rules();
[[nodiscard]] const ShapeRules& indexing_shape_rules();
[[nodiscard]] const ShapeRules& sequence_shape_rules();
[[nodiscard]] const ShapeRules& microsoft_shape_rules();
[[nodiscard]] const ShapeRules& ml_shape_rules();  // ai.onnx.ml, for which the ONNX library has none

}  // namespace corecast::graphs::importing
