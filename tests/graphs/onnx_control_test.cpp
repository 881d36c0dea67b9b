// Graphs inside nodes: branches, loops, scans, and a model's own functions.
#include <doctest/doctest.h>

#include "tests/support/onnx_text.hpp"

using namespace corecast;
using namespace corecast::graphs;
using corecast::test::import_error;
using corecast::test::imported;
using corecast::test::note;
using corecast::test::onnx_model;
using Shape = std::vector<std::int64_t>;

namespace {

const char* const kBranches = R"(agraph (float[2,4] x, bool c, float[4,8] w) => (float[M] y) {
  a = Exp(x)
  b = If (c) <
    then_branch = yes () => (float[2,4] t) { t = Relu(a) },
    else_branch = no () => (float[2,8] e) { m = MatMul(a, w) e = Relu(m) }
  >
  y = Neg(b)
})";

const char* const kLoop =
    R"(agraph (float[2,4] x, float[4,4] w) => (float[M] y, float[K] ys) <int64 n = {5}, bool go = {1}> {
  y, ys = Loop (n, go, x) <
    body = once (int64 i, bool c, float[2,4] s) => (bool c2, float[2,4] s2, float[2,4] each) {
      c2 = Identity(c)
      s2 = MatMul(s, w)
      each = Relu(s2)
    }
  >
})";

}  // namespace

TEST_CASE("a branch that is decided in the run is the one with more work, inlined") {
  const Graph graph = imported(kBranches, {"w"});
  REQUIRE(graph.size() == 4);
  CHECK(graph.op(OpIndex(0)).name == "Exp_0");
  CHECK(graph.op(OpIndex(1)).name == "If_1/else/MatMul_0");
  CHECK(graph.op(OpIndex(2)).name == "If_1/else/Relu_1");
  CHECK(graph.op(OpIndex(3)).output_shape == Shape{2, 8});
  CHECK(graph.predecessors(OpIndex(1)) == std::vector<OpIndex>{OpIndex(0)});  // a, from around the branch
  CHECK(graph.predecessors(OpIndex(3)) == std::vector<OpIndex>{OpIndex(2)});
  CHECK(graph.total_parameters() == 32);
  CHECK(
      note(graph, "control-flow") ==
      R"(If: 1 condition is decided in the run, the branch with more work is taken; first: node "If_1" ("If"): else)");
}

TEST_CASE("a branch that a constant decides is taken without a note") {
  const std::string text = kBranches;
  auto model = onnx_model(text, {"w", "c"});
  model.mutable_graph()->mutable_initializer(1)->add_int32_data(1);
  const Graph graph = imported(model);
  REQUIRE(graph.size() == 3);
  CHECK(graph.op(OpIndex(1)).name == "If_1/then/Relu_0");
  CHECK(graph.notes.empty());
}

TEST_CASE("a branch that does not fit the sizes at hand leaves the other") {
  const Graph graph = imported(R"(agraph (float[2,4] x, bool c, float[5,8] w) => (float[M] y) {
    y = If (c) <
      then_branch = yes () => (float[N] t) { t = MatMul(x, w) },
      else_branch = no () => (float[N] e) { e = Relu(x) }
    >
  })",
                               {"w"});
  REQUIRE(graph.size() == 1);
  CHECK(graph.op(OpIndex(0)).type == "Relu");
  CHECK(note(graph, "control-flow").ends_with("else, as the other does not fit the sizes"));
}

TEST_CASE("a loop is one operator with its body's work times the trips") {
  const Graph graph = imported(kLoop, {"w"});
  REQUIRE(graph.size() == 1);
  const Operator& loop = graph.op(OpIndex(0));
  CHECK(loop.kernel == KernelClass::control);
  CHECK(loop.work.steps == 5);
  CHECK(loop.work.weights_read == Bytes(5.0 * 16 * 4));
  CHECK(loop.work.flops >= Flops(5.0 * 2 * 2 * 4 * 4));            // the products
  CHECK(loop.work.flops <= Flops(5.0 * (2 * 2 * 4 * 4 + 2 * 8)));  // and little for the Relu
  CHECK(loop.parameters == 16);
  CHECK(loop.output_shape == Shape{2, 4});
  CHECK(
      note(graph, "control-flow") ==
      R"(Loop: once counted as one operator, its body times its trips; first: node "Loop_0" ("Loop"): 5 times)");
}

TEST_CASE("the results of a scan output are stacked, one slice for each trip") {
  auto model = onnx_model(kLoop, {"w"});
  auto& user = *model.mutable_graph()->add_node();
  user.set_op_type("Relu");
  user.add_input("ys");
  user.add_output("z");
  model.mutable_graph()->mutable_output(1)->set_name("z");
  const Graph graph = imported(model);
  REQUIRE(graph.size() == 2);
  CHECK(graph.op(OpIndex(1)).output_shape == Shape{5, 2, 4});
  CHECK(graph.predecessors(OpIndex(1)) == std::vector<OpIndex>{OpIndex(0)});
}

TEST_CASE("a loop whose count is open is counted once") {
  std::string text = kLoop;
  text.replace(text.find("n = {5}"), 7, "n = {9223372036854775807}");
  const Graph graph = imported(text, {"w"});
  CHECK(graph.op(OpIndex(0)).work.steps == 1);
  CHECK(note(graph, "control-flow").ends_with("once, the count being open"));
}

TEST_CASE("a scan runs its body once for each slice") {
  const Graph graph = imported(R"(agraph (float[2,4] start, float[7,2,4] xs) => (float[M] last, float[K] ys) {
    last, ys = Scan (start, xs) <
      num_scan_inputs = 1, body = once (float[2,4] s, float[2,4] x) => (float[2,4] s2, float[2,4] o) { s2 = Add(s, x) o = Relu(s2) }
    >
  })");
  REQUIRE(graph.size() == 1);
  CHECK(graph.op(OpIndex(0)).work.steps == 7);
  CHECK(graph.op(OpIndex(0)).work.flops == Flops(7.0 * (8 + 8)));
}

TEST_CASE("a model's own function is expanded with the caller's attributes") {
  const std::string text = R"(<ir_version: 8, opset_import: ["" : 17, "own" : 1]>
  agraph (float[2,3,4] x) => (float[M] y) { a = own.twice <order = [0, 2, 1]> (x) y = Neg(a) }
  <domain: "own", opset_import: ["" : 17]>
  twice <order> (p) => (q) { e = Exp(p) q = Transpose <perm : ints = @order> (e) })";
  const Graph graph = imported(text);
  REQUIRE(graph.size() == 3);
  CHECK(graph.op(OpIndex(1)).name == "twice_0/Transpose_1");
  CHECK(graph.op(OpIndex(1)).output_shape == Shape{2, 4, 3});
}

TEST_CASE("functions that call themselves are refused") {
  const std::string text = R"(<ir_version: 8, opset_import: ["" : 17, "own" : 1]>
  agraph (float[2] x) => (float[M] y) { y = own.f (x) }
  <domain: "own", opset_import: ["" : 17, "own" : 1]>
  f (p) => (q) { q = own.f(p) })";
  CHECK(import_error(text).find("stand more than 64 deep in one another (does a function call itself?)") !=
        std::string::npos);
}

TEST_CASE("bodies that do not fit their node are refused with its name") {
  auto model = onnx_model(kLoop, {"w"});
  model.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_g()->add_input()->set_name("extra");
  CHECK(import_error(model).starts_with(
      R"(model.onnx: node "Loop_0" ("Loop"): its body has 4 inputs and 3 outputs for 1 carried values)"));
  model.mutable_graph()->mutable_node(0)->clear_attribute();
  CHECK(import_error(model) == R"(model.onnx: node "Loop_0" ("Loop"): has no graph body)");
}

TEST_CASE("strict refuses an unknown operator in a branch that might not be taken") {
  ImportOptions strict;
  strict.strict = true;
  CHECK(import_error(R"(agraph (float[2,4] x, bool c) => (float[M] y) {
    y = If (c) <then_branch = yes () => (float[N] t) { t = Unheard(x) }, else_branch = no () => (float[N] e) { e = Relu(x) }>
  })",
                     {}, strict)
            .find("has no work rule") != std::string::npos);
}
