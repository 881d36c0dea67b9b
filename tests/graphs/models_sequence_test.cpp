// Sizes of the recommenders, sequence models and synthetic graphs against publications, or against sums made here by
// hand from a publication's dimensions. None of the numbers comes from our builders.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/error.hpp"
#include "graphs/builder.hpp"
#include "graphs/builtin.hpp"
#include "graphs/graph.hpp"
#include "graphs/metrics.hpp"
#include "graphs/written_model.hpp"
#include "tests/graphs/multiply_adds.hpp"

using namespace corecast;
using graphs::Builder;
using graphs::Graph;
using graphs::WrittenModel;

namespace {

struct Expected {
  const char* name;
  std::int64_t parameters;
  double multiply_adds;  // of one item of the batch, at the model's own sequence
};

constexpr std::int64_t dense(std::int64_t in, std::int64_t out) {
  return in * out + out;
}

// Products of n positions that see `keys` positions each, all heads together `width` wide.
constexpr double attended(double n, double keys, double width) {
  return 2.0 * n * keys * width;
}

// Weights of the products of a layer: of BERT and GPT-2, 4 d d and 2 d 4 d; of TinyLlama, queries and result, keys and
// values, three of the feed-forward part.
constexpr double kBertLayer = 12.0 * 768 * 768;
constexpr double kLlamaLayer = 2.0 * 2048 * 2048 + 2.0 * 2048 * 256 + 3.0 * 2048 * 5632;

constexpr std::array kExpected{
    // Parameters: 31832577 stands in public scripts that train MLPerf's NCF with compressed gradients. Sum: 138493 + 26744
    // rows of 64 + 128, layers 256-256-128-64, and 64 + 64 to 1.
    Expected{"ncf", 31'832'577, 256.0 * 256 + 256 * 128 + 128 * 64 + 128},
    // Sum from github.com/IntelAI/models, wide_deep_large_ds: 26 tables of 1000 rows, 32 wide for the deep part and 1
    // wide for the wide part, whose bias is one; 13 + 26 * 32 = 845 into 1024-512-256-1.
    Expected{"wide_deep",
             26 * 1000 * (32 + 1) + 1 + dense(845, 1024) + dense(1024, 512) + dense(512, 256) + dense(256, 1),
             845.0 * 1024 + 1024 * 512 + 512 * 256 + 256},
    // Paper: 540 M. The Kaggle tables have 33,762,577 rows in all. 27 vectors have 27 * 26 / 2 = 351 pairs, 367 numbers
    // with the dense one; their products are made in full, 27 x 27.
    Expected{"dlrm",
             33'762'577 * 16 + dense(13, 512) + dense(512, 256) + dense(256, 64) + dense(64, 16) +
                 dense(367, 512) + dense(512, 256) + dense(256, 1),
             13.0 * 512 + 512 * 256 + 256 * 64 + 64 * 16 + 27 * 27 * 16 + 367 * 512 + 512 * 256 + 256},
    // Sum from the paper's table 3 (which says 65 M; this sum is widely noted to be 63 M): the table of 37000 x 512, 6
    // encoder layers of 4 d d, feed-forward with bias and 2 normalisations, 6 decoder layers of 8 d d and 3.
    Expected{
        "transformer",
        37000 * 512 + 6 * (4 * 512 * 512 + dense(512, 2048) + dense(2048, 512) + 2 * 1024) +
            6 * (8 * 512 * 512 + dense(512, 2048) + dense(2048, 512) + 3 * 1024),
        128.0 * (6 * (12 * 512 * 512 + 2.0 * 512 * 2048 * 2) + 37000 * 512) + 18 * attended(128, 128, 512)},
    // Parameters: Hugging Face's BertModel, bert-base-uncased. Multiply-adds: half of the 22.5 G flop of TinyBERT's
    // table 1 (arXiv 1909.10351), one sequence of 128.
    Expected{"bert_base", 109'482'240, 22.5e9 / 2},
    // Parameters: Hugging Face's GPT2Model, gpt2 (124 M in the authors' repository). The head is the table of words.
    Expected{"gpt2", 124'439'808, 12 * (128 * kBertLayer + attended(128, 128, 768)) + 128.0 * 768 * 50257},
    Expected{"gpt2_decode", 124'439'808, 12 * (kBertLayer + attended(1, 513, 768)) + 768.0 * 50257},
    // Parameters: 1.1 B in the paper. Sum from its table 1: two tables of 32000 x 2048, 22 layers of 44,040,192 weights
    // (kLlamaLayer) and two scales of 2048, one scale at the end.
    Expected{"llama_1b_decode", 1'100'048'384, 22 * (kLlamaLayer + attended(1, 513, 2048)) + 2048.0 * 32000},
    // Paper: 66 M parameters. Sum: 10000 words of 1500, twice four gates of 1500 from 1500 and 1500 with two biases,
    // and the words again with bias. 35 steps.
    Expected{"lstm", 10000 * 1500 + 2 * (2 * dense(1500, 4 * 1500)) + dense(1500, 10000),
             35.0 * (2 * 4 * 1500 * 3000 + 1500 * 10000)},
    // By construction.
    Expected{"fc_512", 8 * dense(512, 512), 8.0 * 512 * 512},
    Expected{"fc_4k", 4 * dense(4096, 4096), 4.0 * 4096 * 4096},
    Expected{"matmul_512", 0, 8.0 * 512 * 512 * 512},
    Expected{"matmul_4k", 0, 4.0 * 4096 * 4096 * 4096},
    Expected{"fork_join", 4 * 4 * 2 * 512 * 512, 4.0 * 4 * 2 * 128 * 512 * 512},
};

using test::multiply_adds;

Graph with_sequence(const std::string& name, std::int64_t sequence) {
  return graphs::write_model(name, {.batch = 1, .sequence = sequence, .type = DataType::fp32}).graph;
}

}  // namespace

TEST_CASE("recommenders, sequence models and chains have the expected parameters and multiply-adds") {
  for (const Expected& expected : kExpected) {
    CAPTURE(expected.name);
    const Graph graph = graphs::build_model(expected.name);
    CHECK(graph.total_parameters() == expected.parameters);
    CHECK(multiply_adds(graph) == doctest::Approx(expected.multiply_adds).epsilon(0.01));
  }
}

// What the publications round, so that a slip in a sum above would show.
TEST_CASE("sums made by hand are near the published parameters") {
  const auto millions = [](const char* name) {
    return static_cast<double>(graphs::build_model(name).total_parameters()) / 1e6;
  };
  CHECK(millions("dlrm") == doctest::Approx(540).epsilon(0.01));
  CHECK(millions("lstm") == doctest::Approx(66).epsilon(0.01));
  CHECK(millions("transformer") == doctest::Approx(65).epsilon(0.04));
}

TEST_CASE("eight items are exactly eight times the work of one") {
  for (const graphs::BuiltinModel& model : graphs::builtin_models()) {
    if (model.group == "cnn") continue;
    CAPTURE(model.name);
    const Graph one = graphs::build_model(model.name, 1);
    const Graph eight = graphs::build_model(model.name, 8);
    CHECK(eight.total_flops().value() == doctest::Approx(8.0 * one.total_flops().value()).epsilon(1e-12));
    CHECK(eight.total_parameters() == one.total_parameters());
  }
}

TEST_CASE("tensors of a model have names of their own") {
  for (const graphs::BuiltinModel& model : graphs::builtin_models()) {
    CAPTURE(model.name);
    const WrittenModel written = graphs::write_model(model.name);
    std::set<std::string> made;
    for (const auto& input : written.inputs) CHECK(made.insert(input.name).second);
    for (const auto& node : written.nodes) {
      for (const auto& output : node.outputs) CHECK(made.insert(output.name).second);
      for (const auto& input : node.inputs) {
        if (input.constant) CHECK(made.insert(input.name).second);
      }
    }
  }
}

TEST_CASE("a longer text is more work with the same parameters") {
  // Twice the text is twice the products with weights and four times those of attention; half the steps are half.
  const auto ratio = [](const char* name, std::int64_t longer, std::int64_t shorter) {
    const Graph a = with_sequence(name, longer);
    const Graph b = with_sequence(name, shorter);
    CHECK(a.total_parameters() == b.total_parameters());
    return multiply_adds(a) / multiply_adds(b);
  };
  const double weights = 12 * 128 * kBertLayer;
  const double scores = 12 * attended(128, 128, 768);
  const double pooler = 768.0 * 768;
  CHECK(ratio("bert_base", 256, 128) ==
        doctest::Approx((2 * weights + 4 * scores + pooler) / (weights + scores + pooler)).epsilon(1e-9));
  CHECK(ratio("transformer", 256, 128) > 2.0);
  CHECK(ratio("gpt2", 256, 128) > 2.0);
  CHECK(ratio("lstm", 70, 35) == doctest::Approx(2.0));
}

TEST_CASE("stored positions cost bytes, not products with weights") {
  // Keys and values of 256 more positions: 22 layers, 4 heads of 64, fp32. Both are copied (read and written) and then
  // read by their product; keys are transposed in between, the scores come on top.
  const Graph few = with_sequence("llama_1b_decode", 256);
  const Graph many = with_sequence("llama_1b_decode", 512);
  CHECK(multiply_adds(many) - multiply_adds(few) == doctest::Approx(22 * attended(1, 256, 2048)));
  const double keys = 22.0 * 256 * (4 * 64) * 4;
  CHECK((many.total_traffic() - few.total_traffic()).value() > keys * (5 + 3));
  CHECK((many.total_traffic() - few.total_traffic()).value() < keys * (5 + 3) * 2);
  // One token reads all weights but those of the table of words.
  CHECK(few.total_traffic().value() > 4.0 * (1'100'048'384 - 32000 * 2048));
  // Half a flop for each byte: far below what any CPU needs to be busy.
  CHECK(few.total_flops().value() / few.total_traffic().value() < 0.6);
}

TEST_CASE("more positions than a model has learnt are refused") {
  CHECK_THROWS_WITH_AS((void)with_sequence("bert_base", 513),
                       "bert_base: 513 positions are asked for, the model has 512", InputError);
  CHECK_THROWS_AS((void)with_sequence("gpt2", 1025), InputError);
  CHECK_THROWS_AS((void)with_sequence("gpt2_decode", 1024), InputError);
  CHECK_THROWS_AS((void)with_sequence("llama_1b_decode", 2048), InputError);
  CHECK_NOTHROW((void)with_sequence("gpt2_decode", 1023));
}

TEST_CASE("lookups stand side by side") {
  // Two users' and two items' tables.
  CHECK(graphs::measure(graphs::build_model("ncf")).max_width == 4);
  // 26 tables, and the dense part beside them.
  CHECK(graphs::measure(graphs::build_model("dlrm")).max_width == 27);
  // 26 tables of the deep part. Rows of the wide part are one number each, less than the index that picks them, which
  // is not what makes a lookup heavy.
  CHECK(graphs::measure(graphs::build_model("wide_deep")).max_width == 26);
}

TEST_CASE("synthetic graphs have the width they are made for") {
  const graphs::Metrics chain = graphs::measure(graphs::build_model("matmul_512"));
  CHECK(chain.heavy == 8);
  CHECK(chain.max_width == 1);
  const graphs::Metrics fork = graphs::measure(graphs::build_model("fork_join"));
  CHECK(fork.heavy == 32);
  CHECK(fork.average_width == 4.0);
  CHECK(fork.max_width == 4);
  const graphs::Metrics random = graphs::measure(graphs::build_model("random_dag"));
  CHECK(random.heavy == 32);
  CHECK(random.heavy_levels == 8);
  CHECK(random.average_width == 4.0);
  CHECK(random.max_width >= 4);
  CHECK(graphs::build_model("random_dag") == graphs::build_model("random_dag"));
}

TEST_CASE("a recurrent layer sees its steps in front of the batch") {
  const WrittenModel model = graphs::write_model("lstm", {.batch = 3, .sequence = 5, .type = DataType::fp32});
  const auto index = model.graph.find("layer0/LSTM");
  REQUIRE(index.has_value());
  CHECK(model.nodes[index->value()].inputs[0].shape == graphs::Shape{5, 3, 1500});
  CHECK(model.graph.op(*index).output_shape == graphs::Shape{5, 1, 3, 1500});
  CHECK(model.graph.op(*index).work.steps == 5);
  REQUIRE(model.outputs.size() == 1);
  CHECK(model.outputs[0].shape == graphs::Shape{3, 5, 10000});
}

TEST_CASE("whole numbers are constants, not parameters") {
  Builder b(2);
  const auto x = b.input({4, 6});
  b.node("Slice", {x, Builder::Integers{{1}}, Builder::Integers{{3}}, Builder::Integers{{1}}}, {2, 6});
  const WrittenModel model = b.finish("slice");
  const graphs::TensorView& begin = model.nodes[0].inputs[1];
  CHECK(begin.type == DataType::int64);
  CHECK(begin.constant);
  CHECK(begin.shape == graphs::Shape{1});
  CHECK(begin.integers == std::vector<std::int64_t>{1});
  CHECK(model.graph.total_parameters() == 0);
  CHECK(model.graph.op(OpIndex(0)).output_shape == graphs::Shape{2, 2, 6});
}
