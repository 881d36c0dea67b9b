// Matrix products. flop = 2 * batch * m * n * k; an addend starts the accumulator and costs no flop of its
// own.
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

// Broadcast of leading dimensions, as numpy.matmul.
std::int64_t batch_of(const NodeView& node, std::span<const std::int64_t> a,
                      std::span<const std::int64_t> b) {
  Shape batch;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::int64_t from_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t from_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) {
      fail(node, fmt::format("batch dimensions {} and {} do not broadcast", from_a, from_b));
    }
    batch.push_back(from_a == 1 ? from_b : from_a);
  }
  return product(node, batch);
}

}  // namespace

MatrixShape matmul_shape(const NodeView& node, Shape a, Shape b, bool transpose_a, bool transpose_b) {
  if (a.empty() || b.empty()) fail(node, "a matrix product of a scalar", "inputs need at least 1 dimension");
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  if (transpose_a) std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (transpose_b) std::swap(b[b.size() - 1], b[b.size() - 2]);
  const std::int64_t k = a.back();
  require_equal(node, "rows of the right matrix", b[b.size() - 2], k);
  const std::span<const std::int64_t> batch_a = std::span(a).first(a.size() - 2);
  const std::span<const std::int64_t> batch_b = std::span(b).first(b.size() - 2);
  const std::int64_t m = a[a.size() - 2];
  const std::int64_t n = b.back();
  // One right matrix for all: one tall product.
  if (product(node, batch_b) == 1) return {1, product(node, {product(node, batch_a), m}), n, k};
  return {batch_of(node, batch_a, batch_b), m, n, k};
}

namespace {

Operator product_of(const NodeView& node, std::size_t right, bool transpose_a, bool transpose_b,
                    double flop_per_output) {
  const MatrixShape matrix =
      matmul_shape(node, input_shape(node, 0), input_shape(node, right), transpose_a, transpose_b);
  Work work = traffic(node);
  work.flops = Flops(flop_per_output * output(node, 0).elements());
  return matrix_operator(node, matrix, work);
}

Operator matmul(const NodeView& node) {
  return product_of(node, 1, false, false, 0);
}

Operator gemm_fast_gelu(const NodeView& node) {
  return product_of(node, 1, false, false, kFastGelu);
}

Operator gemm(const NodeView& node) {
  (void)input_shape(node, 0, 2, 2);
  (void)input_shape(node, 1, 2, 2);
  return product_of(node, 1, node.whole("transA", 0) != 0, node.whole("transB", 0) != 0,
                    activation_cost(node.text("activation", "")));
}

// transBatchX: the operand is stored with its rows before its batch dimensions, [rows, batch..., columns].
Shape rows_behind_batch(Shape shape) {
  if (shape.size() > 2) std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
  return shape;
}

Operator fused_matmul(const NodeView& node) {
  Shape a = input_shape(node, 0);
  Shape b = input_shape(node, 1);
  if (node.whole("transBatchA", 0) != 0) a = rows_behind_batch(std::move(a));
  if (node.whole("transBatchB", 0) != 0) b = rows_behind_batch(std::move(b));
  const MatrixShape matrix = matmul_shape(node, std::move(a), std::move(b), node.whole("transA", 0) != 0,
                                          node.whole("transB", 0) != 0);
  Work work = traffic(node);
  work.flops = Flops(activation_cost(node.text("activation", "")) * output(node, 0).elements());
  return matrix_operator(node, matrix, work);
}

// n^3 multiply-adds by elimination.
Operator inverse(const NodeView& node) {
  const Shape& x = input_shape(node, 0, 2, 64);
  require_equal(node, "columns", x.back(), x[x.size() - 2]);
  const std::int64_t matrices = product(node, std::span(x).first(x.size() - 2));
  return matrix_operator(node, MatrixShape{matrices, x.back(), x.back(), x.back()}, traffic(node));
}

// Distances of all rows of one matrix to all rows of another.
Operator pairwise_distance(const NodeView& node) {
  const MatrixShape matrix =
      matmul_shape(node, input_shape(node, 0, 2, 2), input_shape(node, 1, 2, 2), false, true);
  const bool root = node.text("metric", "sqeuclidean") == "euclidean";
  Work work = traffic(node);
  work.flops = Flops(output(node, 0).elements() * (3 * kSimple + (root ? kSquareRoot : kFree)));
  return matrix_operator(node, matrix, work);
}

constexpr std::array kRules{
    Entry{kOnnx, "Gemm", gemm},
    Entry{kOnnx, "MatMul", matmul},
    Entry{kMicrosoft, "CDist", pairwise_distance},
    Entry{kMicrosoft, "FusedGemm", gemm},
    Entry{kMicrosoft, "FusedMatMul", fused_matmul},
    Entry{kMicrosoft, "FusedMatMulActivation", fused_matmul},
    Entry{kMicrosoft, "GemmFastGelu", gemm_fast_gelu},
    Entry{kMicrosoft, "Inverse", inverse},
    Entry{kMicrosoft, "TransposeMatMul", fused_matmul},
};

}  // namespace

std::span<const Entry> gemm_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
