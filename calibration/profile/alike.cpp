#include "calibration/profile/alike.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace corecast::calibration::profile {
namespace {

constexpr std::int64_t kMostChannelsOfBlock = 16;

std::int64_t elements(const Shape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t d : shape) {
    if (d < 0 || (d > 0 && product > (std::int64_t{1} << 50) / d)) return -1;
    product *= d;
  }
  return product;
}

bool equal_but_for_padding(const Shape& node, const Shape& op) {
  if (node.size() != op.size() || node.size() < 3) return false;
  for (std::size_t i = 0; i < node.size(); ++i)
    if (i != 1 && node[i] != op[i]) return false;
  return node[1] >= op[1] && node[1] - op[1] < kMostChannelsOfBlock;
}

Agreement said(bool yes) {
  return yes ? Agreement::yes : Agreement::no;
}

// Filters: {channels out, channels in of a group, window...}.
Agreement by_filters(const Node& node, const graphs::Operator& op) {
  if (!op.matrix || node.inputs.size() < 2 || node.inputs[1].size() < 3) return Agreement::unknown;
  const Shape& filters = node.inputs[1];
  const std::int64_t depth = elements({filters.begin() + 1, filters.end()});
  return said(depth == op.matrix->k && op.matrix->n > 0 && filters[0] % op.matrix->n == 0);
}

Agreement by_multiplications(const Node& node, const graphs::Operator& op) {
  if (!op.matrix) return Agreement::unknown;
  std::vector<Shape> operands;
  for (const Shape& shape : node.inputs)
    if (shape.size() >= 2) operands.push_back(shape);
  if (operands.size() < 2) return Agreement::unknown;
  const bool weights_turned = node.type.ends_with("linear");  // {out, in}
  const Shape& a = operands[operands.size() - 2];
  const Shape& b = operands.back();
  const std::int64_t columns = weights_turned ? b.front() : b.back();
  const graphs::MatrixShape& m = *op.matrix;
  return said(elements(a) * columns == m.batch * m.m * m.n * m.k);
}

bool keeps_shape(std::string_view family) {
  static constexpr std::array<std::string_view, 16> keep{
      "add",  "mul",     "sub",  "div",   "relu",       "gelu",       "tanh",      "sigmoid",
      "clip", "softmax", "silu", "clone", "layer_norm", "batch_norm", "hardswish", "leaky_relu"};
  return std::find(keep.begin(), keep.end(), family) != keep.end();
}

Agreement by_elements(const Node& node, const graphs::Operator& op) {
  if (op.output_shape.empty() || !keeps_shape(node.family)) return Agreement::unknown;
  std::int64_t most = 0;
  for (const Shape& shape : node.inputs) most = std::max(most, elements(shape));
  return said(most == elements(op.output_shape));
}

}  // namespace

Agreement agreement(const Node& node, const graphs::Operator& op) {
  if (node.output) {
    if (op.output_shape.empty() && elements(*node.output) != 1) return Agreement::unknown;
    return said(elements(*node.output) == elements(op.output_shape) ||
                equal_but_for_padding(*node.output, op.output_shape));
  }
  if (node.inputs.empty()) return Agreement::unknown;
  if (node.family == "conv") return by_filters(node, op);
  if (node.family == "product") return by_multiplications(node, op);
  return by_elements(node, op);
}

}  // namespace corecast::calibration::profile
