// What the work rules share. Internal to graphs/: users see work_rules.hpp.
//
// A rule turns a node with known shapes into an Operator: kernel class, work, and where it has them matrix
// and window. The dispatch (work_rules.cpp) fills in name, type and output shape, and checks every shape
// before and the work after.
//
// Units, one choice for all frameworks; a runtime model refines it from matrix, window and output_shape:
//   matrix product      batch * ceil(m / 8) * ceil(n / 16)
//   convolution         images * groups * ceil(channels of a group / 16) * output rows   (1-D: row = 16
//   pixels) pool                images * channels rows                softmax, normalisation, gather, sort:
//   the rows reduction           its results, or ceil(inputs / 1024) when these are more elementwise, copy
//   ceil(elements / 1024) recurrent           one step of all directions, as a matrix product
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/rules/costs.hpp"
#include "graphs/work_rules.hpp"

namespace corecast::graphs::rules {

using Shape = std::vector<std::int64_t>;
using Rule = Operator (*)(const NodeView& node);

struct Entry {
  std::string_view domain;
  std::string_view type;
  Rule rule;
};

inline constexpr std::string_view kOnnx = "";
inline constexpr std::string_view kMicrosoft = "com.microsoft";
inline constexpr std::string_view kNchwc = "com.microsoft.nchwc";
inline constexpr std::string_view kMl = "ai.onnx.ml";

// A rule needs a shape that is not known. Caught by operator_of.
struct UnknownShape {};

[[nodiscard]] std::string label(const NodeView& node);  // node "conv1" (Conv)
[[noreturn]] void fail(const NodeView& node, std::string what, std::string hint = {});

// InputError when left out; UnknownShape when the shape is wanted and not known.
[[nodiscard]] const TensorView& input(const NodeView& node, std::size_t i);
[[nodiscard]] const TensorView& output(const NodeView& node, std::size_t i);
[[nodiscard]] const Shape& shape_of(const TensorView& tensor);
[[nodiscard]] const Shape& input_shape(const NodeView& node, std::size_t i);
[[nodiscard]] const Shape& output_shape(const NodeView& node, std::size_t i);
// The same, and InputError unless the rank lies within [least, most].
[[nodiscard]] const Shape& input_shape(const NodeView& node, std::size_t i, std::size_t least,
                                       std::size_t most);

// InputError unless found == wanted.
void require_equal(const NodeView& node, std::string_view what, std::int64_t found, std::int64_t wanted);

// Exact, or InputError when the result does not fit 63 bits. All factors must be >= 0.
[[nodiscard]] std::int64_t product(const NodeView& node, std::span<const std::int64_t> factors);
[[nodiscard]] std::int64_t product(const NodeView& node, std::initializer_list<std::int64_t> factors);
[[nodiscard]] std::int64_t sum(const NodeView& node, std::initializer_list<std::int64_t> terms);
[[nodiscard]] std::int64_t ceil_div(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t elements(const NodeView& node, const TensorView& tensor);  // UnknownShape

// An axis, negative from the back, as an index below `rank`; InputError when outside.
[[nodiscard]] std::size_t axis_index(const NodeView& node, std::int64_t axis, std::size_t rank);
// Axes from an attribute or, when absent, from constant input `i`. Nothing when neither is known.
[[nodiscard]] std::optional<Shape> whole_numbers(const NodeView& node, std::string_view attribute,
                                                 std::size_t i);

// All inputs read once (an input used twice is one tensor), all outputs written once; compute type of the
// first input that is not text. UnknownShape unless all shapes are known.
[[nodiscard]] Work traffic(const NodeView& node);
// The same with tensors given by hand.
void read(Work& work, const TensorView& tensor);               // whole
void read(Work& work, const TensorView& tensor, Bytes bytes);  // a part; weights or activations by `constant`
[[nodiscard]] DataType compute_type(const NodeView& node);
[[nodiscard]] Bytes bytes_of(DataType type, std::int64_t elements);

// Of two stacks of matrices, as numpy.matmul; one right matrix for all makes one tall product. InputError on
// mismatch.
[[nodiscard]] MatrixShape matmul_shape(const NodeView& node, Shape a, Shape b, bool transpose_a,
                                       bool transpose_b);

[[nodiscard]] std::int64_t chunk_units(std::int64_t elements);
[[nodiscard]] std::int64_t tile_units(const NodeView& node, const MatrixShape& matrix);
[[nodiscard]] Flops flops_of(const MatrixShape& matrix);
// What stays in cache for a product to read each byte once: the smaller operand whole, one tile row of the
// others.
[[nodiscard]] Bytes working_set_of(const MatrixShape& matrix, DataType type);
// Fills flop, units, working set and matrix of a plain product into an operator that has its traffic.
[[nodiscard]] Operator matrix_operator(const NodeView& node, const MatrixShape& matrix, Work work);

[[nodiscard]] Operator operator_with(KernelClass kernel, Work work);
// No work at run time.
[[nodiscard]] Operator nothing(const NodeView& node);
// `flop` per element of the first output, all tensors streamed once.
[[nodiscard]] Operator streamed(const NodeView& node, KernelClass kernel, double flop_per_element);
// Writes its result, reads nothing; and the same, or nothing at all when all its inputs are known before the
// run.
[[nodiscard]] Operator fill(const NodeView& node, double flop_per_element);
[[nodiscard]] Operator fill_unless_constant(const NodeView& node, double flop_per_element);
// The flop of an activation named by an attribute ("Relu", "Tanh", ...); kSigmoid for a name not known.
[[nodiscard]] int activation_cost(std::string_view name);

// One table per topic.
[[nodiscard]] std::span<const Entry> attention_rules();
[[nodiscard]] std::span<const Entry> control_rules();
[[nodiscard]] std::span<const Entry> conv_rules();
[[nodiscard]] std::span<const Entry> einsum_rules();
[[nodiscard]] std::span<const Entry> elementwise_rules();
[[nodiscard]] std::span<const Entry> gather_rules();
[[nodiscard]] std::span<const Entry> gemm_rules();
[[nodiscard]] std::span<const Entry> ml_rules();
[[nodiscard]] std::span<const Entry> movement_rules();
[[nodiscard]] std::span<const Entry> normalization_rules();
[[nodiscard]] std::span<const Entry> pool_rules();
[[nodiscard]] std::span<const Entry> quantized_rules();
[[nodiscard]] std::span<const Entry> recurrent_rules();
[[nodiscard]] std::span<const Entry> reduce_rules();
[[nodiscard]] std::span<const Entry> resample_rules();
[[nodiscard]] std::span<const Entry> shape_rules();
[[nodiscard]] std::span<const Entry> signal_rules();

}  // namespace corecast::graphs::rules
