// Normalisations and softmax: passes over rows that stay in cache. The flop per element stand in costs.hpp.
#include <array>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

// All tensors once, `flop` per element of the first input, one unit per row.
Operator by_rows(const NodeView& node, KernelClass kernel, std::int64_t rows, double flop_per_element) {
  const std::int64_t count = elements(node, input(node, 0));
  Work work = traffic(node);
  work.flops = Flops(flop_per_element * static_cast<double>(count));
  work.units = rows;
  // The row and its result, until the last pass.
  if (rows > 0) work.working_set = bytes_of(work.compute_type, count / rows) * 2.0;
  return operator_with(kernel, work);
}

// Rows when everything from `axis` on is one row.
std::int64_t rows_before(const NodeView& node, std::int64_t axis) {
  const Shape& x = input_shape(node, 0);
  const auto signed_rank = static_cast<std::int64_t>(x.size());
  if (axis == signed_rank) return product(node, x);  // rows of one element
  return product(node, std::span(x).first(x.empty() ? 0 : axis_index(node, axis, x.size())));
}

// Rows when the row runs along `axis` alone.
std::int64_t rows_across(const NodeView& node, std::int64_t axis) {
  Shape x = input_shape(node, 0);
  if (x.empty()) return 1;
  x[axis_index(node, axis, x.size())] = 1;
  return product(node, x);
}

// Inference form: mean and variance are folded into one multiplication and one addition.
Operator batch_normalization(const NodeView& node) {
  const Shape& x = input_shape(node, 0);
  // Before operator set 9 the statistics could be per element (spatial = 0).
  if (x.size() >= 2 && (node.opset == 0 || node.opset >= 9)) {
    for (std::size_t i = 1; i < 5; ++i)
      require_equal(node, fmt::format("size of input {}", i), elements(node, input(node, i)), x[1]);
  }
  Operator op = streamed(node, KernelClass::normalization, 2 * kSimple);
  op.work.units = x.size() >= 2 ? product(node, {x[0], x[1]}) : op.work.units;
  return op;
}

Operator instance_normalization(const NodeView& node) {
  const Shape& x = input_shape(node, 0, 3, 8);
  return by_rows(node, KernelClass::normalization, product(node, {x[0], x[1]}), kLayerNormalization);
}

constexpr char kNumGroups[] = "num_groups";
constexpr char kGroups[] = "groups";

template <const char* kAttribute, bool kSwishAfter>
Operator group_normalization(const NodeView& node) {
  const Shape& x = input_shape(node, 0, 2, 8);
  const std::int64_t groups = node.whole(kAttribute, 0);
  if (groups < 1) fail(node, fmt::format("{} is {}, wanted at least 1", kAttribute, groups));
  const int after = kSwishAfter && node.whole("activation", 0) == 1 ? kSwish : kFree;
  return by_rows(node, KernelClass::normalization, product(node, {x[0], groups}),
                 kLayerNormalization + after);
}

// Input, skip and bias are added first.
Operator skip_group_normalization(const NodeView& node) {
  Operator op = group_normalization<kGroups, true>(node);
  const double additions = node.input(4) != nullptr ? 2 : 1;
  op.work.flops += Flops(additions * input(node, 0).elements());
  return op;
}

template <int kFlop>
Operator layer_normalization(const NodeView& node) {
  return by_rows(node, KernelClass::normalization, rows_before(node, node.whole("axis", -1)), kFlop);
}

// Input and residual (and bias) are added first.
template <int kFlop, std::size_t kBias>
Operator skip_layer_normalization(const NodeView& node) {
  const int additions = 1 + (node.input(kBias) != nullptr ? 1 : 0);
  return by_rows(node, KernelClass::normalization, rows_before(node, -1), kFlop + additions);
}

// Sum of squares over `size` neighbouring channels, then x / (bias + alpha sum)^beta.
Operator local_response(const NodeView& node) {
  const Shape& x = input_shape(node, 0, 3, 8);
  const std::int64_t size = node.whole("size", 0);
  if (size < 1) fail(node, fmt::format("size is {}, wanted at least 1", size));
  return by_rows(node, KernelClass::normalization, x[0], 2.0 * static_cast<double>(size) + kPower + 3);
}

Operator mean_variance(const NodeView& node) {
  Shape axes = node.wholes("axes");
  if (axes.empty()) axes = {0, 2, 3};
  Shape x = input_shape(node, 0);
  for (const std::int64_t axis : axes) x[axis_index(node, axis, x.size())] = 1;
  return by_rows(node, KernelClass::normalization, product(node, x), kMeanVariance);
}

Operator lp_normalization(const NodeView& node) {
  return by_rows(node, KernelClass::normalization, rows_across(node, node.whole("axis", -1)), 3 * kSimple);
}

// From operator set 13 on the row runs along one axis; before, everything from the axis on was one row.
std::int64_t softmax_rows(const NodeView& node) {
  const bool single_axis = node.opset == 0 || node.opset >= 13;
  return single_axis ? rows_across(node, node.whole("axis", -1)) : rows_before(node, node.whole("axis", 1));
}

template <int kFlop>
Operator softmax(const NodeView& node) {
  return by_rows(node, KernelClass::softmax, softmax_rows(node), kFlop);
}

// The exponentials of all 256 values are tabulated: maximum, lookup, sum, scale and round.
Operator qlinear_softmax(const NodeView& node) {
  const bool single_axis = node.whole("opset", 13) >= 13;
  const std::int64_t axis = node.whole("axis", -1);
  return by_rows(node, KernelClass::softmax, single_axis ? rows_across(node, axis) : rows_before(node, axis),
                 3 * kSimple + kQuantize);
}

Operator bias_softmax(const NodeView& node) {
  return by_rows(node, KernelClass::softmax, rows_before(node, node.whole("axis", 1)), kSoftmax + 1);
}

// Softmax over classes, logarithm, and the chosen class of each row.
Operator cross_entropy(const NodeView& node) {
  return by_rows(node, KernelClass::softmax, rows_across(node, 1), kSoftmax + 1);
}

Operator negative_log_likelihood(const NodeView& node) {
  return by_rows(node, KernelClass::gather, rows_across(node, 1), kFree);
}

constexpr std::array kRules{
    Entry{kOnnx, "BatchNormalization", batch_normalization},
    Entry{kOnnx, "GroupNormalization", group_normalization<kNumGroups, false>},
    Entry{kOnnx, "Hardmax", softmax<2 * kSimple>},
    Entry{kOnnx, "InstanceNormalization", instance_normalization},
    Entry{kOnnx, "LRN", local_response},
    Entry{kOnnx, "LayerNormalization", layer_normalization<kLayerNormalization>},
    Entry{kOnnx, "LogSoftmax", softmax<kSoftmax>},
    Entry{kOnnx, "LpNormalization", lp_normalization},
    Entry{kOnnx, "MeanVarianceNormalization", mean_variance},
    Entry{kOnnx, "NegativeLogLikelihoodLoss", negative_log_likelihood},
    Entry{kOnnx, "RMSNormalization", layer_normalization<kRootMeanSquare>},
    Entry{kOnnx, "SimplifiedLayerNormalization", layer_normalization<kRootMeanSquare>},
    Entry{kOnnx, "Softmax", softmax<kSoftmax>},
    Entry{kOnnx, "SoftmaxCrossEntropyLoss", cross_entropy},
    Entry{kMicrosoft, "BiasSoftmax", bias_softmax},
    Entry{kMicrosoft, "GroupNorm", group_normalization<kGroups, true>},
    Entry{kMicrosoft, "LayerNormalization", layer_normalization<kLayerNormalization>},
    Entry{kMicrosoft, "QLinearSoftmax", qlinear_softmax},
    Entry{kMicrosoft, "SimplifiedLayerNormalization", layer_normalization<kRootMeanSquare>},
    Entry{kMicrosoft, "SkipGroupNorm", skip_group_normalization},
    Entry{kMicrosoft, "SkipLayerNormalization", skip_layer_normalization<kLayerNormalization, 4>},
    Entry{kMicrosoft, "SkipSimplifiedLayerNormalization", skip_layer_normalization<kRootMeanSquare, 3>},
};

}  // namespace

std::span<const Entry> normalization_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
