#include "graphs/training.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "graphs/builder.hpp"
#include "graphs/builtin.hpp"
#include "graphs/graph_json.hpp"
#include "graphs/metrics.hpp"

using namespace corecast;
using graphs::Builder;
using graphs::Graph;
using graphs::MatrixShape;
using graphs::Operator;
using graphs::training_step;
using graphs::WrittenModel;
using Weight = Builder::Weight;
using Names = std::vector<std::string>;

namespace {

const Operator& op(const Graph& graph, const std::string& name) {
  const auto found = graph.find(name);
  REQUIRE_MESSAGE(found, name);
  return graph.op(*found);
}

// What an operator waits for, with the bytes that flow.
Names waits_for(const Graph& graph, const std::string& name) {
  const auto to = graph.find(name);
  REQUIRE_MESSAGE(to, name);
  Names names;
  for (const graphs::Connection& c : graph.connections()) {
    if (c.to == *to)
      names.push_back(graph.op(c.from).name + " " + std::to_string(std::lround(c.bytes.value())));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::int64_t count(const Graph& graph, const std::string& type) {
  std::int64_t n = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) n += graph.op(OpIndex(i)).type == type ? 1 : 0;
  return n;
}

bool is_product(const Operator& op) {
  return op.matrix.has_value();
}

double products(const Graph& graph, bool gradients) {
  double flop = 0.0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Operator& o = graph.op(OpIndex(i));
    if (is_product(o) && graphs::is_gradient(o) == gradients) flop += o.work.flops.value();
  }
  return flop;
}

// Elements updated: an update is 4 flop for each.
double updated(const Graph& graph) {
  double elements = 0.0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Operator& o = graph.op(OpIndex(i));
    if (o.type == "MomentumUpdate") elements += o.work.flops.value() / 4.0;
  }
  return elements;
}

WrittenModel dense_chain(int layers, std::int64_t batch = 2) {
  Builder b(batch);
  auto x = b.input({8});
  for (int i = 0; i < layers; ++i) x = b.relu(b.dense(x, 8));
  return b.finish("chain");
}

}  // namespace

TEST_CASE("two dense layers: every operator of the step, its flop and what it waits for") {
  Builder b(2);
  b.dense(b.relu(b.dense(b.input({3}), 4)), 5);
  const WrittenModel model = b.finish("two");
  const Graph g = training_step(model);
  CHECK(g.name == "two_training");
  CHECK(g.batch == 2);
  CHECK(g.notes.empty());
  CHECK(g.total_parameters() == 3 * 4 + 4 + 4 * 5 + 5);
  // Forward 3: Gemm, Relu, Gemm_1; loss; Gemm_1: data, weights, bias, update; Relu; Gemm: weights, bias, update.
  CHECK(g.size() == 3 + 1 + 4 + 1 + 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(g.op(OpIndex(i)) == model.graph.op(OpIndex(i)));

  CHECK(op(g, "loss/Gemm_1").work.flops == Flops(10.0 * 16));                // softmax 14, label and scale 2
  CHECK(op(g, "loss/Gemm_1").work.activations_read == Bytes(40.0 + 2 * 8));  // results and two labels
  CHECK(waits_for(g, "loss/Gemm_1") == Names{"Gemm_1 40"});

  const Operator& data = op(g, "grad/Gemm_1/data");
  CHECK(data.type == "GemmGradData");
  CHECK(data.kernel == KernelClass::gemm);
  CHECK(data.work.flops == Flops(2.0 * 2 * 4 * 5));
  CHECK(*data.matrix == MatrixShape{1, 2, 4, 5});  // dy 2 x 5 by w^T 5 x 4
  CHECK(data.work.activations_read == Bytes(40.0));
  CHECK(data.work.weights_read == Bytes(80.0));
  CHECK(data.work.written == Bytes(32.0));
  CHECK(waits_for(g, "grad/Gemm_1/data") == Names{"loss/Gemm_1 40"});

  const Operator& weights = op(g, "grad/Gemm_1/weights");
  CHECK(weights.type == "GemmGradWeights");
  CHECK(weights.work.flops == Flops(2.0 * 2 * 4 * 5));
  CHECK(*weights.matrix == MatrixShape{1, 5, 4, 2});  // stored as 5 x 4: dy^T 5 x 2 by x 2 x 4
  CHECK(weights.output_shape == graphs::Shape{5, 4});
  CHECK(weights.work.activations_read == Bytes(40.0 + 32.0));
  CHECK(weights.work.weights_read == Bytes(0.0));
  CHECK(weights.work.written == Bytes(80.0));
  CHECK(waits_for(g, "grad/Gemm_1/weights") == Names{"Relu 32", "loss/Gemm_1 40"});

  CHECK(op(g, "grad/Gemm_1/bias").kernel == KernelClass::reduce);
  CHECK(op(g, "grad/Gemm_1/bias").work.flops == Flops(10.0));
  CHECK(waits_for(g, "grad/Gemm_1/bias") == Names{"loss/Gemm_1 40"});

  const Operator& update = op(g, "update/Gemm_1");
  CHECK(update.type == "MomentumUpdate");
  CHECK(update.parameters == 0);  // they are the forward operator's
  CHECK(update.work.flops == Flops(4.0 * 25));
  CHECK(update.work.read() == Bytes(3.0 * 100));  // weights, gradient, momentum
  CHECK(update.work.written == Bytes(2.0 * 100));
  CHECK(waits_for(g, "update/Gemm_1") == Names{"grad/Gemm_1/bias 20", "grad/Gemm_1/weights 80"});

  CHECK(op(g, "grad/Relu/data").type == "ReluGrad");
  CHECK(op(g, "grad/Relu/data").work.flops == Flops(8.0));
  CHECK(waits_for(g, "grad/Relu/data") == Names{"Relu 32", "grad/Gemm_1/data 32"});
  // The model's input wants no gradient.
  CHECK_FALSE(g.find("grad/Gemm/data"));
  CHECK(op(g, "grad/Gemm/weights").work.flops == Flops(2.0 * 2 * 3 * 4));
  CHECK(waits_for(g, "grad/Gemm/weights") == Names{"grad/Relu/data 32"});
}

TEST_CASE("a convolution with stride, groups and bias") {
  Builder b(2);
  const auto x = b.relu(b.conv(b.input({4, 8, 8}), 4, 1));
  b.conv(x, 6, 3, {.stride = 2, .padding = 1, .groups = 2, .bias = true});
  const Graph g = training_step(b.finish("conv"));
  // 2 images, 4 x 4 pixels, 6 channels from 2 under 3 x 3.
  const Flops forward(2.0 * 2 * 16 * 6 * 2 * 9);
  CHECK(op(g, "Conv_1").work.flops == forward);
  const Operator& data = op(g, "grad/Conv_1/data");
  CHECK(data.type == "ConvGradData");
  CHECK(data.kernel == KernelClass::conv);
  CHECK(data.work.flops == forward);
  CHECK(*data.matrix == MatrixShape{2 * 2, 64, 2, 3 * 9});
  CHECK(data.window == graphs::Shape{3, 3});
  CHECK(data.work.units == 2 * 2 * 1 * 8);  // images, groups, one block of channels, input rows
  CHECK(data.output_shape == graphs::Shape{2, 4, 8, 8});
  CHECK(data.work.activations_read == Bytes(4.0 * 2 * 6 * 16));
  CHECK(data.work.weights_read == Bytes(4.0 * 6 * 2 * 9));
  CHECK(data.work.written == Bytes(4.0 * 2 * 4 * 64));
  const Operator& weights = op(g, "grad/Conv_1/weights");
  CHECK(weights.type == "ConvGradWeights");
  CHECK(weights.work.flops == forward);
  CHECK(*weights.matrix == MatrixShape{2, 3, 2 * 9, 2 * 16});
  CHECK(weights.work.units == 2 * 2);  // images, groups, one block each way
  CHECK(weights.work.written == Bytes(4.0 * 6 * 2 * 9));
  CHECK(waits_for(g, "grad/Conv_1/data") == Names{"loss/Conv_1 768"});
  CHECK(waits_for(g, "grad/Conv_1/weights") == Names{"Relu 2048", "loss/Conv_1 768"});
  CHECK(op(g, "grad/Conv_1/bias").work.flops == Flops(2.0 * 6 * 16));
  CHECK(op(g, "grad/Conv/weights").kernel == KernelClass::conv_1x1);
  CHECK_FALSE(g.find("grad/Conv/data"));
}

TEST_CASE("backward products of a chain cost twice the forward, less the first layer's data") {
  for (const std::int64_t batch : {1, 4}) {
    Builder b(batch);
    auto x = b.relu(b.batch_norm(b.conv(b.input({3, 32, 32}), 16, 3, {.stride = 2, .padding = 1})));
    x = b.relu(b.conv(x, 16, 3, {.padding = 1, .groups = 16}));
    x = b.max_pool(b.relu(b.conv(x, 24, {1, 3}, {.bias = true})), 2, {.stride = 2});
    b.dense(b.flatten(b.global_average_pool(x)), 10);
    const WrittenModel model = b.finish("cnn");
    const Graph g = training_step(model);
    const double forward = products(g, false);
    CHECK(forward == products(model.graph, false));
    CHECK(products(g, true) == 2.0 * forward - op(g, "Conv").work.flops.value());
    CHECK(updated(g) == static_cast<double>(model.graph.total_parameters()));
  }
}

TEST_CASE("weight gradients of a chain can all run at once, its forward pass cannot") {
  for (const int layers : {2, 3, 5}) {
    const WrittenModel model = dense_chain(layers);
    const graphs::Metrics before = graphs::measure(model.graph);
    const graphs::Metrics after = graphs::measure(training_step(model));
    CHECK(before.max_width == 1);
    // They wait for dy only; a data gradient stands before the weight gradients below it.
    CHECK(after.max_width == layers);
    // The study looks at the forward pass.
    CHECK(after.heavy == before.heavy);
    CHECK(after.heavy_levels == before.heavy_levels);
    CHECK(after.average_width == before.average_width);
  }
}

TEST_CASE("a tensor with three readers has two sums, and an addition hands its gradient through") {
  Builder b;
  const auto x = b.relu(b.dense(b.input({4}), 4));
  const auto y = b.dense(x, 4);
  const auto z = b.dense(x, 4);
  b.add(b.add(y, z), x);
  const Graph g = training_step(b.finish("skip"));
  CHECK(count(g, "AddGrad") == 0);
  CHECK(count(g, "GradSum") == 2);
  // From the last reader to the first: the addition's dy is the loss's.
  CHECK(waits_for(g, "grad/Relu/sum") == Names{"grad/Gemm_2/data 16", "loss/Add_1 16"});
  CHECK(waits_for(g, "grad/Relu/sum_1") == Names{"grad/Gemm_1/data 16", "grad/Relu/sum 16"});
  CHECK(waits_for(g, "grad/Relu/data") == Names{"Relu 16", "grad/Relu/sum_1 16"});
  CHECK(op(g, "grad/Relu/sum").work.flops == Flops(4.0));
  CHECK(op(g, "grad/Relu/sum").work.traffic() == Bytes(3.0 * 16));
}

TEST_CASE("a tensor used twice by one operator") {
  Builder b;
  const auto x = b.dense(b.input({4}), 4);
  const auto doubled = b.add(x, x);
  b.mul(doubled, doubled);
  const Graph g = training_step(b.finish("twice"));
  CHECK(op(g, "grad/Mul/data").work.flops == Flops(2.0 * 4));  // 2 x dy
  CHECK(waits_for(g, "grad/Mul/data") == Names{"Add 16", "loss/Mul 16"});
  CHECK(waits_for(g, "grad/Gemm/sum") == Names{"grad/Mul/data 16"});
  CHECK(waits_for(g, "grad/Gemm/weights") == Names{"grad/Gemm/sum 16"});
}

TEST_CASE("branches: slices of a concatenation run side by side") {
  Builder b;
  const auto x = b.relu(b.conv(b.input({2, 4, 4}), 4, 1));
  const auto one = b.conv(x, 2, 1);
  const auto two = b.conv(x, 6, 3, {.padding = 1});
  b.concat({one, two});
  const Graph g = training_step(b.finish("branches"));
  CHECK(waits_for(g, "grad/Concat/data") == Names{"loss/Concat 512"});
  CHECK(waits_for(g, "grad/Concat/data_1") == Names{"loss/Concat 512"});
  CHECK(op(g, "grad/Concat/data").work.traffic() == Bytes(2.0 * 4 * 2 * 16));
  CHECK(op(g, "grad/Concat/data_1").work.traffic() == Bytes(2.0 * 4 * 6 * 16));
  // Forward: two branches. Backward: data and weights of both.
  CHECK(graphs::measure(g).max_width == 4);
}

TEST_CASE("an attention layer: products of activations have two data gradients, a table a sparse update") {
  Builder b(2);
  const auto ids = b.input({3}, DataType::int64);
  const auto x = b.layer_norm(b.embedding(ids, 100, 8));
  const auto q = b.add_bias(b.project(x, 8));
  const auto k = b.transpose(b.project(x, 8), {1, 0});
  const auto scores = b.softmax(b.matmul(q, k));
  b.project(b.matmul(scores, b.project(x, 8)), 8);
  const WrittenModel model = b.finish("attention");
  const Graph g = training_step(model);
  CHECK(g.notes.empty());
  // q k^T, 2 images of 3 x 8 by 8 x 3: each operand's gradient costs the same.
  const Flops scores_flop(2.0 * 2 * 3 * 8 * 3);
  CHECK(op(g, "MatMul_2").work.flops == scores_flop);
  CHECK(op(g, "grad/MatMul_2/data").work.flops == scores_flop);
  CHECK(op(g, "grad/MatMul_2/data_1").work.flops == scores_flop);
  CHECK(*op(g, "grad/MatMul_2/data").matrix == MatrixShape{2, 3, 8, 3});
  CHECK(*op(g, "grad/MatMul_2/data_1").matrix == MatrixShape{2, 8, 3, 3});
  CHECK(waits_for(g, "grad/MatMul_2/data_1") == Names{"Add 192", "grad/Softmax/data 72"});
  CHECK(op(g, "grad/Softmax/data").work.flops == Flops(4.0 * 18));
  CHECK(op(g, "grad/Add/bias").work.flops == Flops(48.0));
  CHECK(op(g, "grad/Transpose/data").kernel == KernelClass::transpose);
  CHECK(op(g, "grad/LayerNormalization/data").work.flops == Flops(13.0 * 48));
  // 6 ids of 100: 48 elements.
  CHECK(op(g, "grad/Gather/weights").type == "GatherGradWeights");
  CHECK(op(g, "grad/Gather/weights").work.written == Bytes(4.0 * 48));
  CHECK(op(g, "grad/Gather/weights").work.activations_read == Bytes(4.0 * 48 + 8.0 * 6));
  CHECK(op(g, "update/Gather").type == "SparseMomentumUpdate");
  CHECK(op(g, "update/Gather").work.flops == Flops(4.0 * 48));
  CHECK(op(g, "update/Gather").work.traffic() == Bytes(5.0 * 4 * 48));
  CHECK(updated(g) == static_cast<double>(model.graph.total_parameters() - 800));
  CHECK(graphs::measure(g).heavy == graphs::measure(model.graph).heavy);
}

TEST_CASE("normalisation, dropout and recurrent layers do more in training's forward pass") {
  SUBCASE("batch statistics are a second pass") {
    Builder b(2);
    b.batch_norm(b.conv(b.input({3, 4, 4}), 5, 1));
    const Graph g = training_step(b.finish("bn"));
    const double n = 2 * 5 * 16;
    const Operator& forward = op(g, "BatchNormalization");
    CHECK(forward.work.flops == Flops((2 + 4) * n));
    CHECK(forward.work.activations_read == Bytes(2 * 4 * n));
    const Operator& gradient = op(g, "grad/BatchNormalization/data");
    CHECK(gradient.work.flops == Flops(11 * n));
    CHECK(gradient.work.activations_read == Bytes(4 * 4 * n));
    CHECK(gradient.work.written == Bytes(4 * n + 2 * 4 * 5));
    CHECK(op(g, "update/BatchNormalization").work.flops == Flops(4.0 * 10));  // not the running statistics
  }
  SUBCASE("dropout draws and keeps a mask") {
    Builder b;
    b.dropout(b.dense(b.input({4}), 6));
    const Graph g = training_step(b.finish("dropout"));
    CHECK(op(g, "Dropout").kernel == KernelClass::elementwise);
    CHECK(op(g, "Dropout").work.flops == Flops(22.0 * 6));
    CHECK(op(g, "Dropout").work.traffic() == Bytes(24.0 + 24.0 + 6.0));
    CHECK(waits_for(g, "grad/Dropout/data") == Names{"Dropout 6", "loss/Dropout 24"});
  }
  SUBCASE("an LSTM: the products twice, its steps the same") {
    // 2 sequences of 5 steps, 3 inputs, 4 hidden: 16 x 7 weights, twice 2 x 5 x 16 x 7 multiply-adds.
    Builder b(2);
    const auto x = b.project(b.input({5, 3}), 3);
    b.node("LSTM", {x, Weight{{1, 16, 3}}, Weight{{1, 16, 4}}, Weight{{1, 32}}}, {5, 1, 4},
           {{"layout", std::int64_t{1}}, {"hidden_size", std::int64_t{4}}});
    const WrittenModel model = b.finish("lstm");
    const Graph g = training_step(model);
    const double product = 2.0 * 2 * 5 * 16 * 7;
    const double pointwise = op(g, "LSTM").work.flops.value() - product;
    const Operator& gradient = op(g, "grad/LSTM/data");
    CHECK(gradient.work.flops.value() == 2.0 * product + pointwise);
    CHECK(gradient.work.steps == 5);
    CHECK(gradient.kernel == KernelClass::recurrent);
    CHECK(*gradient.matrix == MatrixShape{5, 2, 7, 16});
    CHECK(op(g, "LSTM").work.written - model.graph.op(OpIndex(1)).work.written == Bytes(4.0 * 2 * 5 * 16));
    CHECK(updated(g) == static_cast<double>(model.graph.total_parameters()));
  }
}

TEST_CASE("broadcast factors are summed, and a learned scale has its gradient") {
  Builder b(2);
  const auto x = b.project(b.input({3, 4}), 4);
  const auto scaled = b.node("Mul", {x, Weight{{4}}}, {3, 4});
  b.node("Div", {scaled, Weight{{1}, false}}, {3, 4});
  const Graph g = training_step(b.finish("scale"));
  CHECK(op(g, "grad/Mul/data").work.flops == Flops(24.0));
  CHECK(op(g, "grad/Mul/weights").work.flops == Flops(48.0));  // product and sum
  CHECK(op(g, "grad/Mul/weights").kernel == KernelClass::reduce);
  CHECK(waits_for(g, "grad/Mul/weights") == Names{"MatMul 96", "grad/Div/data 96"});
  CHECK(op(g, "grad/Div/data").work.flops == Flops(4.0 * 24));
  CHECK_FALSE(g.find("update/Div"));
}

TEST_CASE("what is approximated, frozen or without weights is said or left alone") {
  Builder b;
  const auto x = b.dense(b.input({4}), 4);
  const auto y = b.activation("Mish", x);
  b.node("MatMul", {y, Weight{{4, 4}, false}}, {4});
  const WrittenModel model = b.finish("odd");
  const Graph g = training_step(model);
  REQUIRE(g.notes.size() == 2);
  CHECK(g.notes[0] ==
        graphs::Note{"approximate-gradient", "gradients counted as twice the forward work: Mish"});
  CHECK(g.notes[1] == graphs::Note{"frozen-weight", "weights without gradient and update: MatMul"});
  CHECK(op(g, "grad/Mish/data").work.flops == 2.0 * op(g, "Mish").work.flops);
  CHECK(op(g, "grad/Mish/data").work.traffic() == Bytes(3.0 * 16));
  CHECK(g.find("grad/MatMul/data"));
  CHECK_FALSE(g.find("update/MatMul"));

  b.relu(b.input({4}));
  const WrittenModel unlearned = b.finish("plain");
  CHECK(training_step(unlearned).size() == unlearned.graph.size());
}

TEST_CASE("work of all but the updates scales with the batch") {
  const auto flop = [](std::int64_t batch) {
    const Graph g = training_step(dense_chain(3, batch));
    return g.total_flops().value() - 4.0 * updated(g);
  };
  CHECK(flop(16) == 8.0 * flop(2));
}

TEST_CASE("every built-in model can be trained") {
  for (const graphs::BuiltinModel& model : graphs::builtin_models()) {
    CAPTURE(model.name);
    const WrittenModel written = graphs::write_model(model.name);
    const Graph g = training_step(written);
    CHECK(g.topological_order().size() == g.size());
    CHECK(g.total_parameters() == written.graph.total_parameters());
    CHECK(graphs::parse_graph_json(graphs::to_json_text(g), model.name) == g);
    for (std::size_t i = 0; i < written.graph.size(); ++i) {
      const Operator& o = written.graph.op(OpIndex(i));
      CHECK(g.find("update/" + o.name).has_value() == (o.parameters > 0));
    }
    if (model.group == "cnn") {
      const double ratio = g.total_flops() / written.graph.total_flops();
      CHECK(ratio > 2.5);
      CHECK(ratio < 3.5);
      CHECK(updated(g) == static_cast<double>(written.graph.total_parameters()));
    }
  }
}

TEST_CASE("inception v3: one step costs three forward passes, and its weight gradients can all run at once") {
  const WrittenModel model = graphs::write_model("inception_v3");
  const Graph g = training_step(model);
  const Operator& first = model.graph.op(OpIndex(0));
  REQUIRE(first.type == "Conv");
  CHECK(products(g, true) == doctest::Approx(2.0 * products(g, false) - first.work.flops.value()));
  const graphs::Metrics m = graphs::measure(g);
  CHECK(m.heavy == 95);
  CHECK(m.average_width == doctest::Approx(95.0 / 48.0));
  CHECK(m.max_width == 95);
}

TEST_CASE("random models: sound, each weight updated once, backward products at most twice the forward") {
  rc::check("training steps", [] {
    Builder b(*rc::gen::inRange<std::int64_t>(1, 4));
    std::vector<Builder::Tensor> values{b.input({6})};
    const int nodes = *rc::gen::inRange(1, 25);
    const auto any = [&] { return values[*rc::gen::inRange<std::size_t>(0, values.size())]; };
    for (int i = 0; i < nodes; ++i) {
      const Builder::Tensor x = any();
      switch (*rc::gen::inRange(0, 10)) {
        case 0:
        case 1:
          values.push_back(b.dense(x, 6));
          break;
        case 2:
          values.push_back(b.relu(x));
          break;
        case 3:
          values.push_back(b.add(x, any()));
          break;
        case 4:
          values.push_back(b.mul(x, any()));
          break;
        case 5:
          values.push_back(b.layer_norm(x));
          break;
        case 6:
          values.push_back(b.softmax(x));
          break;
        case 7:
          values.push_back(b.add_bias(x));
          break;
        case 8:
          values.push_back(b.project(b.concat({x, any()}), 6));
          break;
        default:
          values.push_back(b.dropout(b.activation("Mish", x)));
      }
    }
    const WrittenModel model = b.finish("random");
    const Graph g = training_step(model);
    RC_ASSERT(g.topological_order().size() == g.size());
    RC_ASSERT(updated(g) == static_cast<double>(model.graph.total_parameters()));
    RC_ASSERT(products(g, false) == products(model.graph, false));
    RC_ASSERT(products(g, true) >= products(g, false));
    RC_ASSERT(products(g, true) <= 2.0 * products(g, false));
    RC_ASSERT(graphs::measure(g).average_width == graphs::measure(model.graph).average_width);
    // Gradients and updates follow the forward pass: no forward operator waits for one.
    for (const graphs::Connection& c : g.connections()) {
      RC_ASSERT(c.to.value() >= model.graph.size() || c.from.value() < model.graph.size());
      RC_ASSERT(c.bytes > Bytes(0.0));
    }
  });
}
