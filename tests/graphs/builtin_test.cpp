#include "graphs/builtin.hpp"

#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "graphs/builder.hpp"
#include "graphs/graph_json.hpp"
#include "graphs/metrics.hpp"
#include "tests/graphs/multiply_adds.hpp"

using namespace corecast;
using graphs::Builder;
using graphs::Graph;
using graphs::Shape;

namespace {

using test::multiply_adds;

}  // namespace

TEST_CASE("a convolution keeps, halves and groups as its options say") {
  Builder b(2);
  const auto x = b.input({6, 9, 9});
  CHECK(b.shape(b.conv(x, 4, 3, {.padding = 1})) == Shape{4, 9, 9});
  CHECK(b.shape(b.conv(x, 4, 3, {.stride = 2})) == Shape{4, 4, 4});  // (9 - 3) / 2 + 1
  CHECK(b.shape(b.conv(x, 4, {1, 7}, {.padding = {0, 3}})) == Shape{4, 9, 9});
  CHECK(b.shape(b.conv(x, 6, 3, {.padding = 1, .groups = 6, .bias = true})) == Shape{6, 9, 9});
  const Graph graph = b.finish("convs").graph;
  CHECK(graph.batch == 2);
  CHECK(graph.op(OpIndex(0)).name == "Conv");
  CHECK(graph.op(OpIndex(1)).name == "Conv_1");
  CHECK(graph.op(OpIndex(0)).parameters == 4 * 6 * 9);
  CHECK(graph.op(OpIndex(3)).parameters == 6 * 9 + 6);
  CHECK(graph.op(OpIndex(3)).kernel == KernelClass::conv_depthwise);
  CHECK(graph.op(OpIndex(0)).work.flops ==
        Flops(2.0 * 2 * 81 * 4 * 6 * 9));  // 2 images, 81 pixels, 4 x 6 x 9 weights
  CHECK(graph.op(OpIndex(0)).output_shape == Shape{2, 4, 9, 9});
}

TEST_CASE("a built-in model is looked up by name without being built") {
  for (const auto& model : graphs::builtin_models()) CHECK(graphs::find_builtin(model.name) == &model);
  CHECK(graphs::find_builtin("bert_base")->sequence == 128);
  CHECK(graphs::find_builtin("") == nullptr);
  CHECK(&graphs::builtin_named("alexnet") == graphs::find_builtin("alexnet"));
  CHECK_THROWS_WITH_AS((void)graphs::builtin_named("alexnett"),
                       "no built-in model is named \"alexnett\" (did you mean \"alexnet\"?)", InputError);
}

TEST_CASE("a pool that rounds up leaves out a window that begins in the padding") {
  Builder b;
  const auto x = b.input({1, 6, 6});
  CHECK(b.shape(b.max_pool(x, 3, {.stride = 2})) == Shape{1, 2, 2});  // (6 - 3) / 2 + 1 = 2.5
  CHECK(b.shape(b.max_pool(x, 3, {.stride = 2, .round_up = true})) == Shape{1, 3, 3});
  const auto y = b.input({1, 5, 5});
  // (5 + 2 - 2) / 3 + 1 = 2.67, but a third window would begin at 6 of 0..5 image and left padding.
  CHECK(b.shape(b.max_pool(y, 2, {.stride = 3, .padding = 1, .round_up = true})) == Shape{1, 2, 2});
}

TEST_CASE("tensors carry their bytes along the edges, once for each reader") {
  Builder b;
  const auto x = b.relu(b.input({8}));
  b.add(x, x);
  const Graph graph = b.finish("double").graph;
  CHECK(graph.connections() ==
        std::vector<graphs::Connection>{{OpIndex(0), OpIndex(1), Bytes(32.0)}});  // 8 values of 4 bytes
}

TEST_CASE("an attention layer can be written down") {
  // 2 heads of 4 over 3 positions: scores 2 x 3 x 4 x 3, values 2 x 3 x 3 x 4.
  Builder b;
  b.section("attention");
  const auto ids = b.input({3}, DataType::int64);
  const auto x = b.layer_norm(b.embedding(ids, 100, 8));
  const auto heads = [&](std::vector<std::int64_t> order) {
    return b.transpose(b.reshape(b.add_bias(b.project(x, 8)), {3, 2, 4}), order);
  };
  const auto q = heads({1, 0, 2});
  const auto k = heads({1, 2, 0});
  const auto v = heads({1, 0, 2});
  const auto scores = b.matmul(q, k);
  CHECK(b.shape(scores) == Shape{2, 3, 3});
  const auto mixed = b.matmul(b.softmax(scores), v);
  const auto joined = b.reshape(b.transpose(mixed, {1, 0, 2}), {3, 8});
  b.add(b.project(joined, 8), x);
  const Graph graph = b.finish("attention").graph;
  // Table 800, normalisation 16, three projections with bias 72 each, the last without 64.
  CHECK(graph.total_parameters() == 800 + 16 + 3 * 72 + 64);
  CHECK(graph.op(*graph.find("attention/MatMul_3")).work.flops == Flops(2.0 * 2 * 3 * 4 * 3));
  for (std::size_t i = 0; i < graph.size(); ++i) CHECK(graph.op(OpIndex(i)).understood);
}

TEST_CASE("an unknown model is refused with the nearest name") {
  CHECK_THROWS_WITH_AS((void)graphs::build_model("inception_v4"),
                       "no built-in model is named \"inception_v4\" (did you mean \"inception_v3\"?)",
                       InputError);
  CHECK_THROWS_AS((void)graphs::build_model("inception_v3", 0), InputError);
}

TEST_CASE("every built-in model is sound, understood, and scales with its batch") {
  for (const graphs::BuiltinModel& model : graphs::builtin_models()) {
    CAPTURE(model.name);
    const Graph one = graphs::build_model(model.name);
    const Graph eight = graphs::build_model(model.name, 8);
    CHECK(one.name == model.name);
    CHECK(one.notes.empty());
    CHECK(graphs::parse_graph_json(graphs::to_json_text(one), model.name) == one);
    CHECK(one.topological_order().size() == one.size());
    CHECK(eight.total_parameters() == one.total_parameters());
    CHECK(eight.total_flops().value() == doctest::Approx(8.0 * one.total_flops().value()));
    for (std::size_t i = 0; i < one.size(); ++i) CHECK(one.op(OpIndex(i)).understood);
  }
}

TEST_CASE("inception v3 has the published size") {
  const Graph graph = graphs::build_model("inception_v3");
  // torchvision: 27,161,264 parameters with the auxiliary head. That head is a 1x1 convolution 768 -> 128 and
  // a 5x5 convolution 128 -> 768, each with a normalisation, and a dense layer 768 -> 1000:
  const std::int64_t auxiliary = 768 * 128 + 2 * 128 + 128 * 768 * 25 + 2 * 768 + 768 * 1000 + 1000;
  CHECK(graph.total_parameters() == 27'161'264 - auxiliary);
  // torchvision: 5.713 G multiply-adds of convolutions and the dense layer.
  CHECK(multiply_adds(graph) == doctest::Approx(5.713e9).epsilon(0.01));
}

TEST_CASE("inception v3 has the structure of its paper") {
  const graphs::Metrics m = graphs::measure(graphs::build_model("inception_v3"));
  // Convolutions: stem 5, three blocks of 7, one of 4, four of 10, one of 6, two of 9: 94; one dense layer.
  CHECK(m.heavy == 95);
  // Longest path of them: stem 5, then 3 each of 5b 5c 5d 6a, 5 each of 6b 6c 6d 6e, 4 of 7a, 3 each of 7b
  // 7c, dense 1.
  CHECK(m.heavy_levels == 5 + 4 * 3 + 4 * 5 + 4 + 2 * 3 + 1);
  CHECK(m.average_width == doctest::Approx(95.0 / 48.0));
  // The last blocks fork into 1, 2, 2 and 1 convolutions side by side.
  CHECK(m.max_width == 6);
}
