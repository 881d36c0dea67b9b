// TinyLlama 1.1B: Zhang et al., "TinyLlama: An Open-Source Small Language Model", arXiv 2401.02385; Llama 2's
// architecture. One token behind `sequence` positions whose keys and values are stored. The weights are read once for
// it: bound by memory bandwidth.
//
// Where exports differ: they repeat keys and values for the eight heads of queries that share them; here the queries of
// a group are the rows of one product, as kernels for grouped queries do it.
#include <string>

#include "graphs/models/attention.hpp"

namespace corecast::graphs::models {
namespace {

constexpr std::int64_t kWidth = 2048;
constexpr std::int64_t kGroups = 4;  // heads of keys and values
constexpr std::int64_t kSize = 64;   // of a head

struct Llama : AttentionBuilder {
  using AttentionBuilder::AttentionBuilder;

  // x / sqrt(mean of x^2 + epsilon) * scale
  Tensor rms_norm(Tensor x) {
    const Tensor square = node("Pow", {x, Integers{{2}}}, shape(x));
    const Tensor mean = node("ReduceMean", {square}, {1, 1}, {{"axes", Shape{-1}}});
    const Tensor root = activation("Sqrt", scalar("Add", mean));
    return node("Mul", {node("Div", {x, root}, shape(x)), Weight{{kWidth}}}, shape(x));
  }
  // x cos + (-second half, first half) sin, over the size of a head. Both are constants: the position is known.
  Tensor rotary(Tensor x) {
    const Tensor straight = node("Mul", {x, Weight{{kSize}, false}}, shape(x));
    const Tensor back = activation("Neg", slice(x, kSize / 2, kSize));
    const Tensor turned = concat({back, slice(x, 0, kSize / 2)}, 2);
    return add(straight, node("Mul", {turned, Weight{{kSize}, false}}, shape(x)));
  }
  // {1, heads * size} to {groups, heads of a group, size}: of one position a reshape will do.
  Tensor grouped(Tensor x) { return reshape(x, {kGroups, shape(x)[1] / (kGroups * kSize), kSize}); }
  Tensor behind_stored(Tensor x, std::int64_t stored) {
    const Tensor past = input({kGroups, stored, kSize});
    return concat({past, x}, 1);
  }
  Tensor attention(Tensor x, std::int64_t stored) {
    const Tensor q = rotary(grouped(project(x, kWidth)));
    const Tensor k = behind_stored(rotary(grouped(project(x, kGroups * kSize))), stored);
    const Tensor v = behind_stored(grouped(project(x, kGroups * kSize)), stored);
    return project(reshape(attend(q, k, v), {1, kWidth}), kWidth);
  }
  // SwiGLU
  Tensor feed_forward(Tensor x) {
    const Tensor gate = project(x, 5632);
    const Tensor swish = mul(gate, activation("Sigmoid", gate));
    const Tensor up = project(x, 5632);
    return project(mul(swish, up), kWidth);
  }
};

}  // namespace

WrittenModel llama_1b_decode(const BuildOptions& options) {
  constexpr std::int64_t kVocabulary = 32000;
  const std::int64_t stored = options.sequence.value();
  require_positions("llama_1b_decode", stored + 1, 2048);
  Llama b(options.batch, options.type);
  b.section("embeddings");
  auto x = b.embedding(b.input({1}, DataType::int64), kVocabulary, kWidth);
  for (int layer = 0; layer < 22; ++layer) {
    b.section("layer" + std::to_string(layer));
    x = b.add(b.attention(b.rms_norm(x), stored), x);
    x = b.add(b.feed_forward(b.rms_norm(x)), x);
  }
  b.section("head");
  b.project(b.rms_norm(x), kVocabulary);
  return b.finish("llama_1b_decode");
}

}  // namespace corecast::graphs::models
