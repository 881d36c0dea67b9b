// BERT base, uncased: Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers", arXiv 1810.04805, the
// encoder with its pooler as in Hugging Face's BertModel (vocabulary of 30522), for inference.
#include <string>

#include "graphs/models/attention.hpp"

namespace corecast::graphs::models {
namespace {

constexpr std::int64_t kWidth = 768;

}  // namespace

WrittenModel bert_base(const BuildOptions& options) {
  const std::int64_t length = options.sequence.value();
  require_positions("bert_base", length, 512);
  AttentionBuilder b(options.batch, options.type);
  b.section("embeddings");
  const auto words = b.input({length}, DataType::int64);
  const auto segments = b.input({length}, DataType::int64);
  const auto positions = b.input({length}, DataType::int64);
  // 0, or a large negative number behind the end of a text. Exports make it of zeros and ones first.
  const auto mask = b.input({1, 1, length});
  const auto word = b.embedding(words, 30522, kWidth);
  const auto segment = b.embedding(segments, 2, kWidth);
  const auto sum = b.add(word, segment);
  auto x = b.layer_norm(b.add(sum, b.embedding(positions, 512, kWidth)));
  for (int layer = 0; layer < 12; ++layer) {
    b.section("layer" + std::to_string(layer));
    const auto q = b.split(b.linear(x, kWidth), 12);
    const auto k = b.split(b.linear(x, kWidth), 12);
    const auto v = b.split(b.linear(x, kWidth), 12);
    const auto attended = b.linear(b.join(b.attend(q, k, v, mask)), kWidth);
    x = b.layer_norm(b.add(attended, x));
    const auto hidden = b.gelu(b.linear(x, 4 * kWidth));
    x = b.layer_norm(b.add(b.linear(hidden, kWidth), x));
  }
  b.section("pooler");
  using Integers = Builder::Integers;
  const auto first = b.node("Slice", {x, Integers{{0}}, Integers{{1}}, Integers{{1}}}, {1, kWidth});
  b.activation("Tanh", b.dense(b.reshape(first, {kWidth}), kWidth));
  return b.finish("bert_base");
}

}  // namespace corecast::graphs::models
