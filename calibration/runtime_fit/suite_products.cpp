#include <fmt/format.h>

#include <array>

#include "calibration/runtime_fit/suite_parts.hpp"

namespace corecast::runtime_fit {
namespace {

struct Product {
  std::int64_t m, k, n;
};

double flop_of(const Product& p) {
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.k) * static_cast<double>(p.n);
}

double weights_of(const Product& p) {
  return 4.0 * static_cast<double>(p.k) * static_cast<double>(p.n);
}

// {m, k} to {m, n} and back, with weights of their own.
void there_and_back(SuiteWriter& suite, const Product& p, int pairs, const std::string& name) {
  suite.chain(name, "MatMul", {p.m, p.k}, 2 * pairs,
              [&](Builder& b, Tensor x, int i) { return b.project(x, i % 2 == 0 ? p.n : p.k); });
}

void add_pair(SuiteWriter& suite, const Product& p) {
  const int links = SuiteWriter::links(flop_of(p), weights_of(p));
  there_and_back(suite, p, std::max(1, links / 2), fmt::format("gemm_{}x{}x{}", p.m, p.k, p.n));
}

// Weights of more than any last-level cache of today's servers' cores holds, a few times over.
void add_cold(SuiteWriter& suite, const Product& p) {
  there_and_back(suite, p, 4, fmt::format("gemm_cold_{}x{}x{}", p.m, p.k, p.n));
}

// Scores and their product with the values, over `heads`; no weights.
void add_attention(SuiteWriter& suite, std::int64_t heads, std::int64_t rows, std::int64_t width) {
  const std::string name = fmt::format("gemm_heads_{}x{}x{}", heads, rows, width);
  Builder b(1);
  const Tensor keys = b.relu(b.input({heads, width, rows}));
  const Tensor values = b.relu(b.input({heads, rows, width}));
  Tensor x = b.relu(b.input({heads, rows, width}));
  for (int i = 0; i < 3; ++i) {
    // A softmax between keeps the numbers in their range.
    const Tensor scores = b.softmax(b.matmul(x, keys));
    x = b.matmul(scores, values);
  }
  (void)first_element(b, x);
  suite.add(name, "MatMul", b.finish(name));
}

// Both sides from outside: nothing can be packed before the call.
void add_activations(SuiteWriter& suite, std::int64_t rows, std::int64_t width) {
  const std::string name = fmt::format("gemm_both_{}x{}x{}", rows, width, width);
  Builder b(1);
  const Tensor right = b.relu(b.input({width, width}));
  Tensor x = b.relu(b.input({rows, width}));
  for (int i = 0; i < 5; ++i) x = b.matmul(x, right);
  (void)first_element(b, x);
  suite.add(name, "MatMul", b.finish(name));
}

void add_gemm(SuiteWriter& suite, std::int64_t rows, std::int64_t from, std::int64_t to) {
  const std::string name = fmt::format("gemm_bias_{}x{}x{}", rows, from, to);
  suite.chain(
      name, "Gemm", {from}, 6,
      [&](Builder& b, Tensor x, int i) { return b.dense(x, i % 2 == 0 ? to : from); }, rows);
}

void add_eight_bit(SuiteWriter& suite, const Product& p) {
  std::vector<Case> plain;
  SuiteWriter writer(plain);
  const std::string name = fmt::format("qlinear_matmul_{}x{}x{}", p.m, p.k, p.n);
  writer.chain(name, "MatMul", {p.m, p.k}, 6,
               [&](Builder& b, Tensor x, int i) { return b.project(x, i % 2 == 0 ? p.n : p.k); });
  suite.add_quantized(name, "QLinearMatMul", plain.front().model);
}

}  // namespace

void add_products(SuiteWriter& suite) {
  // Around the size from which a product is cut: 2^16 multiplications a part.
  for (const Product& p :
       {Product{16, 40, 56}, Product{32, 40, 48}, Product{36, 48, 56}, Product{48, 64, 72}})
    add_pair(suite, p);
  for (const std::int64_t m : {1, 2, 4, 10, 20, 48, 112, 240, 448}) add_pair(suite, {m, 152, 600});
  for (const std::int64_t m : {1, 3, 12, 56, 176}) add_pair(suite, {m, 328, 1272});
  // Rows a multiple of 1, 2 and 4 KiB apart, and nearly so.
  for (const Product& p :
       {Product{192, 256, 256}, Product{192, 264, 248}, Product{192, 512, 384}, Product{192, 520, 376},
        Product{96, 1024, 1024}, Product{96, 1000, 1040}, Product{320, 1024, 640}, Product{80, 2048, 512},
        Product{80, 2072, 504}, Product{24, 1024, 2048}, Product{640, 768, 640}, Product{8, 1024, 1024}})
    add_pair(suite, p);
  for (const Product& p : {Product{900, 900, 900}, Product{1400, 96, 96}, Product{56, 56, 3000}})
    add_pair(suite, p);
  for (const std::int64_t m : {1, 2, 6, 24, 72}) add_cold(suite, {m, 1800, 3400});
  add_attention(suite, 10, 160, 48);
  add_attention(suite, 10, 88, 80);
  add_attention(suite, 6, 320, 56);
  add_activations(suite, 400, 400);
  add_activations(suite, 40, 640);
  add_activations(suite, 640, 768);
  add_activations(suite, 300, 1024);
  add_activations(suite, 96, 128);
  add_gemm(suite, 1, 800, 1200);
  add_gemm(suite, 20, 480, 640);
  add_gemm(suite, 144, 320, 560);
  for (const Product& p : {Product{1, 600, 1240}, Product{6, 600, 1240}, Product{20, 320, 1240},
                           Product{72, 320, 640}, Product{200, 320, 1240}, Product{320, 600, 600}})
    add_eight_bit(suite, p);
}

void add_recurrent(SuiteWriter& suite) {
  struct Layer {
    std::int64_t steps, batch, width;
  };
  const auto add = [&](const char* type, std::int64_t gates, const Layer& l) {
    const std::string name = fmt::format("{}_{}x{}x{}", type, l.steps, l.batch, l.width);
    Builder b(l.batch);
    using Whole = Builder::Whole;
    const Whole whole({l.steps, l.batch, l.width});
    Tensor x = b.input({l.steps, l.width});
    x = b.node("Transpose", {x}, whole, {{"perm", Shape{1, 0, 2}}});
    for (int i = 0; i < 2; ++i) {
      const Builder::Weight weight{{1, gates * l.width, l.width}};
      x = b.node(type, {x, weight, weight, Builder::Weight{{1, 2 * gates * l.width}}},
                 Whole({l.steps, 1, l.batch, l.width}), {{"hidden_size", l.width}});
      x = b.node("Squeeze", {x, Builder::Integers{{1}}}, whole);
    }
    (void)b.node(
        "Slice",
        {x, Builder::Integers{{0, 0, 0}}, Builder::Integers{{1, 1, 1}}, Builder::Integers{{0, 1, 2}}},
        Whole({1, 1, 1}));
    suite.add(name, type, b.finish(name));
  };
  for (const Layer& l : {Layer{40, 1, 40}, Layer{40, 1, 96}, Layer{24, 1, 320}, Layer{24, 4, 320},
                         Layer{12, 20, 320}, Layer{12, 1, 640}, Layer{10, 1, 1160}, Layer{6, 8, 640}})
    add("LSTM", 4, l);
  for (const Layer& l : {Layer{40, 1, 96}, Layer{24, 1, 320}, Layer{24, 4, 320}, Layer{8, 1, 800}})
    add("GRU", 3, l);
}

}  // namespace corecast::runtime_fit
