// Constants and shape-computing subgraphs are evaluated at import, as a runtime does before the first run.
#include <doctest/doctest.h>

#include "tests/support/onnx_text.hpp"

using namespace corecast;
using namespace corecast::graphs;
using corecast::test::imported;
using corecast::test::note;
using corecast::test::onnx_model;
using Shape = std::vector<std::int64_t>;

namespace {

// The numbers that `nodes` compute into `s`, seen as the shape of the only operator left.
Shape shape_made_by(const std::string& nodes, const std::string& constants = "int64[1] unused = {1}") {
  const std::string text = "agraph (float[2,3,4] x, float[1] r) => (float[M] y) <" + constants + "> {" +
                           nodes + " y = Expand(r, s) }";
  const Graph graph = imported(text);
  REQUIRE(graph.size() == 1);
  return graph.op(OpIndex(0)).output_shape;
}

}  // namespace

TEST_CASE("the usual chain of Shape, Gather, Unsqueeze, Concat and Reshape is folded away") {
  const Graph graph = imported(
      R"(agraph (float[B,3,4,5] x) => (float[M] y) <int64 zero = {0}, int64[1] axes = {0}, int64[1] rest = {-1}> {
    s = Shape(x)
    b = Gather(s, zero)
    u = Unsqueeze(b, axes)
    t = Concat <axis = 0> (u, rest)
    y = Reshape(x, t)
  })",
      {}, [] {
        ImportOptions options;
        options.batch = 7;
        return options;
      }());
  REQUIRE(graph.size() == 1);
  CHECK(graph.op(OpIndex(0)).output_shape == Shape{7, 60});
  CHECK(note(graph, "shapes-folded") ==
        "4 operators compute only shapes and other values that are fixed with the input sizes: left out");
}

TEST_CASE("arithmetic on shapes is folded") {
  // x is 2 x 3 x 4
  CHECK(shape_made_by("s = Shape(x)") == Shape{2, 3, 4});
  CHECK(shape_made_by("s = Shape <start = 1, end = -1> (x)") == Shape{3});
  CHECK(shape_made_by("n = Size(x) s = Unsqueeze(n, zero)", "int64[1] zero = {0}") == Shape{24});
  CHECK(shape_made_by("a = Shape(x) s = Add(a, a)") == Shape{4, 6, 8});
  CHECK(shape_made_by("a = Shape(x) s = Mul(a, two)", "int64 two = {2}") == Shape{4, 6, 8});
  CHECK(shape_made_by("a = Shape(x) b = Sub(a, two) s = Abs(b)", "int64 two = {5}") == Shape{3, 2, 1});
  CHECK(shape_made_by("a = Shape(x) s = Div(a, two)", "int64 two = {2}") == Shape{1, 1, 2});
  CHECK(shape_made_by("a = Shape(x) b = Mod(a, two) s = Max(b, one)", "int64 two = {3}, int64 one = {1}") ==
        Shape{2, 1, 1});
  CHECK(shape_made_by("a = Shape(x) s = Min(a, two)", "int64 two = {3}") == Shape{2, 3, 3});
  CHECK(shape_made_by("a = Shape(x) s = ReduceProd <keepdims = 1> (a)") == Shape{24});
  CHECK(shape_made_by("a = Shape(x) b = Equal(a, two) s = Where(b, a, two)", "int64[3] two = {9, 3, 4}") ==
        Shape{9, 3, 4});
  CHECK(shape_made_by("a = Shape(x) b = Less(a, two) c = Not(b) d = Cast <to = 7> (c) s = Add(d, d)",
                      "int64 two = {1}") == Shape{2, 2, 2});
}

TEST_CASE("shapes that pass through floating point are folded") {
  // 2 3 4 times 1.5 = 3, 4.5, 6; rounded down
  CHECK(shape_made_by("a = Shape(x) f = Cast <to = 1> (a) m = Mul(f, h) d = Floor(m) s = Cast <to = 7> (d)",
                      "float h = {1.5}") == Shape{3, 4, 6});
  CHECK(shape_made_by("a = Shape(x) f = Cast <to = 1> (a) m = Mul(f, h) d = Ceil(m) s = Cast <to = 7> (d)",
                      "float h = {1.5}") == Shape{3, 5, 6});
}

TEST_CASE("cutting, joining and moving shapes is folded") {
  const std::string numbers =
      "int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] last = {-1}, int64[1] far = "
      "{9223372036854775807}";
  CHECK(shape_made_by("a = Shape(x) s = Slice(a, one, far)", numbers) == Shape{3, 4});
  CHECK(shape_made_by("a = Shape(x) s = Slice(a, zero, last)", numbers) == Shape{2, 3});
  CHECK(shape_made_by("a = Shape(x) s = Slice(a, far, zero, zero, last)", numbers) ==
        Shape{4, 3});  // backwards, 0 excluded
  CHECK(shape_made_by("a = Shape(x) b, c = Split(a, parts) s = Concat <axis = 0> (c, b)",
                      "int64[2] parts = {1, 2}") == Shape{3, 4, 2});
  CHECK(shape_made_by("a = Shape(x) s = Gather(a, order)", "int64[3] order = {2, 0, -2}") == Shape{4, 2, 3});
  CHECK(shape_made_by(
            "a = Shape(x) b = Reshape(a, column) c = Transpose(b) d = Tile(c, twice) s = Reshape(d, flat)",
            "int64[2] column = {3, 1}, int64[2] twice = {2, 1}, int64[1] flat = {-1}") ==
        Shape{2, 3, 4, 2, 3, 4});
  CHECK(shape_made_by("a = Shape(x) b = Shape(a) s = ConstantOfShape <value = int64[1] {6}> (b)") ==
        Shape{6, 6, 6});
  CHECK(shape_made_by("s = Range(a, b, c)", "int64 a = {2}, int64 b = {9}, int64 c = {3}") == Shape{2, 5, 8});
  CHECK(shape_made_by("a = Shape(x) b = Expand(two, far) c = Squeeze(a) s = Add(b, c)",
                      "int64[1] two = {2}, int64[1] far = {3}") == Shape{4, 5, 6});
  CHECK(shape_made_by(
            "a = ConstantOfShape <value = int64[1] {1}> (n) b = NonZero(a) c = Squeeze(b) s = Add(c, n)",
            "int64[1] n = {4}") == Shape{4, 5, 6, 7});
  CHECK(shape_made_by("s = Constant <value_ints = [4, 2]> ()") == Shape{4, 2});
}

TEST_CASE("what has no value is left unknown instead of guessed") {
  for (const char* nodes : {"a = Shape(x) s = Div(a, zero)", "a = Shape(x) s = Mod(a, zero)",
                            "a = Add(big, big) s = Sub(a, big)", "a = Mul(big, big) s = Sub(a, big)"}) {
    CAPTURE(nodes);
    const Graph graph = imported(std::string("agraph (float[2,3,4] x, float[1] r) => (float[M] y) <int64 "
                                             "zero = {0}, int64[1] big = {9223372036854775807}> {") +
                                 nodes + " y = Expand(r, s) }");
    CHECK(note(graph, "unknown-shape").find("Expand") != std::string::npos);
  }
}

TEST_CASE("all that depends on constants only is computed before the run and stays a weight") {
  // As in the backend tests' "light" models: weights are constant-fill operators.
  const Graph graph = imported(
      R"(agraph (float[1,3,8,8] x) => (float[1,4,6,6] y) <int64[4] dims = {4, 3, 3, 3}, int64[1] four = {4}, int64[2] axes = {1, 2}> {
    w = ConstantOfShape <value = float[1] {0.5}> (dims)
    v = ConstantOfShape (four)
    b = Unsqueeze(v, axes)
    c = Conv(x, w)
    y = Add(c, b)
  })");
  REQUIRE(graph.size() == 2);
  CHECK(graph.op(OpIndex(0)).parameters == 4 * 3 * 3 * 3);
  CHECK(graph.op(OpIndex(1)).parameters == 4);
  CHECK(graph.notes.empty());
}

TEST_CASE("random numbers are no constants") {
  const Graph graph = imported(R"(agraph (float[4] x, float[4] w) => (float[4] y) {
    r = RandomNormalLike(w)
    y = Add(x, r)
  })",
                               {"w"});
  CHECK(graph.size() == 2);
}

TEST_CASE("half-precision and typed-field constants are read as well as raw ones") {
  auto model = onnx_model(
      "agraph (float[1,1,4,4] x, float16[4] h) => (float[M] y) { s = Cast <to = 1> (h) y = Resize(x, , s) }",
      {"h"});
  auto& half = *model.mutable_graph()->mutable_initializer(0);
  // 1, 1, 1.5, 2 as IEEE half precision
  for (const int bits : {0x3C00, 0x3C00, 0x3E00, 0x4000}) half.add_int32_data(bits);
  CHECK(imported(model).op(OpIndex(0)).output_shape == Shape{1, 1, 6, 8});
  half.clear_int32_data();
  half.set_raw_data(std::string("\x00\x3C\x00\x3C\x00\x3E\x00\x40", 8));
  CHECK(imported(model).op(OpIndex(0)).output_shape == Shape{1, 1, 6, 8});
}
