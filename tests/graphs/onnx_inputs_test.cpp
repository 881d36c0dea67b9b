// Sizes of inputs: open dimensions, --shape, --batch, and another batch than the file's.
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

ImportOptions batch(std::int64_t n) {
  ImportOptions options;
  options.batch = n;
  return options;
}

ImportOptions shape(const std::string& name, Shape value) {
  ImportOptions options;
  options.shapes[name] = std::move(value);
  return options;
}

Shape last_shape(const Graph& graph) {
  return graph.op(OpIndex(graph.size() - 1)).output_shape;
}

}  // namespace

TEST_CASE("an open leading dimension named as a batch is taken as 1, with a note, or as asked for") {
  const char* text =
      "agraph (float[batch_size,4] x, float[N,4] z) => (float[M,4] y) { a = Relu(x) y = Add(a, z) }";
  const Graph graph = imported(text);
  CHECK(graph.batch == 1);
  CHECK(last_shape(graph) == Shape{1, 4});
  CHECK(note(graph, "batch-assumed") ==
        R"(the model leaves its batch open (input "x", "z"): 1 is taken; --batch N asks for another)");
  const Graph eight = imported(text, {}, batch(8));
  CHECK(eight.batch == 8);
  CHECK(last_shape(eight) == Shape{8, 4});
  CHECK(eight.notes.empty());
}

TEST_CASE("a batch that is named stands for the same size wherever it is") {
  const char* text = "agraph (float[seq,batch,8] x, float[batch,8] z) => (float[M] y) { y = Add(x, z) }";
  ImportOptions options = batch(3);
  options.shapes["x"] = {5, 3, 8};
  CHECK(last_shape(imported(text, {}, options)) == Shape{5, 3, 8});
  options.shapes["x"] = {5, 4, 8};
  CHECK(
      import_error(text, {}, options) ==
      R"(model.onnx: input "x": dimension "batch" is 3 here and 4 elsewhere (dimensions of one name must have one size))");
}

TEST_CASE("equal names bind to equal sizes") {
  const char* text = "agraph (float[1,len] x, float[1,len] z) => (float[1,len] y) { y = Add(x, z) }";
  CHECK(last_shape(imported(text, {}, shape("x", {1, 7}))) == Shape{1, 7});
}

TEST_CASE("any other open dimension must be given, and the message says how") {
  const char* text = "agraph (float[batch,3,height,width] x) => (float[M] y) { y = Relu(x) }";
  CHECK(
      import_error(text) ==
      R"(model.onnx: input "x": dimension 2 ("height") has no size in the model (give it with --shape x=1x3x?x?, with numbers for ?))");
  CHECK(last_shape(imported(text, {}, shape("x", {2, 3, 16, 8}))) == Shape{2, 3, 16, 8});
  CHECK(
      import_error("agraph (float[words] x) => (float[M] y) { y = Relu(x) }") ==
      R"(model.onnx: input "x": dimension 0 ("words") has no size in the model (give it with --batch N, or with --shape x=?))");
}

TEST_CASE("a size of -1 means any") {
  auto model = onnx_model("agraph (float[1,4] x) => (float[M] y) { y = Relu(x) }");
  model.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(-1);
  CHECK(last_shape(imported(model, batch(5))) == Shape{5, 4});
}

TEST_CASE("an input without a shape must be given one") {
  auto model = onnx_model("agraph (float[1,4] x) => (float[M] y) { y = Relu(x) }");
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  CHECK(import_error(model) ==
        R"(model.onnx: input "x": has no shape in the model (give it with --shape x=...))");
  CHECK(last_shape(imported(model, shape("x", {2, 2}))) == Shape{2, 2});
}

TEST_CASE("shapes asked for must be of an input, of its rank, and not against what the file fixes") {
  const char* text = "agraph (float[N,4] image) => (float[M] y) { y = Relu(image) }";
  CHECK(import_error(text, {}, shape("imgae", {1, 4})).find("(did you mean \"image\"?)") !=
        std::string::npos);
  CHECK(import_error(text, {}, shape("x", {1, 4})) ==
        R"(model.onnx: has no input "x" (its inputs are image))");
  CHECK(import_error(text, {}, shape("image", {4})) ==
        R"(model.onnx: input "image": shape 4 has rank 1, the model wants rank 2: ?x4)");
  CHECK(import_error(text, {}, shape("image", {1, 5})) ==
        R"(model.onnx: input "image": dimension 1 is fixed to 4 in the model, 5 asked for)");
  CHECK(import_error(text, {}, shape("image", {-1, 4})).find("shape -1x4 asked for: negative") !=
        std::string::npos);
  CHECK(import_error(text, {}, batch(0)) == "model.onnx: batch 0 asked for, wanted 1 or more");
  CHECK(import_error("agraph (float[4] x) => (float[M] y) { y = Relu(x) }", {}, batch(2)) ==
        "model.onnx: batch 2 asked for, but no input has a batch dimension");
}

TEST_CASE("a cache that is still empty has a size of 0") {
  const char* text =
      "agraph (float[1,past,8] cache, float[1,2,8] x) => (float[M] y) { y = Concat <axis = 1> (cache, x) }";
  CHECK(last_shape(imported(text, {}, shape("cache", {1, 0, 8}))) == Shape{1, 2, 8});
}

TEST_CASE("another batch than the one the file fixes goes through reshapes, constants and declared shapes") {
  const char* text =
      R"(agraph (float[1,3,4,4] x, float[1,3] mask, float[1,1,48] token) => (float[1,2,48] y, float[1,3,16] z)
    <float[1,48] declared, int64[2] flat = {1, -1}, int64[2] fixed = {1, 48}, int64[3] rows = {1, 3, 16}, int64[3] row = {1, 1, 48}> {
    f = Reshape(x, flat)
    g = Reshape(f, fixed)
    h = Reshape(g, row)
    y = Concat <axis = 1> (token, h)
    declared = Relu(g)
    z = Reshape(declared, rows)
  })";
  const Graph graph = imported(text, {"token"}, batch(8));
  CHECK(graph.batch == 8);
  const auto found = graph.find("Concat_3");
  REQUIRE(found);
  CHECK(graph.op(*found).output_shape == Shape{8, 2, 48});
  CHECK(last_shape(graph) == Shape{8, 3, 16});
  CHECK(note(graph, "rebatched") == "the model fixes its batch to 1: all shapes are inferred anew for 8");
  CHECK(note(graph, "shape-contradiction").empty());
}

TEST_CASE("asking for the batch that the file fixes changes nothing") {
  CHECK(imported("agraph (float[4,3] x) => (float[4,3] y) { y = Relu(x) }", {}, batch(4)).notes.empty());
}

TEST_CASE("a batch that is folded into another size cannot be changed, and the message says why") {
  // 2 x 6 -> 3 x 4: no factor of the target is the batch.
  const char* text = "agraph (float[2,6] x) => (float[3,4] y) <int64[2] s = {3, 4}> { y = Reshape(x, s) }";
  CHECK(import_error(text, {}, batch(7)) ==
        "model.onnx: node \"Reshape_0\" (\"Reshape\"): 42 elements of shape 7x6 do not fill the target shape "
        "3x4 with batch "
        "7 (the model is fixed to batch 2; export it with a dynamic batch)");
}

TEST_CASE("inputs that are no tensors have no shape and need none") {
  auto model =
      onnx_model("agraph (float[4] x, float[4] s) => (float[4] y) { y = Relu(x) e = SequenceLength(s) }");
  auto* type = model.mutable_graph()->mutable_input(1)->mutable_type();
  type->clear_value();
  type->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(1);
  model.mutable_graph()->add_output()->set_name("e");
  CHECK(imported(model).size() == 2);
}

TEST_CASE(
    "a recurrent operator's input has its batch in the second dimension, unless its layout says otherwise") {
  // (sequence, batch, features); weights (directions, 4 hidden, features), recurrence (directions, 4 hidden, hidden).
  const auto ones = [](int count) {
    std::string list = "1";
    for (int i = 1; i < count; ++i) list += ",1";
    return "{" + list + "}";
  };
  const std::string weights = "<float[1,8,3] w = " + ones(24) + ", float[1,8,2] r = " + ones(16) + ">";
  const std::string head = "agraph (float[64,1,3] x) => (float[64,1,1,2] y) " + weights;
  const Graph graph = imported(head + " { y = LSTM<hidden_size=2>(x, w, r) }");
  CHECK(graph.batch == 1);
  // Asked for 5: five times the work of every one of the 64 steps, not fewer steps.
  const Graph five = imported(head + " { y = LSTM<hidden_size=2>(x, w, r) }", {}, batch(5));
  CHECK(five.batch == 5);
  CHECK(five.op(OpIndex(0)).work.steps == 64);
  CHECK(five.total_flops() == graph.total_flops() * 5.0);
  const Graph through = imported(head + " { a = Identity(x) y = LSTM<hidden_size=2>(a, w, r) }");
  CHECK(through.batch == 1);
  const Graph batch_first = imported("agraph (float[64,7,3] x) => (float[64,7,1,2] y) " + weights +
                                     " { y = LSTM<hidden_size=2, layout=1>(x, w, r) }");
  CHECK(batch_first.batch == 64);
}
