// Elementwise: every output element from the elements at its place, with broadcast. The flop per element
// stand in costs.hpp.
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

// Inputs that broadcast to the output: InputError when a dimension fits neither 1 nor the output's.
void require_broadcast(const NodeView& node) {
  const Shape& y = output_shape(node, 0);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].absent || !node.inputs[i].shape) continue;
    const Shape& x = *node.inputs[i].shape;
    bool fits = x.size() <= y.size();
    for (std::size_t d = 0; fits && d < x.size(); ++d) {
      const std::int64_t size = x[x.size() - 1 - d];
      fits = size == 1 || size == y[y.size() - 1 - d];
    }
    if (!fits) {
      fail(node, fmt::format("input {} of shape [{}] does not broadcast to [{}]", i, fmt::join(x, ","),
                             fmt::join(y, ",")));
    }
  }
}

template <int kFlop>
Operator unary(const NodeView& node) {
  (void)input(node, 0);
  return streamed(node, KernelClass::elementwise, kFlop);
}

// Before operator set 7 broadcast was by attributes (axis), another alignment: the shapes are taken as given
// there.
template <int kFlop>
Operator binary(const NodeView& node) {
  (void)input(node, 0);
  (void)input(node, 1);
  if (node.opset == 0 || node.opset >= 7) require_broadcast(node);
  return streamed(node, KernelClass::elementwise, kFlop);
}

// n inputs: n - 1 combinations, `kFinal` more per element at the end.
template <int kFinal>
Operator variadic(const NodeView& node) {
  (void)input(node, 0);
  const auto present =
      std::count_if(node.inputs.begin(), node.inputs.end(), [](const auto& t) { return !t.absent; });
  if (node.opset == 0 || node.opset >= 8) require_broadcast(node);
  return streamed(node, KernelClass::elementwise, static_cast<double>(present - 1) * kSimple + kFinal);
}

// One bound or two; bounds may be inputs (operator set 11) or attributes.
Operator clip(const NodeView& node) {
  return streamed(node, KernelClass::elementwise, 2 * kSimple);
}

Operator where(const NodeView& node) {
  (void)input(node, 2);
  require_broadcast(node);
  Operator op = streamed(node, KernelClass::elementwise, kSimple);
  op.work.compute_type = output(node, 0).type;  // the first input is the condition
  return op;
}

// x^2, x^3, sqrt x are recognised by kernels when the exponent is a known constant.
Operator power(const NodeView& node) {
  (void)input(node, 0);
  const TensorView& exponent = input(node, 1);
  require_broadcast(node);
  const bool small = exponent.integers && exponent.integers->size() == 1 && (*exponent.integers)[0] >= 0 &&
                     (*exponent.integers)[0] <= 3;
  return streamed(node, KernelClass::elementwise, small ? 2 * kSimple : kPower);
}

// Bias and activation in one pass: the bias is the last axis of the first input.
template <int kFlop>
Operator biased(const NodeView& node) {
  (void)input(node, 0);
  return streamed(node, KernelClass::elementwise, kFlop + (node.input(1) != nullptr ? kSimple : kFree));
}

// Rotates pairs of elements by an angle from two caches: 2 multiplications and an addition. Cache rows are
// read for the positions used only: as many elements as one head of the data.
Operator rotary(const NodeView& node, std::size_t positions, std::size_t cosine) {
  const std::int64_t count = elements(node, input(node, 0));
  Work work;
  work.compute_type = input(node, 0).type;
  read(work, input(node, 0));
  if (node.input(positions) != nullptr) read(work, input(node, positions));
  for (const std::size_t cache : {cosine, cosine + 1}) {
    const TensorView& table = input(node, cache);
    read(work, table, std::min(Bytes(table.bytes()), Bytes(input(node, 0).bytes() / 2.0)));
  }
  work.written = output(node, 0).bytes();
  work.flops = Flops(3.0 * static_cast<double>(count));
  work.units = chunk_units(count);
  return operator_with(KernelClass::elementwise, work);
}

Operator rotary_standard(const NodeView& node) {
  return rotary(node, 3, 1);
}  // X, cos, sin, positions
Operator rotary_microsoft(const NodeView& node) {
  return rotary(node, 1, 2);
}  // X, positions, cos, sin

constexpr std::array kRules{
    Entry{kOnnx, "Abs", unary<kSimple>},
    Entry{kOnnx, "Acos", unary<kTangent>},
    Entry{kOnnx, "Acosh", unary<kTangent>},
    Entry{kOnnx, "Add", binary<kSimple>},
    Entry{kOnnx, "And", binary<kSimple>},
    Entry{kOnnx, "Asin", unary<kTangent>},
    Entry{kOnnx, "Asinh", unary<kTangent>},
    Entry{kOnnx, "Atan", unary<kTangent>},
    Entry{kOnnx, "Atanh", unary<kTangent>},
    Entry{kOnnx, "BitShift", binary<kSimple>},
    Entry{kOnnx, "BitwiseAnd", binary<kSimple>},
    Entry{kOnnx, "BitwiseNot", unary<kSimple>},
    Entry{kOnnx, "BitwiseOr", binary<kSimple>},
    Entry{kOnnx, "BitwiseXor", binary<kSimple>},
    Entry{kOnnx, "Cast", unary<kSimple>},
    Entry{kOnnx, "CastLike", unary<kSimple>},
    Entry{kOnnx, "Ceil", unary<kSimple>},
    Entry{kOnnx, "Celu", unary<kElu + kDivide>},
    Entry{kOnnx, "Clip", clip},
    Entry{kOnnx, "Cos", unary<kSine>},
    Entry{kOnnx, "Cosh", unary<kTangent>},
    Entry{kOnnx, "Div", binary<kDivide>},
    Entry{kOnnx, "Elu", unary<kElu>},
    Entry{kOnnx, "Equal", binary<kSimple>},
    Entry{kOnnx, "Erf", unary<kErf>},
    Entry{kOnnx, "Exp", unary<kExp>},
    Entry{kOnnx, "Floor", unary<kSimple>},
    Entry{kOnnx, "Gelu", unary<kGelu>},
    Entry{kOnnx, "Greater", binary<kSimple>},
    Entry{kOnnx, "GreaterOrEqual", binary<kSimple>},
    Entry{kOnnx, "HardSigmoid", unary<kHardSigmoid>},
    Entry{kOnnx, "HardSwish", unary<kHardSigmoid + 1>},
    Entry{kOnnx, "IsInf", unary<kSimple>},
    Entry{kOnnx, "IsNaN", unary<kSimple>},
    Entry{kOnnx, "LeakyRelu", unary<kLeakyRelu>},
    Entry{kOnnx, "Less", binary<kSimple>},
    Entry{kOnnx, "LessOrEqual", binary<kSimple>},
    Entry{kOnnx, "Log", unary<kLog>},
    Entry{kOnnx, "Max", variadic<kFree>},
    Entry{kOnnx, "Mean", variadic<kSimple>},
    Entry{kOnnx, "Min", variadic<kFree>},
    Entry{kOnnx, "Mish", unary<kMish>},
    Entry{kOnnx, "Mod", binary<kDivide + 2>},
    Entry{kOnnx, "Mul", binary<kSimple>},
    Entry{kOnnx, "Neg", unary<kSimple>},
    Entry{kOnnx, "Not", unary<kSimple>},
    Entry{kOnnx, "Or", binary<kSimple>},
    Entry{kOnnx, "PRelu", binary<kLeakyRelu>},
    Entry{kOnnx, "Pow", power},
    Entry{kOnnx, "Reciprocal", unary<kDivide>},
    Entry{kOnnx, "Relu", unary<kSimple>},
    Entry{kOnnx, "RotaryEmbedding", rotary_standard},
    Entry{kOnnx, "Round", unary<kSimple>},
    Entry{kOnnx, "Selu", unary<kElu + 1>},
    Entry{kOnnx, "Shrink", unary<3 * kSimple>},
    Entry{kOnnx, "Sigmoid", unary<kSigmoid>},
    Entry{kOnnx, "Sign", unary<kSimple>},
    Entry{kOnnx, "Sin", unary<kSine>},
    Entry{kOnnx, "Sinh", unary<kTangent>},
    Entry{kOnnx, "Softplus", unary<kSoftplus>},
    Entry{kOnnx, "Softsign", unary<kDivide + 2>},
    Entry{kOnnx, "Sqrt", unary<kSquareRoot>},
    Entry{kOnnx, "Sub", binary<kSimple>},
    Entry{kOnnx, "Sum", variadic<kFree>},
    Entry{kOnnx, "Swish", unary<kSwish>},
    Entry{kOnnx, "Tan", unary<kTangent>},
    Entry{kOnnx, "Tanh", unary<kTanh>},
    Entry{kOnnx, "ThresholdedRelu", unary<2 * kSimple>},
    Entry{kOnnx, "Where", where},
    Entry{kOnnx, "Xor", binary<kSimple>},
    Entry{kMicrosoft, "BiasAdd", variadic<kFree>},
    Entry{kMicrosoft, "BiasGelu", biased<kGelu>},
    Entry{kMicrosoft, "BiasSplitGelu", biased<kGelu + 1>},
    Entry{kMicrosoft, "FastGelu", biased<kFastGelu>},
    Entry{kMicrosoft, "Gelu", unary<kGelu>},
    Entry{kMicrosoft, "QuickGelu", unary<kSwish>},
    Entry{kMicrosoft, "RotaryEmbedding", rotary_microsoft},
};

}  // namespace

std::span<const Entry> elementwise_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
