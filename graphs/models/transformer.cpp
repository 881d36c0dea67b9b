// Transformer, base: Vaswani et al., "Attention Is All You Need", arXiv 1706.03762, translating English to German, for
// inference with the whole target given (teacher forcing): encoder and decoder run once, over `sequence` tokens each.
// The form of the authors' tensor2tensor: no bias in the projections of attention. Sentences fill their length, so that
// only the decoder masks. The source and target embeddings and the logits share one table of 37000 tokens.
#include <string>

#include "graphs/models/attention.hpp"

namespace corecast::graphs::models {
namespace {

constexpr std::int64_t kWidth = 512;
constexpr std::int64_t kHeads = 8;
constexpr std::int64_t kVocabulary = 37000;

struct Transformer : AttentionBuilder {
  using AttentionBuilder::AttentionBuilder;

  // The table's rows times sqrt(width), and sines of the positions, which are constants.
  Tensor placed(Tensor words) {
    words = scalar("Mul", words);
    return node("Add", {words, Weight{shape(words), false}}, shape(words));
  }
  // Queries from x, keys and values from `memory`; normalised after the addition, as in the paper.
  Tensor attention(Tensor x, Tensor memory, const std::optional<Argument>& mask = std::nullopt) {
    const Tensor q = split(project(x, kWidth), kHeads);
    const Tensor k = split(project(memory, kWidth), kHeads);
    const Tensor v = split(project(memory, kWidth), kHeads);
    return layer_norm(add(project(join(attend(q, k, v, mask)), kWidth), x));
  }
  Tensor feed_forward(Tensor x) {
    const Tensor hidden = relu(linear(x, 2048));
    return layer_norm(add(linear(hidden, kWidth), x));
  }
};

}  // namespace

WrittenModel transformer(const BuildOptions& options) {
  const std::int64_t length = options.sequence.value();
  Transformer b(options.batch, options.type);
  b.section("source");
  const auto source = b.input({length}, DataType::int64);
  const auto target = b.input({length}, DataType::int64);
  auto x = b.placed(b.embedding(source, kVocabulary, kWidth));
  for (int layer = 0; layer < 6; ++layer) {
    b.section("encoder" + std::to_string(layer));
    x = b.feed_forward(b.attention(x, x));
  }
  b.section("target");
  auto y = b.placed(b.shared_embedding(target, kVocabulary, kWidth));
  for (int layer = 0; layer < 6; ++layer) {
    b.section("decoder" + std::to_string(layer));
    y = b.attention(y, y, Transformer::causal_mask(length));
    y = b.feed_forward(b.attention(y, x));
  }
  b.section("head");
  b.softmax(b.tied_head(y, kVocabulary));
  return b.finish("transformer");
}

}  // namespace corecast::graphs::models
