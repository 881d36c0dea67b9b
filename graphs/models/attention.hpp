// What models with attention share, operator by operator as exporters write it. A scalar constant (the 1/2 of GELU, the
// scale of the scores, epsilon) counts as no parameter.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {

struct AttentionBuilder : Builder {
  using Builder::Builder;

  Tensor linear(Tensor x, std::int64_t features) { return add_bias(project(x, features)); }
  // An addition, product or division with one constant number.
  Tensor scalar(const std::string& type, Tensor x) { return node(type, {x, Weight{{1}, false}}, shape(x)); }
  // Rows of a table that is a parameter somewhere else.
  Tensor shared_embedding(Tensor ids, std::int64_t rows, std::int64_t width) {
    return node("Gather", {Weight{{rows, width}, false}, ids}, {shape(ids)[0], width});
  }
  // Logits by the transposed embedding table, which is a parameter there and counts once.
  Tensor tied_head(Tensor x, std::int64_t vocabulary) {
    return node("MatMul", {x, Weight{{shape(x)[1], vocabulary}, false}}, {shape(x)[0], vocabulary});
  }
  Tensor slice(Tensor x, std::int64_t begin, std::int64_t end) {
    Shape out = shape(x);
    out.back() = end - begin;
    return node("Slice", {x, Integers{{begin}}, Integers{{end}}, Integers{{-1}}}, out);
  }

  // {length, heads * size} to {heads, length, size}
  Tensor split(Tensor x, std::int64_t heads) {
    const Shape in = shape(x);
    return transpose(reshape(x, {in[0], heads, in[1] / heads}), {1, 0, 2});
  }
  // {heads, length, size} to {length, heads * size}
  Tensor join(Tensor x) {
    const Shape in = shape(x);
    return reshape(transpose(x, {1, 0, 2}), {in[1], in[0] * in[2]});
  }
  // softmax(q k' / sqrt(size) + mask) v of {heads, length, size}
  Tensor attend(Tensor q, Tensor k, Tensor v, const std::optional<Argument>& mask = std::nullopt) {
    Tensor scores = scalar("Div", matmul(q, transpose(k, {0, 2, 1})));
    if (mask) scores = node("Add", {scores, *mask}, shape(scores));
    return matmul(softmax(scores), v);
  }
  // No position sees a later one: the same constant for all of the batch.
  static Argument causal_mask(std::int64_t length) { return Weight{{length, length}, false}; }

  // x / 2 (1 + erf(x / sqrt 2))
  Tensor gelu(Tensor x) {
    const Tensor gate = scalar("Add", activation("Erf", scalar("Div", x)));
    return scalar("Mul", mul(x, gate));
  }
};

// Of a model that has learnt `most` positions.
inline void require_positions(const std::string& model, std::int64_t positions, std::int64_t most) {
  if (positions <= most) return;
  throw InputError(model, fmt::format("{} positions are asked for, the model has {}", positions, most));
}

}  // namespace corecast::graphs::models
