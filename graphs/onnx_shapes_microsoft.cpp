// Fused operators of the com.microsoft domain whose results are shaped otherwise than a standard operator's.
// Source: ContribOperators.md of onnxruntime.
#include <fmt/format.h>

#include <algorithm>

#include "graphs/onnx_shapes.hpp"

namespace corecast::graphs::importing {
namespace {

std::optional<Shape> known(const Shape* shape) {
  return shape == nullptr ? std::nullopt : std::optional<Shape>(*shape);
}

Types same(const Inference& in) {
  return {{in.type(0), known(in.shape(0))}};
}
// Normalisations of a sum: (result, mean, inverse deviation, sum).
Types skip_normalization(const Inference& in) {
  const Typed like{in.type(0), known(in.shape(0))};
  Typed statistic{DataType::fp32, like.shape};
  if (statistic.shape && !statistic.shape->empty()) statistic.shape->back() = 1;
  return {like, statistic, statistic, like};
}

std::int64_t number_of_heads(const Inference& in, std::string_view attribute) {
  const std::int64_t heads = in.node.whole(attribute, 0);
  if (heads < 1 || heads > kMostElements) in.fail(fmt::format("{} is {}", attribute, heads));
  return heads;
}

// Attention(input (B, S, D), weights (D, hidden of q + k + v), bias, ...): (B, S, hidden of v), present
// (2, B, heads, S, size). QAttention's first inputs are the same.
Types attention(const Inference& in) {
  const Shape* x = in.shape(0);
  const Shape* weights = in.shape(1) != nullptr ? in.shape(1) : in.shape(2);
  if (x == nullptr || weights == nullptr) return {{in.type(0), std::nullopt}, {in.type(0), std::nullopt}};
  in.need_rank(0, 3, 3);
  const Shape sizes = in.node.wholes("qkv_hidden_sizes");
  const std::int64_t heads = number_of_heads(in, "num_heads");
  const std::int64_t hidden = sizes.size() == 3 ? sizes[2] : weights->empty() ? 0 : weights->back() / 3;
  const DataType type = in.node.type == "QAttention" ? DataType::fp32 : in.type(0);
  std::int64_t length = (*x)[1];
  if (const Shape* past = in.shape(in.node.type == "QAttention" ? 8 : 4);
      past != nullptr && past->size() == 5) {
    length += (*past)[3];
  }
  return {{type, Shape{(*x)[0], (*x)[1], hidden}}, {type, Shape{2, (*x)[0], heads, length, hidden / heads}}};
}

// MultiHeadAttention(query (B, S, H), key, value, ...) or packed query (B, S, heads, 3, size).
Types multi_head_attention(const Inference& in) {
  const Shape* query = in.shape(0);
  const Shape* value = in.shape(2);
  const DataType type = in.type(0);
  if (query == nullptr || (in.has(2) && value == nullptr)) return Types(3, {type, std::nullopt});
  in.need_rank(0, 3, 5);
  const std::int64_t heads = number_of_heads(in, "num_heads");
  std::int64_t hidden = query->back();
  std::int64_t length = (*query)[1];
  if (query->size() == 5) {
    if ((*query)[2] > kMostElements / std::max<std::int64_t>(query->back(), 1))
      in.fail("its result is too large");
    hidden = (*query)[2] * query->back();
  } else if (value != nullptr) {
    in.need_rank(2, 3, 4);
    if (value->size() == 4 && value->back() > kMostElements / heads) in.fail("its result is too large");
    hidden = value->size() == 4 ? heads * value->back() : value->back();
    length = (*value)[value->size() - 2];
  }
  if (const Shape* past = in.shape(6); past != nullptr && past->size() == 4) length += (*past)[2];
  const Shape present{(*query)[0], heads, length, hidden / heads};
  return {{type, Shape{(*query)[0], (*query)[1], hidden}}, {type, present}, {type, present}};
}

// GroupQueryAttention(query (B, S, H), key, value, past_key, past_value, ...); without key the query holds
// all three.
Types group_query_attention(const Inference& in) {
  const Shape* query = in.shape(0);
  const DataType type = in.type(0);
  if (query == nullptr) return Types(3, {type, std::nullopt});
  in.need_rank(0, 3, 3);
  const std::int64_t heads = number_of_heads(in, "num_heads");
  const std::int64_t kv_heads = number_of_heads(in, "kv_num_heads");
  const bool packed = !in.has(1);
  const std::int64_t parts = packed ? heads + 2 * kv_heads : heads;
  const std::int64_t size = query->back() / parts;
  Shape present{(*query)[0], kv_heads, (*query)[1], size};
  if (const Shape* past = in.shape(3); past != nullptr && past->size() == 4) present[2] += (*past)[2];
  return {{type, Shape{(*query)[0], (*query)[1], packed ? heads * size : query->back()}},
          {type, present},
          {type, present}};
}

// EmbedLayerNormalization(ids (B, S), segments, word embedding (V, H), ...): (B, S, H), mask (B), sum.
Types embed_layer_normalization(const Inference& in) {
  const Shape* ids = in.shape(0);
  const Shape* words = in.shape(2);
  const bool quantized = in.node.type == "QEmbedLayerNormalization";
  const DataType type = quantized ? DataType::fp32 : in.type(2);
  if (ids == nullptr || words == nullptr)
    return {{type, std::nullopt}, {DataType::int32, std::nullopt}, {type, std::nullopt}};
  in.need_rank(0, 2, 2);
  in.need_rank(2, 2, 2);
  const Shape out{(*ids)[0], (*ids)[1], words->back()};
  return {{type, out}, {DataType::int32, Shape{(*ids)[0]}}, {type, out}};
}

// BiasSplitGelu: half of the channels gate the other half.
Types split_gelu(const Inference& in) {
  const Shape* data = in.shape(0);
  if (data == nullptr) return {{in.type(0), std::nullopt}};
  in.need_rank(0, 1, 8);
  Shape out = *data;
  out.back() /= 2;
  return {{in.type(0), out}};
}

}  // namespace

const ShapeRules& microsoft_shape_rules() {
  static const ShapeRules rules = [] {
    ShapeRules table{
        {"Attention", attention},
        {"BiasSplitGelu", split_gelu},
        {"EmbedLayerNormalization", embed_layer_normalization},
        {"GroupQueryAttention", group_query_attention},
        {"MultiHeadAttention", multi_head_attention},
        {"QAttention", attention},
        {"QEmbedLayerNormalization", embed_layer_normalization},
        {"SkipGroupNorm", skip_normalization},
        {"SkipLayerNormalization", skip_normalization},
        {"SkipSimplifiedLayerNormalization", skip_normalization},
    };
    for (const char* name :
         {"BiasAdd", "BiasDropout", "BiasGelu", "BiasSoftmax", "FastGelu", "GroupNorm", "Inverse", "MoE",
          "QLinearLeakyRelu", "QLinearSigmoid", "QLinearSoftmax", "QMoE", "QuickGelu", "RotaryEmbedding"}) {
      table.emplace(name, same);
    }
    return table;
  }();
  return rules;
}

}  // namespace corecast::graphs::importing
