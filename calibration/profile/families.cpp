#include "calibration/profile/families.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace corecast::calibration::profile {
namespace {

using Table = std::map<std::string_view, std::string_view>;

// By onnxruntime's and ONNX's types without prefixes.
const Table& onnx_types() {
  static const Table table{
      {"Conv", "conv"},
      {"ConvInteger", "conv"},
      {"ConvTranspose", "conv_transpose"},
      {"MatMul", "product"},
      {"Gemm", "product"},
      {"TransposeMatMul", "product"},
      {"MatMulInteger", "product"},
      {"MatMulIntegerToFloat", "product"},
      {"MatMulInteger16", "product"},
      {"MatMulNBits", "product"},
      {"MatMulFpQ4", "product"},
      {"Einsum", "product"},
      {"MaxPool", "max_pool"},
      {"AveragePool", "average_pool"},
      {"GlobalAveragePool", "global_pool"},
      {"GlobalMaxPool", "global_pool"},
      {"LayerNormalization", "layer_norm"},
      {"SkipLayerNormalization", "layer_norm"},
      {"EmbedLayerNormalization", "layer_norm"},
      {"SimplifiedLayerNormalization", "layer_norm"},
      {"SkipSimplifiedLayerNormalization", "layer_norm"},
      {"RMSNormalization", "layer_norm"},
      {"BatchNormalization", "batch_norm"},
      {"InstanceNormalization", "instance_norm"},
      {"GroupNormalization", "group_norm"},
      {"Gelu", "gelu"},
      {"FastGelu", "gelu"},
      {"BiasGelu", "gelu"},
      {"QuickGelu", "gelu"},
      {"Erf", "gelu"},
      {"Softmax", "softmax"},
      {"LogSoftmax", "log_softmax"},
      {"Attention", "attention"},
      {"MultiHeadAttention", "attention"},
      {"GroupQueryAttention", "attention"},
      {"Add", "add"},
      {"Sum", "add"},
      {"Clip", "clip"},
      {"Gather", "gather"},
      {"GatherElements", "gather"},
      {"Transpose", "transpose"},
      {"Concat", "concat"},
      {"Split", "split"},
      {"Slice", "slice"},
      {"LSTM", "lstm"},
      {"DynamicQuantizeLSTM", "lstm"},
      {"GRU", "gru"},
      {"RNN", "rnn"},
      {"ReduceMean", "mean"},
      {"ReduceSum", "sum"},
      {"Reorder", "reorder"},
      {"ReorderInput", "reorder"},
      {"ReorderOutput", "reorder"},
      {"Reshape", "shape"},
      {"Squeeze", "shape"},
      {"Unsqueeze", "shape"},
      {"Flatten", "shape"},
      {"Identity", "shape"},
      {"Shape", "shape"},
      {"Size", "shape"},
      {"Constant", "shape"},
      {"Dropout", "shape"},
  };
  return table;
}

// By PyTorch's names without "aten::" and the "_" of in-place forms.
const Table& aten_names() {
  static const Table table{
      {"conv1d", "conv"},
      {"conv2d", "conv"},
      {"conv3d", "conv"},
      {"convolution", "conv"},
      {"_convolution", "conv"},
      {"mkldnn_convolution", "conv"},
      {"thnn_conv2d", "conv"},
      {"conv_transpose1d", "conv_transpose"},
      {"conv_transpose2d", "conv_transpose"},
      {"linear", "product"},
      {"addmm", "product"},
      {"mm", "product"},
      {"bmm", "product"},
      {"matmul", "product"},
      {"baddbmm", "product"},
      {"addbmm", "product"},
      {"mv", "product"},
      {"addmv", "product"},
      {"einsum", "product"},
      {"max_pool1d", "max_pool"},
      {"max_pool2d", "max_pool"},
      {"max_pool3d", "max_pool"},
      {"max_pool2d_with_indices", "max_pool"},
      {"avg_pool1d", "average_pool"},
      {"avg_pool2d", "average_pool"},
      {"adaptive_avg_pool1d", "global_pool"},
      {"adaptive_avg_pool2d", "global_pool"},
      {"adaptive_max_pool2d", "global_pool"},
      {"layer_norm", "layer_norm"},
      {"native_layer_norm", "layer_norm"},
      {"rms_norm", "layer_norm"},
      {"batch_norm", "batch_norm"},
      {"native_batch_norm", "batch_norm"},
      {"instance_norm", "instance_norm"},
      {"group_norm", "group_norm"},
      {"gelu", "gelu"},
      {"erf", "gelu"},
      {"_softmax", "softmax"},
      {"log_softmax", "log_softmax"},
      {"scaled_dot_product_attention", "attention"},
      {"_native_multi_head_attention", "attention"},
      {"add", "add"},
      {"clamp", "clip"},
      {"clamp_min", "clip"},
      {"hardtanh", "clip"},
      {"relu6", "clip"},
      {"embedding", "gather"},
      {"index_select", "gather"},
      {"gather", "gather"},
      {"index", "gather"},
      {"cat", "concat"},
      {"concat", "concat"},
      {"stack", "concat"},
      {"channel_shuffle", "transpose"},
      {"contiguous", "transpose"},
      {"clone", "transpose"},
      {"reshape", "shape"},
      {"view", "shape"},
      {"flatten", "shape"},
      {"unflatten", "shape"},
      {"permute", "shape"},
      {"transpose", "shape"},
      {"t", "shape"},
      {"squeeze", "shape"},
      {"unsqueeze", "shape"},
      {"expand", "shape"},
      {"slice", "shape"},
      {"select", "shape"},
      {"split", "shape"},
      {"chunk", "shape"},
      {"detach", "shape"},
      {"dropout", "shape"},
      {"empty", "shape"},
      {"feature_dropout", "shape"},
      {"as_strided", "shape"},
      {"narrow", "shape"},
      {"unbind", "shape"},
      {"_reshape_alias", "shape"},
      {"view_as", "shape"},
      {"size", "shape"},
      {"resolve_conj", "shape"},
      {"to", "cast"},
      {"_to_copy", "cast"},
      {"copy", "copy"},
  };
  return table;
}

std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string aten_family(std::string_view name) {
  while (name.size() > 1 && name.ends_with('_')) name.remove_suffix(1);
  const auto found = aten_names().find(name);
  return found == aten_names().end() ? lower(name) : std::string(found->second);
}

}  // namespace

std::string family_of(std::string_view type) {
  if (type.starts_with("aten::")) return aten_family(type.substr(6));
  if (const auto scope = type.rfind("::"); scope != std::string_view::npos)
    return lower(type.substr(scope + 2));
  for (bool again = true; again;) {
    if (const auto found = onnx_types().find(type); found != onnx_types().end())
      return std::string(found->second);
    again = false;
    for (const std::string_view prefix : {"Fused", "Nhwc", "QLinear", "DynamicQuantize", "Q"}) {
      if (!again && type.size() > prefix.size() && type.starts_with(prefix)) {
        type.remove_prefix(prefix.size());
        again = true;
      }
    }
  }
  return lower(type);
}

std::set<std::string> families_of(const std::string& type) {
  std::set<std::string> parts, families;
  for (std::size_t from = 0; from <= type.size();) {
    const std::size_t to = std::min(type.find('+', from), type.size());
    const std::string part = type.substr(from, to - from);
    parts.insert(part);
    families.insert(family_of(part));
    from = to + 1;
  }
  if (parts.contains("Sqrt") && parts.contains("ReduceMean")) families.insert("layer_norm");
  if (parts.contains("Tanh") && parts.contains("Pow")) families.insert("gelu");
  return families;
}

std::string main_family_of(const std::string& type) {
  return family_of(std::string_view(type).substr(0, type.find('+')));
}

bool is_shape_family(std::string_view family) {
  return family == "shape";
}

bool is_move_family(std::string_view family) {
  static constexpr std::array<std::string_view, 5> moves{"shape", "reorder", "copy", "cast", "slice"};
  return std::find(moves.begin(), moves.end(), family) != moves.end();
}

bool is_heavy_family(std::string_view family) {
  static constexpr std::array<std::string_view, 3> heavy{"conv", "conv_transpose", "product"};
  return std::find(heavy.begin(), heavy.end(), family) != heavy.end();
}

}  // namespace corecast::calibration::profile
