#include <doctest/doctest.h>

#include "graphs/graph_json.hpp"
#include "tests/support/onnx_text.hpp"

using namespace corecast;
using namespace corecast::graphs;
using corecast::test::import_error;
using corecast::test::imported;
using corecast::test::note;
using corecast::test::onnx_model;

namespace {
// x -> MatMul(w) -> Relu
const char* const kSmall = R"(
agraph (float[2,4] x, float[4,8] w) => (float[2,8] y) {
  a = MatMul(x, w)
  y = Relu(a)
})";
}  // namespace

TEST_CASE("a small model becomes two operators and the edge between them") {
  const Graph graph = imported(kSmall, {"w"});
  REQUIRE(graph.size() == 2);
  CHECK(graph.name == "model");
  CHECK(graph.batch == 2);
  CHECK(graph.notes.empty());
  const Operator& product = graph.op(OpIndex(0));
  CHECK(product.type == "MatMul");
  CHECK(product.name == "MatMul_0");  // nameless nodes: type and index
  CHECK(product.kernel == KernelClass::gemm);
  CHECK(product.work.flops == Flops(2.0 * 2 * 8 * 4));
  CHECK(product.work.weights_read == Bytes(4.0 * 8 * 4));      // w: 4 x 8 floats
  CHECK(product.work.activations_read == Bytes(2.0 * 4 * 4));  // x: 2 x 4 floats
  CHECK(product.parameters == 32);
  CHECK(product.output_shape == std::vector<std::int64_t>{2, 8});
  CHECK(graph.predecessors(OpIndex(1)) == std::vector<OpIndex>{OpIndex(0)});
  REQUIRE(graph.connections().size() == 1);
  CHECK(graph.connections()[0].bytes == Bytes(2.0 * 8 * 4));
}

TEST_CASE("nodes in the wrong order are put in order") {
  auto model = onnx_model(kSmall, {"w"});
  model.mutable_graph()->mutable_node()->SwapElements(0, 1);
  const Graph graph = imported(model);
  REQUIRE(graph.size() == 2);
  CHECK(graph.op(OpIndex(0)).type == "MatMul");
}

TEST_CASE("equal node names are told apart by a suffix and unprintable ones are escaped") {
  auto model =
      onnx_model(R"(agraph (float[4] x) => (float[4] y) { a = Relu(x) b = Relu(a) c = Relu(b) y = Abs(c) })");
  for (int i = 0; i < 3; ++i) model.mutable_graph()->mutable_node(i)->set_name("same");
  model.mutable_graph()->mutable_node(3)->set_name("\xff!");
  const Graph graph = imported(model);
  REQUIRE(graph.size() == 4);
  CHECK(graph.op(OpIndex(0)).name == "same");
  CHECK(graph.op(OpIndex(1)).name == "same#2");
  CHECK(graph.op(OpIndex(2)).name == "same#3");
  CHECK(graph.op(OpIndex(3)).name == "\\xff!");
  CHECK(parse_graph_json(to_json_text(graph), "g").size() == 4);
}

TEST_CASE("nodes that lead to no output are left out and counted in a note") {
  const Graph graph = imported(R"(agraph (float[4] x) => (float[4] y) {
    dead = Unheard(x)
    dead2 = Exp(x)
    y = Relu(x)
  })");
  CHECK(graph.size() == 1);
  CHECK(note(graph, "unused-nodes") == "2 nodes lead to no output: left out");
  CHECK(note(graph, "unknown-operator").empty());
}

TEST_CASE("weights of two users count once, at the first, also when one of them reads them transposed") {
  const Graph graph = imported(R"(agraph (float[2,4] x, float[4,4] w) => (float[2,4] y) {
    a = MatMul(x, w)
    t = Transpose <perm = [1, 0]> (w)
    y = MatMul(a, t)
  })",
                               {"w"});
  REQUIRE(graph.size() == 2);  // the transposed constant is computed once, before the run
  CHECK(graph.op(OpIndex(0)).parameters == 16);
  CHECK(graph.op(OpIndex(1)).parameters == 0);
  CHECK(graph.op(OpIndex(1)).work.weights_read == Bytes(64));
}

TEST_CASE("whole numbers that are no quantised weights are no parameters") {
  const Graph graph = imported(
      R"(agraph (float[8,4] x, int64[3] i, int8[4,4] q, uint8[2,4] z) => (float[3,4] y, int32[2,4] p) {
    y = Gather(x, i)
    p = MatMulInteger(z, q)
  })",
      {"i", "q"});
  REQUIRE(graph.size() == 2);
  CHECK(graph.op(OpIndex(0)).parameters == 0);
  CHECK(graph.op(OpIndex(1)).parameters == 16);
}

TEST_CASE("running statistics of a batch normalisation are no parameters, scale and shift are") {
  const Graph graph = imported(
      R"(agraph (float[1,6,2,2] x, float[6] s, float[6] b, float[6] m, float[6] v) => (float[1,6,2,2] y) {
    y = BatchNormalization(x, s, b, m, v)
  })",
      {"s", "b", "m", "v"});
  CHECK(graph.total_parameters() == 12);
}

TEST_CASE("weights that old files list among the inputs too are weights") {
  auto model = onnx_model(kSmall, {"w"});
  auto* input = model.mutable_graph()->add_input();
  input->set_name("w");
  input->mutable_type()->mutable_tensor_type()->set_elem_type(1);
  CHECK(imported(model).total_parameters() == 32);
}

TEST_CASE("operators nobody knows are memory passes, one note for each type") {
  const std::string text = R"(<ir_version: 8, opset_import: ["" : 17, "my.domain" : 1]>
  agraph (float[2,4] x) => (float[2,4] y) <float[2,4] a, float[2,4] b> {
    a = my.domain.Thing(x)
    b = my.domain.Thing(a)
    y = NoSuchOperator(b)
  })";
  const Graph graph = imported(text);
  REQUIRE(graph.size() == 3);
  CHECK_FALSE(graph.op(OpIndex(0)).understood);
  CHECK(graph.op(OpIndex(0)).work.activations_read == Bytes(32));
  CHECK(graph.op(OpIndex(0)).work.written == Bytes(32));  // of the declared shape
  CHECK(note(graph, "unknown-operator") ==
        R"(NoSuchOperator: counted as a memory pass, once (first: "NoSuchOperator_2"))");
  REQUIRE(graph.notes.size() == 2);
  CHECK(graph.notes[1].text ==
        R"(Thing (domain my.domain): counted as a memory pass, 2 times (first: "Thing_0"))");

  ImportOptions strict;
  strict.strict = true;
  CHECK(
      import_error(text, {}, strict) ==
      R"(model.onnx: node "Thing_0" ("my.domain:Thing"): has no work rule (without --strict it is counted as a memory pass))");
}

TEST_CASE("shapes that depend on the data are noted and so is what is built on them") {
  const Graph graph = imported(R"(agraph (float[4] x) => (int64[N,M] y) { a = NonZero(x) y = Neg(a) })");
  CHECK(
      note(graph, "unknown-shape") ==
      R"(2 tensors of a shape not known before the run, first "a" of node "NonZero_0" ("NonZero"): their work is not counted)");
}

TEST_CASE("a shape in the file that contradicts the inputs' is corrected and noted") {
  const Graph graph = imported(R"(agraph (float[2,4] x) => (float[2,5] y) { y = Relu(x) })");
  CHECK(graph.op(OpIndex(0)).output_shape == std::vector<std::int64_t>{2, 4});
  CHECK(
      note(graph, "shape-contradiction") ==
      R"(1 shape is declared otherwise in the file than it comes out, the latter is taken; first: "y" is declared as 2x5 and comes out as 2x4)");
}

TEST_CASE("opsets and file versions newer than the library are read") {
  const std::string text = R"(<ir_version: 12, opset_import: ["" : 23]>
  agraph (float[2,6] x, int64[1] axes) => (float[2] y, float[2,3] a, float[2,3] b) <int64[1] one = {1}> {
    y = ReduceMean <keepdims = 0> (x, one)
    a, b = Split <axis = 1, num_outputs = 2> (x)
  })";
  const Graph graph = imported(text);
  REQUIRE(graph.size() == 2);
  CHECK(graph.op(OpIndex(0)).output_shape == std::vector<std::int64_t>{2});
  CHECK(graph.op(OpIndex(1)).output_shape == std::vector<std::int64_t>{2, 3});
  CHECK(graph.notes.empty());
}

TEST_CASE("an optional input left out is no tensor") {
  const Graph graph = imported(
      R"(agraph (float[2,3,4,4] x, float[4] s) => (float[2,3,8,8] y) <float[4] scales = {1.0, 1.0, 2.0, 2.0}> {
    y = Resize <mode = "nearest"> (x, , scales)
  })",
      {"s"});
  CHECK(graph.op(OpIndex(0)).output_shape == std::vector<std::int64_t>{2, 3, 8, 8});
}

TEST_CASE("the same bytes give the same graph") {
  const auto model = onnx_model(kSmall, {"w"});
  CHECK(to_json_text(imported(model)) == to_json_text(imported(model)));
}
