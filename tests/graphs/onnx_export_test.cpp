#include "graphs/onnx_export.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.hpp"
#include "graphs/builder.hpp"
#include "graphs/builtin.hpp"
#include "graphs/quantize.hpp"
#include "tests/support/onnx_text.hpp"

using namespace corecast;
using namespace corecast::graphs;

namespace {

using Tensor = Builder::Tensor;
using Weight = Builder::Weight;
using List = std::vector<std::string>;

::onnx::ModelProto parsed(const WrittenModel& model) {
  ::onnx::ModelProto proto;
  REQUIRE(proto.ParseFromString(to_onnx(model)));
  return proto;
}

List types_of(const Graph& graph) {
  List types;
  for (std::size_t i = 0; i < graph.size(); ++i) types.push_back(graph.op(OpIndex(i)).type);
  return types;
}

// A file has no mark for a constant that is not learnt (the 0.5 of a GELU, a mask, a head tied to its table): the
// import counts it.
std::int64_t unlearnt(const NodeView& node, const Operator& op) {
  double elements = 0.0;
  for (const TensorView& tensor : node.inputs) {
    if (tensor.constant && !tensor.integers) elements += tensor.elements();
  }
  return static_cast<std::int64_t>(elements) - op.parameters;
}

enum class Parameters { compared, not_compared };

// What is wrong after writing and importing; empty when nothing is.
std::string round_trip(const WrittenModel& model, Parameters parameters = Parameters::compared) {
  const Graph graph = import_onnx_bytes(to_onnx(model), model.graph.name + ".onnx",
                                        {.shapes = {}, .batch = {}, .strict = true});
  if (graph.name != model.graph.name || graph.batch != model.graph.batch) return "name or batch";
  if (!graph.notes.empty()) return graph.notes[0].text;
  if (graph.size() != model.graph.size())
    return fmt::format("{} operators, not {}", graph.size(), model.graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    Operator found = graph.op(OpIndex(i));
    const Operator& wanted = model.graph.op(OpIndex(i));
    const std::int64_t more = found.parameters - wanted.parameters;
    if (parameters == Parameters::compared && (more < 0 || more > unlearnt(model.nodes[i], wanted))) {
      return fmt::format("{}: {} parameters, not {}", wanted.name, found.parameters, wanted.parameters);
    }
    found.parameters = wanted.parameters;
    if (!(found == wanted)) return fmt::format("{} differs from {}", wanted.name, found.name);
  }
  return graph.connections() == model.graph.connections() ? "" : "connections";
}

WrittenModel image_model(DataType type = DataType::fp32) {
  Builder b(2, type);
  Tensor x = b.input({3, 32, 32});
  x = b.relu(b.batch_norm(b.conv(x, 16, 3, {.padding = 1})));
  x = b.max_pool(x, 3, {.stride = 2, .round_up = true});
  x = b.conv(x, 32, {1, 3}, {.stride = {1, 2}, .padding = {0, 1}, .groups = 4, .bias = true});
  const Tensor left = b.average_pool(x, 3, {.stride = 1, .padding = 1});
  const Tensor right = b.activation("Sigmoid", x);
  const Tensor product = b.mul(left, right);
  x = b.concat({b.add(left, product), right});
  x = b.dropout(b.flatten(b.global_average_pool(x)));
  (void)b.softmax(b.dense(x, 10));
  return b.finish("image");
}

WrittenModel sequence_model() {
  Builder b(2);
  const Tensor ids = b.input({8}, DataType::int64);
  Tensor x = b.layer_norm(b.embedding(ids, 1000, 64));
  const auto heads = [&](Tensor t) { return b.transpose(b.reshape(t, {8, 4, 16}), {1, 0, 2}); };
  const Tensor query = heads(b.add_bias(b.project(x, 64)));
  const Tensor key = b.transpose(heads(b.project(x, 64)), {0, 2, 1});
  const Tensor value = heads(b.project(x, 64));
  const Tensor scores = b.node("Div", {b.matmul(query, key), Weight{{}, false}}, {4, 8, 8});
  x = b.reshape(b.transpose(b.matmul(b.softmax(scores), value), {1, 0, 2}), {8, 64});
  x = b.activation("Gelu", x);
  x = b.node("LSTM", {x, Weight{{1, 128, 64}}, Weight{{1, 128, 32}}, Weight{{1, 256}}}, {8, 1, 32},
             {{"hidden_size", std::int64_t{32}}, {"layout", std::int64_t{1}}});
  (void)b.reshape(x, {8, 32});
  return b.finish("sequence");
}

double fill_of(const ::onnx::NodeProto& node) {
  REQUIRE(node.op_type() == "ConstantOfShape");
  float value = 0;
  std::memcpy(&value, node.attribute(0).t().raw_data().data(), sizeof value);
  return value;
}

double product_flops(const Graph& graph) {
  double flops = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (const auto& m = graph.op(OpIndex(i)).matrix) {
      flops += 2.0 * static_cast<double>(m->batch) * static_cast<double>(m->m) * static_cast<double>(m->n) *
               static_cast<double>(m->k);
    }
  }
  return flops;
}

}  // namespace

TEST_CASE("a written model comes back from its file as it was") {
  CHECK(round_trip(image_model()) == "");
  CHECK(round_trip(image_model(DataType::bf16)) == "");
  CHECK(round_trip(sequence_model()) == "");
}

TEST_CASE("every built-in model comes back from its file as it was, its int8 form too") {
  for (const BuiltinModel& model : builtin_models()) {
    CAPTURE(model.name);
    const WrittenModel written = write_model(model.name);
    CHECK(round_trip(written) == "");
    CHECK(round_trip(quantized(written), Parameters::not_compared) == "");  // scales count there
    CHECK(round_trip(write_model(model.name, {.batch = 3, .sequence = {}, .type = DataType::bf16})) == "");
  }
}

TEST_CASE("the same model gives the same bytes, and few, whatever the size of its weights") {
  const std::string bytes = to_onnx(write_model("inception_v3"));
  CHECK(bytes == to_onnx(write_model("inception_v3")));
  CHECK(bytes.size() < 200'000);
  CHECK(to_onnx(quantized(write_model("inception_v3"))).size() < 200'000);
}

TEST_CASE("a weight is a node that fills its shape; batch and sizes are fixed") {
  Builder b(2);
  const Tensor x = b.conv(b.input({3, 8, 8}), 4, 3, {.bias = true});
  (void)b.reshape(x, {144});
  const auto proto = parsed(b.finish("small"));
  CHECK(proto.ir_version() == 8);
  CHECK(proto.producer_name() == "corecast");
  REQUIRE(proto.opset_import_size() == 1);
  CHECK(proto.opset_import(0).version() == 17);
  const auto& graph = proto.graph();
  CHECK(graph.name() == "small");

  REQUIRE(graph.input_size() == 1);
  const auto& shape = graph.input(0).type().tensor_type().shape();
  CHECK(shape.dim(0).dim_value() == 2);
  CHECK(shape.dim(3).dim_value() == 8);
  REQUIRE(graph.output_size() == 1);
  CHECK(graph.output(0).name() == "Reshape");

  REQUIRE(graph.node_size() == 4);
  CHECK(fill_of(graph.node(0)) == doctest::Approx(1.0 / 27));  // 3 channels of 3 x 3
  CHECK(fill_of(graph.node(1)) == doctest::Approx(0.001));
  CHECK(graph.node(2).op_type() == "Conv");
  CHECK(graph.node(2).input(1) == graph.node(0).output(0));
  CHECK(graph.node(3).input(1) == "sizes/2x144");

  REQUIRE(graph.initializer_size() == 3);  // 4x3x3x3, 4, 2x144
  std::vector<std::int64_t> sizes(2);
  std::memcpy(sizes.data(), graph.initializer(2).raw_data().data(), 16);
  CHECK(sizes == std::vector<std::int64_t>{2, 144});
}

TEST_CASE("weights of equal shape differ, so that a runtime cannot make one of them") {
  Builder b(1);
  Tensor x = b.input({64});
  for (int i = 0; i < 3; ++i) x = b.project(x, 64);
  const WrittenModel model = b.finish("chain");
  const auto proto = parsed(model);
  CHECK(fill_of(proto.graph().node(0)) == doctest::Approx(1.0 / 64));
  CHECK(fill_of(proto.graph().node(0)) != fill_of(proto.graph().node(2)));
  const auto int8 = parsed(quantized(model));
  List fills;
  for (const auto& node : int8.graph().node()) {
    if (node.op_type() == "ConstantOfShape") fills.push_back(node.attribute(0).t().raw_data());
  }
  CHECK(fills == List{"\1", "\2", "\3"});
}

TEST_CASE("a pool that rounds up says so in the file") {
  Builder b(1);
  const Tensor x = b.input({1, 8, 8});
  (void)b.max_pool(x, 3, {.stride = 2, .round_up = true});  // (8 - 3) / 2 + 1 = 3.5
  (void)b.max_pool(x, 2, {.stride = 2});
  const auto proto = parsed(b.finish("pools"));
  const auto has = [](const ::onnx::NodeProto& node, const char* name) {
    return std::any_of(node.attribute().begin(), node.attribute().end(),
                       [&](const auto& a) { return a.name() == name && a.i() == 1; });
  };
  CHECK(has(proto.graph().node(0), "ceil_mode"));
  CHECK_FALSE(has(proto.graph().node(1), "ceil_mode"));
}

TEST_CASE("operators that the standard got later are taken from onnxruntime's set") {
  Builder b(1);
  (void)b.activation("Gelu", b.input({4}));
  const auto proto = parsed(b.finish("gelu"));
  CHECK(proto.graph().node(0).domain() == "com.microsoft");
  REQUIRE(proto.opset_import_size() == 2);
  CHECK(proto.opset_import(1).version() == 1);

  Builder unheard(1);
  (void)unheard.node("Unheard", {unheard.input({4})}, {4});
  CHECK_THROWS_WITH_AS((void)to_onnx(unheard.finish("x")),
                       R"(node "Unheard" ("Unheard"): is in neither operator set 17 nor com.microsoft)",
                       InputError);
}

TEST_CASE("optional inputs left out become empty names, whole numbers are stored") {
  WrittenModel model = image_model();
  NodeView& node = model.nodes[0];
  node.inputs.emplace_back().absent = true;
  TensorView numbers;
  numbers.name = "numbers";
  numbers.type = DataType::int64;
  numbers.shape = {2};
  numbers.constant = true;
  numbers.integers = {7, INT64_MAX};
  node.inputs.push_back(numbers);
  const auto proto = parsed(model);
  const auto& conv = *std::find_if(proto.graph().node().begin(), proto.graph().node().end(),
                                   [](const auto& n) { return n.op_type() == "Conv"; });
  CHECK(conv.input(2).empty());
  CHECK(conv.input(3) == "numbers");
  const auto& stored = *std::find_if(proto.graph().initializer().begin(), proto.graph().initializer().end(),
                                     [](const auto& i) { return i.name() == "numbers"; });
  std::vector<std::int64_t> values(2);
  std::memcpy(values.data(), stored.raw_data().data(), 16);
  CHECK(values == std::vector<std::int64_t>{7, INT64_MAX});
}

TEST_CASE(
    "int8: normalisation and activation go into the convolution, all stays in uint8 up to the softmax") {
  Builder b(1);
  Tensor x = b.input({3, 8, 8});
  x = b.relu(b.batch_norm(b.conv(x, 16, 3, {.padding = 1})));
  x = b.max_pool(x, 2, {.stride = 2});
  const Tensor beside = b.conv(x, 16, 1);
  x = b.relu(b.add(x, beside));
  x = b.flatten(b.global_average_pool(x));
  (void)b.softmax(b.dense(b.dropout(x), 10));
  const WrittenModel model = b.finish("small");
  const WrittenModel int8 = quantized(model);
  CHECK(types_of(int8.graph) == List{"QuantizeLinear", "QLinearConv", "MaxPool", "QLinearConv", "QLinearAdd",
                                     "QLinearGlobalAveragePool", "Flatten", "QGemm", "DequantizeLinear",
                                     "Softmax"});
  CHECK(round_trip(int8, Parameters::not_compared) == "");
  CHECK(int8.graph.total_parameters() == model.graph.total_parameters());
  CHECK(int8.graph.op(OpIndex(1)).parameters == 16 * 27 + 2 * 16);
  REQUIRE(int8.outputs.size() == 1);
  CHECK(int8.outputs[0].name == "Softmax");

  const Operator& conv = int8.graph.op(OpIndex(1));
  CHECK(conv.name == "Conv");
  CHECK(conv.work.compute_type == DataType::int8);
  CHECK(conv.work.activations_read == Bytes(3 * 64));
  CHECK(conv.work.written == Bytes(16 * 64));
  // Weights, int32 biases from the normalisation; three scales of 4 bytes and three zero points.
  CHECK(conv.work.weights_read == Bytes(16 * 27 + 4 * 16 + 3 * 5));
  // The pool's result goes to the second convolution and to the addition.
  CHECK(int8.graph.successors(OpIndex(2)) == std::vector<OpIndex>{OpIndex(3), OpIndex(4)});
  CHECK(int8.graph.connections()[1].bytes == Bytes(16 * 64));
}

TEST_CASE("int8: zero points of activations are uint8, those of weights int8") {
  Builder b(1);
  (void)b.conv(b.input({3, 8, 8}), 4, 1);
  const auto proto = parsed(quantized(b.finish("small")));
  const auto type = [&](const std::string& name) {
    for (const auto& one : proto.graph().initializer()) {
      if (one.name() == name) return one.data_type();
    }
    return 0;
  };
  CHECK(type("input_0_zero_point") == ::onnx::TensorProto::UINT8);
  CHECK(type("Conv_zero_point") == ::onnx::TensorProto::UINT8);
  CHECK(type("Conv.1_zero_point") == ::onnx::TensorProto::INT8);
  CHECK(type("Conv.1_scale") == ::onnx::TensorProto::FLOAT);
}

TEST_CASE("int8: what stays in fp32 is between one dequantisation and one quantisation of each tensor") {
  Builder b(1);
  Tensor x = b.input({4, 8, 8});
  x = b.conv(x, 4, 1);
  const Tensor sigmoid = b.activation("Sigmoid", x);  // reads the first convolution in fp32
  const Tensor tanh = b.activation("Tanh", x);        // and so does this
  x = b.mul(sigmoid, tanh);
  const Tensor one = b.conv(x, 4, 1);  // quantises the product
  const Tensor two = b.conv(x, 4, 3, {.padding = 1});
  (void)b.concat({one, two});
  const WrittenModel int8 = quantized(b.finish("gates"));
  CHECK(types_of(int8.graph) == List{"QuantizeLinear", "QLinearConv", "DequantizeLinear", "Sigmoid", "Tanh",
                                     "Mul", "QuantizeLinear", "QLinearConv", "QLinearConv", "QLinearConcat",
                                     "DequantizeLinear"});
  CHECK(round_trip(int8, Parameters::not_compared) == "");
}

TEST_CASE("int8: an activation whose input is read elsewhere too stays, and a bf16 model stays as it is") {
  Builder b(1);
  const Tensor x = b.conv(b.input({4, 8, 8}), 4, 1);
  const Tensor rectified = b.relu(x);
  (void)b.add(x, rectified);
  CHECK(types_of(quantized(b.finish("twice")).graph) == List{"QuantizeLinear", "QLinearConv",
                                                             "DequantizeLinear", "Relu", "QuantizeLinear",
                                                             "QLinearAdd", "DequantizeLinear"});

  Builder half(1, DataType::bf16);
  (void)half.relu(half.conv(half.input({4, 8, 8}), 4, 1));
  CHECK(types_of(quantized(half.finish("half")).graph) == List{"Conv", "Relu"});
}

TEST_CASE("int8: a tensor behind a Dropout is the one in front of it") {
  Builder b(1);
  const Tensor x = b.input({8});
  const Tensor kept = b.activation("Tanh", b.dropout(x));
  const Tensor left = b.dense(b.dropout(x), 4);
  const Tensor right = b.dense(x, 4);
  (void)b.dropout(b.add(left, right));
  (void)b.relu(kept);
  const WrittenModel int8 = quantized(b.finish("dropout"));
  CHECK(types_of(int8.graph) ==
        List{"Tanh", "QuantizeLinear", "QGemm", "QGemm", "QLinearAdd", "Relu", "DequantizeLinear"});
  REQUIRE(int8.outputs.size() == 2);
  CHECK(int8.outputs[0].name == "Add");
  CHECK(round_trip(int8, Parameters::not_compared) == "");
}

TEST_CASE("int8: products do the same arithmetic in int8, with weights of a quarter of the bytes") {
  for (const BuiltinModel& builtin : builtin_models()) {
    CAPTURE(builtin.name);
    const WrittenModel model = write_model(builtin.name);
    const WrittenModel int8 = quantized(model);
    CHECK(product_flops(int8.graph) == product_flops(model.graph));
    CHECK(int8.graph.total_parameters() == model.graph.total_parameters());
    double quantized_bytes = 0;
    double bytes = 0;
    for (std::size_t i = 0; i < int8.nodes.size(); ++i) {
      const NodeView& node = int8.nodes[i];
      const Operator& op = int8.graph.op(OpIndex(i));
      if (node.type != "QLinearConv" && node.type != "QLinearMatMul" && node.type != "QGemm") continue;
      CHECK(op.work.compute_type == DataType::int8);
      const auto before = model.graph.find(op.name);
      REQUIRE(before.has_value());
      quantized_bytes += node.inputs[3].bytes().value();
      bytes += model.nodes[before->value()].inputs[1].bytes().value();
    }
    CHECK(quantized_bytes * 4 == bytes);
  }
}
