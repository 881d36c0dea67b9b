#include "tests/graphs/rules_catalogue.hpp"

namespace corecast::test {
namespace {

const Attributes kWindow{{"kernel_shape", list({2, 2})}};
const Attributes kHeads{{"num_heads", whole(4)}};

std::vector<Example> convolutions() {
  return {
      {"Conv", "Bx6x8x8, w 4x6x3x3, w 4 -> Bx4x6x6", {}},
      {"Conv", "Bx6x8x8, w 6x1x3x3 -> Bx6x6x6", {{"group", whole(6)}}},
      {"Conv", "Bx6x20, w 4x6x5 -> Bx4x16", {}},
      {"ConvTranspose", "Bx6x8x8, w 6x4x2x2 -> Bx4x16x16", {}},
      {"ConvInteger", "int8 Bx6x8x8, w int8 4x6x1x1 -> int32 Bx4x8x8", {}},
      {"DeformConv", "Bx6x8x8, w 4x6x3x3, Bx18x6x6 -> Bx4x6x6", {}},
      {"QLinearConv",
       "int8 Bx6x8x8, w scalar, w int8 scalar, w int8 4x6x3x3, w 4, w int8 4, w scalar, "
       "w int8 scalar -> int8 Bx4x6x6",
       {}},
      {"com.microsoft:FusedConv",
       "Bx6x8x8, w 4x6x3x3, w 4, Bx4x6x6 -> Bx4x6x6",
       {{"activation", text("Relu")}}},
      {"com.microsoft:NhwcConv", "Bx8x8x6, w 4x6x3x3 -> Bx6x6x4", {}},
  };
}

std::vector<Example> products() {
  return {
      {"Gemm", "Bx32, w 32x10, w 10 -> Bx10", {}},
      {"MatMul", "Bx8x32, w 32x10 -> Bx8x10", {}},
      {"MatMul", "Bx3x8x4, Bx3x4x8 -> Bx3x8x8", {}},
      {"Einsum", "Bx3x8x4, Bx3x8x4 -> Bx3x8x8", {{"equation", text("bhqd,bhkd->bhqk")}}},
      {"MatMulInteger", "int8 Bx32, w int8 32x10 -> int32 Bx10", {}},
      {"QLinearMatMul",
       "int8 Bx32, w scalar, w int8 scalar, w int8 32x10, w scalar, w int8 scalar, w scalar, "
       "w int8 scalar -> int8 Bx10",
       {}},
      {"com.microsoft:DynamicQuantizeMatMul", "Bx32, w int8 32x10, w scalar -> Bx10", {}},
      {"com.microsoft:MatMulNBits",
       "Bx64, w int8 16x2x16, w 32 -> Bx16",
       {{"K", whole(64)}, {"N", whole(16)}},
       false},
      {"com.microsoft:Inverse", "Bx4x4 -> Bx4x4", {}},
      {"Det", "Bx4x4 -> B", {}},
      {"LSTM", "5xBx8, w 1x64x8, w 1x64x16 -> 5x1xBx16", {}},
      {"GRU", "5xBx8, w 1x48x8, w 1x48x16 -> 5x1xBx16", {}},
      {"RNN", "5xBx8, w 1x16x8, w 1x16x16 -> 5x1xBx16", {}},
      {"com.microsoft:DynamicQuantizeLSTM", "5xBx8, w int8 1x8x64, w int8 1x16x64 -> 5x1xBx16", {}},
      {"Attention", "Bx4x8x16, Bx4x8x16, Bx4x8x16 -> Bx4x8x16", {}},
      {"com.microsoft:Attention", "Bx8x32, w 32x96, w 96 -> Bx8x32", kHeads},
      {"com.microsoft:MultiHeadAttention", "Bx8x32, Bx8x32, Bx8x32 -> Bx8x32", kHeads},
      {"com.microsoft:GroupQueryAttention",
       "Bx8x32, Bx8x16, Bx8x16 -> Bx8x32",
       {{"num_heads", whole(4)}, {"kv_num_heads", whole(2)}}},
      {"com.microsoft:MoE", "Bx16, Bx8, w 8x16x32, -, w 8x32x16 -> Bx16", {{"k", whole(2)}}},
      {"ai.onnx.ml:LinearRegressor", "Bx4 -> Bx1", {{"coefficients", std::vector<double>(4, 1.0)}}},
      {"ai.onnx.ml:TreeEnsembleRegressor", "Bx4 -> Bx1", {{"nodes_treeids", list({0, 0, 0, 0, 1, 1, 1, 1})}}},
  };
}

std::vector<Example> passes() {
  return {
      {"MaxPool", "Bx3x8x8 -> Bx3x4x4", kWindow},
      {"AveragePool", "Bx3x8x8 -> Bx3x4x4", kWindow},
      {"GlobalAveragePool", "Bx3x8x8 -> Bx3x1x1", {}},
      {"com.microsoft:NhwcMaxPool", "int8 Bx8x8x3 -> int8 Bx4x4x3", kWindow},
      {"Relu", "Bx3x8x8 -> Bx3x8x8", {}},
      {"Gelu", "Bx3x8 -> Bx3x8", {}},
      {"Add", "Bx3x8x8, Bx3x8x8 -> Bx3x8x8", {}},
      {"Where", "bool Bx8, Bx8, scalar -> Bx8", {}},
      {"Softmax", "Bx10 -> Bx10", {}},
      {"BatchNormalization", "Bx3x8x8, w 3, w 3, w 3, w 3 -> Bx3x8x8", {}},
      {"LayerNormalization", "Bx8x32, w 32, w 32 -> Bx8x32", {}},
      {"GroupNormalization", "Bx6x4x4, w 2, w 2 -> Bx6x4x4", {{"num_groups", whole(2)}}},
      {"LRN", "Bx8x4x4 -> Bx8x4x4", {{"size", whole(5)}}},
      {"com.microsoft:SkipLayerNormalization", "Bx8x32, Bx8x32, w 32 -> Bx8x32", {}},
      {"ReduceMean", "Bx8x32 -> Bx8", {{"axes", list({2})}}},
      {"TopK", "Bx100, =5 -> Bx5, int64 Bx5", {}},
      {"CumSum", "Bx100, =1 -> Bx100", {}},
      {"Concat", "Bx3x8, Bx5x8 -> Bx8x8", {{"axis", whole(1)}}},
      {"Transpose", "Bx3x8 -> Bx8x3", {{"perm", list({0, 2, 1})}}},
      {"Split", "Bx8x8 -> Bx3x8, Bx5x8", {}},
      {"Slice", "Bx8x8, =0, =2, =1 -> Bx2x8", {}},
      {"Reshape", "Bx3x8, =0/24 -> Bx24", {}},
      {"Resize", "Bx3x8x8, -, w 4 -> Bx3x16x16", {{"mode", text("linear")}}},
      {"GridSample", "Bx3x8x8, Bx4x4x2 -> Bx3x4x4", {}},
      {"RoiAlign", "1x4x32x32, Bx4, int64 B -> Bx4x7x7", {}},
      {"Gather", "w 1000x16, int64 Bx4 -> Bx4x16", {}},
      {"ScatterND", "Bx8, int64 Bx1, Bx8 -> Bx8", {}},
      {"com.microsoft:EmbedLayerNormalization",
       "int32 Bx8, int32 Bx8, w 100x16, w 32x16, w 2x16, w 16, w 16 -> Bx8x16, int32 B",
       {}},
      {"NonMaxSuppression", "Bx64x4, Bx2x64, =10 -> int64 ?", {}},
      {"NonZero", "Bx8 -> int64 ?", {}},
      {"DFT", "Bx256x1 -> Bx256x2", {}},
      {"STFT", "Bx1000x1, =64, w 256, =256 -> Bx10x129x2", {}},
      {"QuantizeLinear", "Bx8, w scalar -> int8 Bx8", {}},
      {"com.microsoft:QLinearAdd",
       "int8 Bx8, w scalar, w int8 scalar, int8 Bx8, w scalar, w int8 scalar, w scalar, "
       "w int8 scalar -> int8 Bx8",
       {}},
      {"com.microsoft:RotaryEmbedding", "Bx8x32, int64 Bx8, w 64x16, w 64x16 -> Bx8x32", {}},
      {"ai.onnx.ml:Scaler", "Bx4 -> Bx4", {}},
      {"Multinomial", "Bx10 -> int32 Bx3", {}},
      {"RandomNormalLike", "Bx10 -> Bx10", {}},
  };
}

}  // namespace

const std::vector<Example>& rule_examples() {
  static const std::vector<Example> all = [] {
    std::vector<Example> examples = convolutions();
    for (const auto& more : {products(), passes()}) examples.insert(examples.end(), more.begin(), more.end());
    return examples;
  }();
  return all;
}

}  // namespace corecast::test
