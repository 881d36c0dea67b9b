#include "graphs/onnx_fill.hpp"

#include <algorithm>
#include <numbers>
#include <string_view>

namespace corecast::graphs {
namespace {

constexpr double kBias = 0.001;
constexpr double kEpsilon = 1e-5;
constexpr double kEmbedding = 0.02;
// uint8 then spans -4 to 4 around a zero point in the middle.
constexpr double kActivationScale = 1.0 / 32;
constexpr double kZeroPoint = 128;
constexpr double kInt32Bias = 1;
constexpr double kApart = 1.0 / (1 << 20);  // above fp32's resolution, 1 / 2^23
constexpr std::int64_t kMostInt8 = 127;

double size(const TensorView& tensor, std::size_t axis) {
  return static_cast<double>(tensor.shape->at(axis));
}

double product_from(const TensorView& tensor, std::size_t first) {
  double product = 1;
  for (std::size_t i = first; i < tensor.shape->size(); ++i) product *= size(tensor, i);
  return product;
}

// Elements that one result sums: rows of the right matrix, columns of the left one.
double summed(const TensorView& matrix, bool transposed, bool right) {
  const std::size_t rank = matrix.shape->size();
  if (rank < 2) return matrix.elements();
  return size(matrix, right != transposed ? rank - 2 : rank - 1);
}

bool is_one_of(std::string_view type, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), type) != names.end();
}

// Of a weight as operand i; 0 when the operator is no product, or the input another one.
double fan_in(const NodeView& node, std::size_t i) {
  const std::string_view type = node.type;
  const TensorView& weight = node.inputs[i];
  const bool quantized = type.starts_with("QLinear") || type == "QGemm";
  const std::size_t right = quantized ? 3 : 1;
  if (weight.shape->empty() || i > right + (is_one_of(type, {"LSTM", "GRU", "RNN"}) ? 1 : 0)) return 0;
  if (is_one_of(type, {"LSTM", "GRU", "RNN"})) return i == 0 ? 0 : size(weight, weight.shape->size() - 1);
  if (is_one_of(type, {"Conv", "QLinearConv", "FusedConv"})) return i == right ? product_from(weight, 1) : 0;
  if (type == "ConvTranspose" && i == right) {
    double taps = size(weight, 0) / static_cast<double>(node.whole("group", 1)) * product_from(weight, 2);
    for (const std::int64_t stride : node.wholes("strides")) taps /= static_cast<double>(stride);
    return std::max(taps, 1.0);
  }
  if (is_one_of(type, {"MatMul", "Gemm", "FusedMatMul", "FusedGemm", "QLinearMatMul", "QGemm"}) &&
      (i == 0 || i == right)) {
    const bool transposed = node.whole(i == 0 ? "transA" : "transB", 0) != 0;
    return summed(weight, transposed, i == right);
  }
  return 0;
}

}  // namespace

FillValues::FillValues(const WrittenModel& model) {
  std::map<std::pair<DataType, std::vector<std::int64_t>>, std::int64_t> counts;
  for (const NodeView& node : model.nodes) {
    if (node.type == "Sqrt" && !node.inputs.empty()) rooted_.insert(node.inputs[0].name);
    for (const TensorView& tensor : node.inputs) {
      if (!tensor.constant || !tensor.shape || numbers_.contains(tensor.name)) continue;
      numbers_[tensor.name] = counts[{tensor.type, *tensor.shape}]++;
    }
  }
}

double FillValues::fill(const NodeView& node, std::size_t i) const {
  const TensorView& tensor = node.inputs[i];
  const double value = by_role(node, i);
  const bool real = is_one_of(name_of(tensor.type), {"fp64", "fp32", "fp16", "bf16"});
  if (!real || tensor.elements() == 1.0) return value;
  return value * (1 + kApart * static_cast<double>(numbers_.at(tensor.name)));
}

double FillValues::by_role(const NodeView& node, std::size_t i) const {
  const std::string_view type = node.type;
  const TensorView& tensor = node.inputs[i];
  if (type.starts_with("QLinear") || is_one_of(type, {"QGemm", "QuantizeLinear", "DequantizeLinear"})) {
    return quantized(node, i);
  }
  if (tensor.type == DataType::boolean) return 1;
  if (tensor.type == DataType::int8) return int8_weight(tensor);
  // Index 0 is there in every table.
  if (is_one_of(name_of(tensor.type), {"int64", "int32", "int16"})) return 0;
  if (const double n = fan_in(node, i); n > 0) return 1 / n;
  if (type == "BatchNormalization") return i == 1 || i == 4 ? 1 : i == 3 ? 0 : kBias;
  if (type.ends_with("Normalization") || type.ends_with("GroupNorm")) return i == 1 ? 1 : kBias;
  if (type.starts_with("Gather") || type.starts_with("Embed")) return kEmbedding;
  return elementwise(node, i);
}

// Scales, zero points and integers of a quantised operator.
double FillValues::quantized(const NodeView& node, std::size_t i) const {
  const TensorView& tensor = node.inputs[i];
  const bool product = is_one_of(node.type, {"QLinearConv", "QLinearMatMul", "QGemm"});
  if (tensor.type == DataType::int32) return kInt32Bias;
  if (tensor.type == DataType::fp32) {
    const bool of_weight = product && i == 4 && node.inputs[3].constant;
    return of_weight ? 1 / (std::max(fan_in(node, 3), 1.0) * int8_weight(node.inputs[3])) : kActivationScale;
  }
  return product && i == 3 ? int8_weight(tensor) : kZeroPoint + 1;
}

double FillValues::elementwise(const NodeView& node, std::size_t i) const {
  const std::string_view type = node.type;
  const bool scalar = node.inputs[i].elements() == 1.0;
  if (type == "Mul") return scalar ? 0.5 : 1;
  if (type == "Div") return scalar ? std::numbers::sqrt2 : 1;
  if (type == "Pow") return 2;
  if (type == "PRelu") return 0.25;
  if (type == "Add" || type == "Sub") {
    if (!node.outputs.empty() && rooted_.contains(node.outputs[0].name)) return kEpsilon;
    return scalar ? 1 : kBias;
  }
  if (type == "Max") return 0;
  if (type == "Min") return 6;
  if (type == "Clip") return i == 1 ? 0 : 6;
  return kBias;
}

double FillValues::int8_weight(const TensorView& weight) const {
  return static_cast<double>(1 + numbers_.at(weight.name) % kMostInt8);
}

}  // namespace corecast::graphs
