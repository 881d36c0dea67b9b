// Reductions and sorts along axes.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

Operator reduced(const NodeView& node, double flop_per_input, double flop_per_output) {
  const std::int64_t inputs = elements(node, input(node, 0));
  const std::int64_t outputs = elements(node, output(node, 0));
  Work work = traffic(node);
  work.flops =
      Flops(flop_per_input * static_cast<double>(inputs) + flop_per_output * static_cast<double>(outputs));
  work.units = std::max(outputs, chunk_units(inputs));
  return operator_with(KernelClass::reduce, work);
}

template <int kPerInput, int kPerOutput>
Operator reduce(const NodeView& node) {
  return reduced(node, kPerInput, kPerOutput);
}

// A heap of the k best of a row: each element is compared, and may sink through log2 k levels.
Operator top_k(const NodeView& node) {
  const Shape& x = input_shape(node, 0, 1, 64);
  const std::size_t axis = axis_index(node, node.whole("axis", -1), x.size());
  const Shape& y = output_shape(node, 0);
  require_equal(node, "the output's rank", static_cast<std::int64_t>(y.size()),
                static_cast<std::int64_t>(x.size()));
  const auto kept = static_cast<double>(std::max<std::int64_t>(1, y[axis]));
  Operator op = reduced(node, 1.0 + std::log2(kept), 0);
  Shape rows = x;
  rows[axis] = 1;
  op.work.units = product(node, rows);
  return op;
}

// A running sum: lines are independent, a line is not.
Operator cumulative(const NodeView& node) {
  Shape lines = input_shape(node, 0);
  const std::optional<Shape> axis = whole_numbers(node, "axis", 1);
  if (!lines.empty()) {
    const bool known = axis && axis->size() == 1;
    lines[known ? axis_index(node, axis->front(), lines.size()) : lines.size() - 1] = 1;
  }
  Operator op = streamed(node, KernelClass::reduce, kSimple);
  op.work.units = product(node, lines);
  return op;
}

// Sorted, then compacted in order by one thread.
Operator unique(const NodeView& node) {
  const TensorView& x = input(node, 0);
  const auto count = static_cast<double>(elements(node, x));
  Work work;
  work.compute_type = x.type;
  read(work, x);
  for (const TensorView& tensor : node.outputs) {
    if (tensor.absent) continue;
    // At most as many as there are inputs; indices are int64.
    work.written += tensor.shape ? tensor.bytes() : Bytes(count * bytes_per_element(tensor.type));
  }
  work.flops = Flops(count * std::log2(std::max(2.0, count)));
  work.serial_fraction = 1.0;
  return operator_with(KernelClass::reduce, work);
}

// Determinant by elimination: 2/3 n^3 per matrix.
Operator determinant(const NodeView& node) {
  const Shape& x = input_shape(node, 0, 2, 64);
  require_equal(node, "columns", x.back(), x[x.size() - 2]);
  const std::int64_t matrices = product(node, std::span(x).first(x.size() - 2));
  const auto n = static_cast<double>(x.back());
  Work work = traffic(node);
  work.flops = Flops(static_cast<double>(matrices) * n * n * n * 2.0 / 3.0);
  work.units = matrices;
  work.working_set = Bytes(n * n * bytes_per_element(work.compute_type));
  return operator_with(KernelClass::reduce, work);
}

// Finite or not, over all tensors.
Operator all_finite(const NodeView& node) {
  Work work = traffic(node);
  double count = 0;
  for (const TensorView& tensor : node.inputs) count += tensor.absent ? 0.0 : tensor.elements();
  work.flops = Flops(count);
  work.units = chunk_units(static_cast<std::int64_t>(std::min(count, 9e18)));
  return operator_with(KernelClass::reduce, work);
}

constexpr std::array kRules{
    Entry{kOnnx, "ArgMax", reduce<kSimple, kFree>},
    Entry{kOnnx, "ArgMin", reduce<kSimple, kFree>},
    Entry{kOnnx, "CumProd", cumulative},
    Entry{kOnnx, "CumSum", cumulative},
    Entry{kOnnx, "Det", determinant},
    Entry{kOnnx, "ReduceL1", reduce<2 * kSimple, kFree>},
    Entry{kOnnx, "ReduceL2", reduce<2 * kSimple, kSquareRoot>},
    Entry{kOnnx, "ReduceLogSum", reduce<kSimple, kLog>},
    Entry{kOnnx, "ReduceLogSumExp", reduce<kExp + 3 * kSimple, kLog>},
    Entry{kOnnx, "ReduceMax", reduce<kSimple, kFree>},
    Entry{kOnnx, "ReduceMean", reduce<kSimple, kDivide>},
    Entry{kOnnx, "ReduceMin", reduce<kSimple, kFree>},
    Entry{kOnnx, "ReduceProd", reduce<kSimple, kFree>},
    Entry{kOnnx, "ReduceSum", reduce<kSimple, kFree>},
    Entry{kOnnx, "ReduceSumSquare", reduce<2 * kSimple, kFree>},
    Entry{kOnnx, "TopK", top_k},
    Entry{kOnnx, "Unique", unique},
    Entry{kMicrosoft, "IsAllFinite", all_finite},
    Entry{kMicrosoft, "QLinearReduceMean", reduce<kSimple, kDivide + kQuantize>},
    Entry{kMicrosoft, "ReduceSumInteger", reduce<kSimple, kFree>},
    Entry{kMicrosoft, "Unique", unique},
};

}  // namespace

std::span<const Entry> reduce_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
