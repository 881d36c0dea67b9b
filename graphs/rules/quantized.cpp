// Quantised operators: products in int8 (the accumulator is int32), scales and zero points on the way in and
// out.
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

template <int kFlop>
Operator scaled(const NodeView& node) {
  (void)input(node, 0);
  return streamed(node, KernelClass::elementwise, kFlop);
}

// Minimum and maximum of the whole tensor first, then its values in a second pass.
Operator dynamic_quantize(const NodeView& node) {
  return streamed(node, KernelClass::elementwise, 2 + kQuantize);
}

// Both inputs to real, one operation, and back. Inputs: a, scale, zero point, b, scale, zero point, result's.
Operator qlinear_binary(const NodeView& node) {
  (void)input(node, 3);
  return streamed(node, KernelClass::elementwise, 2 * kDequantize + kSimple + kQuantize);
}

// 256 results are tabulated, every element looks up its own.
Operator tabulated(const NodeView& node) {
  return streamed(node, KernelClass::elementwise, kSimple);
}

// Inputs: result's scale and zero point, then (tensor, scale, zero point) each; all are brought to the
// result's scale.
Operator qlinear_concat(const NodeView& node) {
  Operator op = streamed(node, KernelClass::transpose, kDequantize + kQuantize);
  op.work.compute_type = input(node, 2).type;
  return op;
}

Operator qlinear_where(const NodeView& node) {
  Operator op = streamed(node, KernelClass::elementwise, kDequantize + kQuantize);
  op.work.compute_type = input(node, 1).type;
  return op;
}

Operator product_int8(const NodeView& node, std::size_t right, int flop_per_output) {
  const MatrixShape matrix = matmul_shape(node, input_shape(node, 0), input_shape(node, right),
                                          node.whole("transA", 0) != 0, node.whole("transB", 0) != 0);
  Work work = traffic(node);
  work.compute_type = DataType::int8;
  work.flops = Flops(flop_per_output * output(node, 0).elements());
  return matrix_operator(node, matrix, work);
}

Operator matmul_integer(const NodeView& node) {
  return product_int8(node, 1, kFree);
}
Operator matmul_integer_to_float(const NodeView& node) {
  return product_int8(node, 1, kDequantize);
}
Operator qlinear_matmul(const NodeView& node) {
  return product_int8(node, 3, kQuantize);
}
Operator qgemm(const NodeView& node) {
  return product_int8(node, 3, kQuantize);
}

// The left matrix arrives in floating point and is quantised on the way.
Operator dynamic_quantize_matmul(const NodeView& node) {
  Operator op = product_int8(node, 1, kDequantize);
  op.work.flops += Flops(input(node, 0).elements() * (2 + kQuantize));
  return op;
}

// Weights of few bits, expanded (subtract, scale) block by block into the type of the activations, which is
// the type of the product. They are read packed; expansion is counted once.
Operator matmul_few_bits(const NodeView& node) {
  const Shape& a = input_shape(node, 0, 1, 8);
  const std::int64_t k = node.whole("K", 0);
  const std::int64_t n = node.whole("N", 0);
  if (k < 1 || n < 1) fail(node, fmt::format("K is {} and N is {}, wanted both at least 1", k, n));
  require_equal(node, "columns of the left matrix", a.back(), k);
  const std::int64_t m = product(node, std::span(a).first(a.size() - 1));
  Work work = traffic(node);
  work.flops = Flops(static_cast<double>(product(node, {k, n})) * kDequantize);
  return matrix_operator(node, MatrixShape{1, m, n, k}, work);
}

// The packed weights do not say their sizes; the result does.
Operator matmul_packed(const NodeView& node) {
  const Shape& a = input_shape(node, 0, 1, 8);
  const Shape& y = output_shape(node, 0);
  require_equal(node, "the output's rank", static_cast<std::int64_t>(y.size()),
                static_cast<std::int64_t>(a.size()));
  const std::int64_t m = product(node, std::span(a).first(a.size() - 1));
  Work work = traffic(node);
  work.flops = Flops(static_cast<double>(product(node, {a.back(), y.back()})) * kDequantize);
  return matrix_operator(node, MatrixShape{1, m, y.back(), a.back()}, work);
}

// int16 inputs keep their type.
Operator matmul_integer16(const NodeView& node) {
  Operator op = product_int8(node, 1, kFree);
  op.work.compute_type = DataType::int16;
  return op;
}

constexpr std::array kRules{
    Entry{kOnnx, "DequantizeLinear", scaled<kDequantize>},
    Entry{kOnnx, "DynamicQuantizeLinear", dynamic_quantize},
    Entry{kOnnx, "MatMulInteger", matmul_integer},
    Entry{kOnnx, "QLinearMatMul", qlinear_matmul},
    Entry{kOnnx, "QuantizeLinear", scaled<kQuantize>},
    Entry{kMicrosoft, "DequantizeLinear", scaled<kDequantize>},
    Entry{kMicrosoft, "DynamicQuantizeMatMul", dynamic_quantize_matmul},
    Entry{kMicrosoft, "MatMulBnb4", matmul_few_bits},
    Entry{kMicrosoft, "MatMulFpQ4", matmul_packed},
    Entry{kMicrosoft, "MatMulInteger16", matmul_integer16},
    Entry{kMicrosoft, "MatMulIntegerToFloat", matmul_integer_to_float},
    Entry{kMicrosoft, "MatMulNBits", matmul_few_bits},
    Entry{kMicrosoft, "QGemm", qgemm},
    Entry{kMicrosoft, "QLinearAdd", qlinear_binary},
    Entry{kMicrosoft, "QLinearConcat", qlinear_concat},
    Entry{kMicrosoft, "QLinearLeakyRelu", tabulated},
    Entry{kMicrosoft, "QLinearMul", qlinear_binary},
    Entry{kMicrosoft, "QLinearSigmoid", tabulated},
    Entry{kMicrosoft, "QLinearWhere", qlinear_where},
    Entry{kMicrosoft, "QuantizeLinear", scaled<kQuantize>},
};

}  // namespace

std::span<const Entry> quantized_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
