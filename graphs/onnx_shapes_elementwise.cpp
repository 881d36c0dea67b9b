// Results shaped like an input, or like several inputs broadcast against one another.
#include <array>
#include <numeric>

#include "graphs/onnx_shapes.hpp"

namespace corecast::graphs::importing {
namespace {

constexpr DataType kFloat = DataType::fp32;

DataType data_type_of_onnx(std::int64_t code, DataType otherwise) {
  const DataType type = data_type_of_code(code);
  return type == DataType::unknown ? otherwise : type;
}

Typed like(const Inference& in, std::size_t i) {
  const Shape* shape = in.shape(i);
  return {in.type(i), shape == nullptr ? std::nullopt : std::optional<Shape>(*shape)};
}

Typed like(const Inference& in, std::size_t i, DataType type) {
  Typed typed = like(in, i);
  typed.type = type;
  return typed;
}

Types same(const Inference& in) {
  return {like(in, 0)};
}
Types predicate(const Inference& in) {
  return {like(in, 0, DataType::boolean)};
}
// Dropout: the mask has the input's shape.
Types same_and_mask(const Inference& in) {
  return {like(in, 0), like(in, 0, DataType::boolean)};
}

Types broadcast_as(const Inference& in, std::span<const std::size_t> which, DataType type) {
  // Before opset 7 the second input was stretched along `axis`: the result has the first one's shape.
  if (in.node.whole("broadcast", 0) != 0 && in.node.opset < 7) return {like(in, which[0], type)};
  return {{type, broadcast(in, which)}};
}

Types binary(const Inference& in) {
  return broadcast_as(in, std::array<std::size_t, 2>{0, 1}, in.type(0));
}

Types comparison(const Inference& in) {
  return broadcast_as(in, std::array<std::size_t, 2>{0, 1}, DataType::boolean);
}

Types variadic(const Inference& in) {
  std::vector<std::size_t> all(in.inputs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return {{in.type(0), broadcast(in, all)}};
}

Types where(const Inference& in) {
  return {{in.type(1), broadcast(in, std::array<std::size_t, 3>{0, 1, 2})}};
}

// QLinearAdd(a, a_scale, a_zero, b, b_scale, b_zero, c_scale, c_zero)
Types quantized_binary(const Inference& in) {
  return {{in.type(0), broadcast(in, std::array<std::size_t, 2>{0, 3})}};
}

Types cast(const Inference& in) {
  return {like(in, 0, data_type_of_onnx(in.node.whole("to", 0), DataType::unknown))};
}
Types cast_like(const Inference& in) {
  return {like(in, 0, in.type(1))};
}

Types quantize(const Inference& in) {
  DataType type = in.has(2) ? in.type(2) : DataType::int8;
  type = data_type_of_onnx(in.node.whole("output_dtype", 0), type);
  return {like(in, 0, type)};
}

Types dequantize(const Inference& in) {
  return {like(in, 0, in.has(1) ? in.type(1) : kFloat)};
}

Types dynamic_quantize(const Inference& in) {
  return {like(in, 0, DataType::int8), {kFloat, Shape{}}, {DataType::int8, Shape{}}};
}

// Random tensors shaped like the input, and EyeLike.
Types like_with_dtype(const Inference& in) {
  return {like(in, 0, data_type_of_onnx(in.node.whole("dtype", 0), in.type(0)))};
}

// Mean and variance outputs of training graphs: one value per channel.
Types batch_normalization(const Inference& in) {
  in.need_rank(0, 1, 16);
  Types types{like(in, 0)};
  for (std::size_t i = 1; i < in.node.outputs.size(); ++i) types.push_back(like(in, 1));
  return types;
}

// Mean and inverse deviation: the input with the normalised axes set to 1.
Types layer_normalization(const Inference& in) {
  Types types{like(in, 0)};
  Typed statistic = like(in, 0, kFloat);
  if (statistic.shape && !statistic.shape->empty()) {
    const std::size_t from = in.axis(in.node.whole("axis", -1), statistic.shape->size());
    for (std::size_t d = from; d < statistic.shape->size(); ++d) (*statistic.shape)[d] = 1;
  }
  types.push_back(statistic);
  types.push_back(statistic);
  types.push_back(like(in, 0));
  return types;
}

}  // namespace

// TensorProto.DataType of the ONNX file format; the codes are fixed for good.
DataType data_type_of_code(std::int64_t code) {
  switch (code) {
    case 1:
      return DataType::fp32;
    case 2:  // uint8
    case 3:  // int8
    case 17:
    case 18:
    case 19:
    case 20:  // the 8-bit floats
    case 24:
      return DataType::int8;  // 8-bit exponent
    case 4:
    case 5:
      return DataType::int16;
    case 6:
    case 12:
      return DataType::int32;
    case 7:
    case 13:
      return DataType::int64;
    case 8:
      return DataType::string;
    case 9:
      return DataType::boolean;
    case 10:
      return DataType::fp16;
    case 11:
    case 14:
      return DataType::fp64;  // complex of two floats: 8 bytes
    case 15:
      return DataType::string;  // complex of two doubles: 16 bytes
    case 16:
      return DataType::bf16;
    case 21:
    case 22:
    case 23:  // uint4, int4, 4-bit float
    case 25:
    case 26:
      return DataType::int4;
    default:
      return DataType::unknown;
  }
}

const ShapeRules& elementwise_shape_rules() {
  static const ShapeRules rules = [] {
    ShapeRules table;
    for (const char* name : {"Abs",
                             "Acos",
                             "Acosh",
                             "Asin",
                             "Asinh",
                             "Atan",
                             "Atanh",
                             "BitwiseNot",
                             "Ceil",
                             "Celu",
                             "Clip",
                             "Cos",
                             "Cosh",
                             "CumSum",
                             "Elu",
                             "Erf",
                             "Exp",
                             "Floor",
                             "Gelu",
                             "GroupNormalization",
                             "HardSigmoid",
                             "HardSwish",
                             "Hardmax",
                             "Identity",
                             "InstanceNormalization",
                             "LRN",
                             "LeakyRelu",
                             "Log",
                             "LogSoftmax",
                             "LpNormalization",
                             "MeanVarianceNormalization",
                             "Mish",
                             "Neg",
                             "Not",
                             "PRelu",
                             "Reciprocal",
                             "Relu",
                             "ReverseSequence",
                             "RotaryEmbedding",
                             "Round",
                             "Scatter",
                             "ScatterElements",
                             "ScatterND",
                             "Selu",
                             "Shrink",
                             "Sigmoid",
                             "Sign",
                             "Sin",
                             "Sinh",
                             "Softmax",
                             "Softplus",
                             "Softsign",
                             "Sqrt",
                             "Swish",
                             "Tan",
                             "Tanh",
                             "TensorScatter",
                             "ThresholdedRelu",
                             "Trilu",
                             "ImageScaler",
                             "ParametricSoftplus",
                             "Scale",
                             "ScaledTanh",
                             "Affine"}) {
      table.emplace(name, same);
    }
    for (const char* name : {"IsInf", "IsNaN"}) table.emplace(name, predicate);
    for (const char* name :
         {"Add", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Mod", "Mul", "Pow", "Sub"}) {
      table.emplace(name, binary);
    }
    for (const char* name :
         {"And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Or", "Xor"}) {
      table.emplace(name, comparison);
    }
    for (const char* name : {"Max", "Mean", "Min", "Sum"}) table.emplace(name, variadic);
    for (const char* name : {"Bernoulli", "EyeLike", "RandomNormalLike", "RandomUniformLike"}) {
      table.emplace(name, like_with_dtype);
    }
    for (const char* name : {"LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization",
                             "SkipLayerNormalization", "SkipSimplifiedLayerNormalization"}) {
      table.emplace(name, layer_normalization);
    }
    table.emplace("BatchNormalization", batch_normalization);
    table.emplace("Cast", cast);
    table.emplace("CastLike", cast_like);
    table.emplace("DequantizeLinear", dequantize);
    table.emplace("Dropout", same_and_mask);
    table.emplace("DynamicQuantizeLinear", dynamic_quantize);
    table.emplace("QLinearAdd", quantized_binary);
    table.emplace("QLinearMul", quantized_binary);
    table.emplace("QuantizeLinear", quantize);
    table.emplace("Where", where);
    return table;
  }();
  return rules;
}

}  // namespace corecast::graphs::importing
