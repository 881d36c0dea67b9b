// GPT-2 small: Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, in Hugging Face's form, for
// inference. One network for two uses: reading a text, and one step of writing on with the keys and values stored of
// all positions before.
#pragma once

#include <string>
#include <utility>

#include "graphs/models/attention.hpp"

namespace corecast::graphs::models {

struct Gpt2 : AttentionBuilder {
  using AttentionBuilder::AttentionBuilder;

  static constexpr std::int64_t kWidth = 768;
  static constexpr std::int64_t kHeads = 12;

  // x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  Tensor tanh_gelu(Tensor x) {
    const Tensor cube = node("Pow", {x, Integers{{3}}}, shape(x));
    const Tensor inner = scalar("Mul", add(x, scalar("Mul", cube)));
    const Tensor gate = scalar("Add", activation("Tanh", inner));
    return mul(scalar("Mul", x), gate);
  }
  // Behind those of `stored` positions, {heads, stored, size}. The copy is what exports do at each step. Whoever goes
  // on generating wants it as an output as well; it is one result, made once.
  Tensor behind_stored(Tensor x, std::int64_t stored) {
    if (stored == 0) return x;
    const Tensor past = input({kHeads, stored, kWidth / kHeads});
    return concat({past, x}, 1);
  }
  // One product makes queries, keys and values. Three slices stand for the exports' Split into three: the same bytes.
  Tensor attention(Tensor x, std::int64_t stored) {
    const std::int64_t length = shape(x)[0];
    const Tensor all = linear(x, 3 * kWidth);
    const Tensor q = split(slice(all, 0, kWidth), kHeads);
    const Tensor k = behind_stored(split(slice(all, kWidth, 2 * kWidth), kHeads), stored);
    const Tensor v = behind_stored(split(slice(all, 2 * kWidth, 3 * kWidth), kHeads), stored);
    // One new position sees all.
    const auto mask = stored == 0 ? std::optional(causal_mask(length)) : std::nullopt;
    return linear(join(attend(q, k, v, mask)), kWidth);
  }
};

// `length` new positions behind `stored` ones.
inline WrittenModel gpt2_small(const BuildOptions& options, std::string name, std::int64_t length,
                               std::int64_t stored) {
  constexpr std::int64_t kVocabulary = 50257;
  constexpr std::int64_t kPositions = 1024;
  require_positions(name, length + stored, kPositions);
  Gpt2 b(options.batch, options.type);
  b.section("embeddings");
  const auto ids = b.input({length}, DataType::int64);
  const auto positions = b.input({length}, DataType::int64);
  const auto words = b.embedding(ids, kVocabulary, Gpt2::kWidth);
  auto x = b.add(words, b.embedding(positions, kPositions, Gpt2::kWidth));
  for (int layer = 0; layer < 12; ++layer) {
    b.section("layer" + std::to_string(layer));
    x = b.add(b.attention(b.layer_norm(x), stored), x);
    const auto hidden = b.tanh_gelu(b.linear(b.layer_norm(x), 4 * Gpt2::kWidth));
    x = b.add(b.linear(hidden, Gpt2::kWidth), x);
  }
  b.section("head");
  b.tied_head(b.layer_norm(x), kVocabulary);
  return b.finish(std::move(name));
}

}  // namespace corecast::graphs::models
