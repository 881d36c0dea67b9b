// Shapes by our own rules: against expected ones, and against the ONNX library's inference where it knows the operator.
#include <doctest/doctest.h>
#include <onnx/shape_inference/implementation.h>

#include "tests/support/onnx_text.hpp"

using namespace corecast;
using namespace corecast::graphs;
using corecast::test::imported;
using corecast::test::onnx_model;
using Shape = std::vector<std::int64_t>;

namespace {

struct Case {
  const char* inputs;     // typed, all of them real inputs
  const char* constants;  // or nullptr
  const char* node;       // makes y
  Shape shape;
};

std::string text_of(const Case& one, const std::string& header = "") {
  const std::string constants = one.constants == nullptr ? "" : std::string("<") + one.constants + "> ";
  return header + "agraph (" + one.inputs + ") => (float[M] y) " + constants + "{ " + one.node + " }";
}

// What the ONNX library says of y; nothing when it does not know.
std::optional<Shape> by_library(const std::string& text) {
  auto model = onnx_model(text);
  model.mutable_graph()->mutable_output(0)->clear_type();
  ::onnx::shape_inference::InferShapes(model);
  const auto& type = model.graph().output(0).type().tensor_type();
  if (!type.has_shape()) return std::nullopt;
  Shape shape;
  for (const auto& size : type.shape().dim()) {
    if (!size.has_dim_value()) return std::nullopt;
    shape.push_back(size.dim_value());
  }
  return shape;
}

Shape by_import(const std::string& text) {
  auto model = onnx_model(text);
  model.mutable_graph()->mutable_output(0)->clear_type();
  const Graph graph = imported(model);
  REQUIRE(graph.size() == 1);
  return graph.op(OpIndex(0)).output_shape;
}

const Case kStandard[] = {
    {"float[2,1,4] x, float[3,1] z", nullptr, "y = Add(x, z)", {2, 3, 4}},
    {"float[2,1,4] x, float[3,1] z", nullptr, "y = Greater(x, z)", {2, 3, 4}},
    {"bool[3] c, float[2,1] x, float[1] z", nullptr, "y = Where(c, x, z)", {2, 3}},
    {"float[4,1] x, float[1,5] z, float[5] u", nullptr, "y = Max(x, z, u)", {4, 5}},
    {"float[2,3] x", nullptr, "y = Softmax(x)", {2, 3}},
    {"float[2,3] x", nullptr, "y = Cast <to = 10> (x)", {2, 3}},
    {"float[1,3,9,7] x, float[8,3,3,3] w",
     nullptr,
     "y = Conv <strides = [2, 1], pads = [1, 0, 1, 0]> (x, w)",
     {1, 8, 5, 5}},
    {"float[1,4,9,9] x, float[8,2,3,3] w",
     nullptr,
     "y = Conv <group = 2, dilations = [2, 2]> (x, w)",
     {1, 8, 5, 5}},
    {"float[1,3,9,9] x, float[8,3,3,3] w",
     nullptr,
     "y = Conv <auto_pad = \"SAME_UPPER\", strides = [2, 2]> (x, w)",
     {1, 8, 5, 5}},
    {"float[1,3,9] x, float[8,3,3] w", nullptr, "y = Conv(x, w)", {1, 8, 7}},
    {"float[1,4,5,5] x, float[4,3,3,3] w",
     nullptr,
     "y = ConvTranspose <strides = [2, 2], output_padding = [1, 1], pads = [1, 1, 1, 1], group = 2> (x, w)",
     {1, 6, 10, 10}},
    {"float[1,3,9,9] x", nullptr, "y = MaxPool <kernel_shape = [3, 3], strides = [2, 2]> (x)", {1, 3, 4, 4}},
    {"float[1,3,10,10] x",
     nullptr,
     "y = AveragePool <kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1> (x)",
     {1, 3, 5, 5}},
    {"float[1,3,10,10] x", nullptr, "y = GlobalMaxPool(x)", {1, 3, 1, 1}},
    {"float[1,5,8,8] x, float[7,4] b, int64[7] i",
     nullptr,
     "y = RoiAlign <output_height = 3, output_width = 2> (x, b, i)",
     {7, 5, 3, 2}},
    {"float[4,3] a, float[5,4] b", nullptr, "y = Gemm <transA = 1, transB = 1> (a, b)", {3, 5}},
    {"float[2,1,3,4] a, float[7,4,5] b", nullptr, "y = MatMul(a, b)", {2, 7, 3, 5}},
    {"float[4] a, float[7,4,5] b", nullptr, "y = MatMul(a, b)", {7, 5}},
    {"float[7,3,4] a, float[4] b", nullptr, "y = MatMul(a, b)", {7, 3}},
    {"uint8[3,4] a, uint8[4,5] b", nullptr, "y = MatMulInteger(a, b)", {3, 5}},
    {"float[2,3,4] a, float[2,4,5] b",
     nullptr,
     "y = Einsum <equation = \"bij, bjk -> bik\"> (a, b)",
     {2, 3, 5}},
    {"float[2,3,3] a", nullptr, "y = Det(a)", {2}},
    {"float[2,3] x, float[2,4] z", nullptr, "y = Concat <axis = -1> (x, z)", {2, 7}},
    {"float[2,3,4] x", "int64[3] s = {0, -1, 2}", "y = Reshape(x, s)", {2, 6, 2}},
    {"float[2,3,4] x", nullptr, "y = Flatten <axis = 2> (x)", {6, 4}},
    {"float[2,3,4] x", nullptr, "y = Transpose(x)", {4, 3, 2}},
    {"float[2,1,4,1] x", "int64[1] a = {-1}", "y = Squeeze(x, a)", {2, 1, 4}},
    {"float[2,1,4,1] x", nullptr, "y = Squeeze(x)", {2, 4}},
    {"float[2,3] x", "int64[2] a = {0, -1}", "y = Unsqueeze(x, a)", {1, 2, 3, 1}},
    {"float[2,1] x", "int64[3] s = {5, 1, 4}", "y = Expand(x, s)", {5, 2, 4}},
    {"float[2,3] x", "int64[2] s = {2, 3}", "y = Tile(x, s)", {4, 9}},
    {"float[2,3] x", "int64[4] p = {0, 1, 2, 3}", "y = Pad(x, p)", {4, 7}},
    {"float[9,8] x",
     "int64[2] s = {1, -1}, int64[2] e = {-2, -9223372036854775807}, int64[2] a = {0, 1}, int64[2] t = {2, "
     "-3}",
     "y = Slice(x, s, e, a, t)",
     {3, 3}},
    {"float[2,7] x", "int64[2] s = {3, 4}", "y, z = Split <axis = 1> (x, s)", {2, 3}},
    {"float[1,2,4,6] x", "float[4] s = {1.0, 1.0, 0.5, 2.0}", "y = Resize(x, , s)", {1, 2, 2, 12}},
    {"float[1,2,4,6] x", "int64[4] s = {1, 2, 7, 5}", "y = Resize(x, , , s)", {1, 2, 7, 5}},
    {"float[1,8,2,3] x", nullptr, "y = DepthToSpace <blocksize = 2> (x)", {1, 2, 4, 6}},
    {"float[1,2,4,6] x", nullptr, "y = SpaceToDepth <blocksize = 2> (x)", {1, 8, 2, 3}},
    {"float[5,6,7] x, int64[2,3] i", nullptr, "y = Gather <axis = 1> (x, i)", {5, 2, 3, 7}},
    {"float[5,6] x, int64[2,3] i", nullptr, "y = GatherElements(x, i)", {2, 3}},
    {"float[5,6,7] x, int64[4,2] i", nullptr, "y = GatherND(x, i)", {4, 7}},
    {"float[5,6,7] x", nullptr, "y = ReduceMean <axes = [0, -1], keepdims = 0> (x)", {6}},
    {"float[5,6,7] x", "int64[1] a = {1}", "y = ReduceSum(x, a)", {5, 1, 7}},
    {"float[5,6,7] x", nullptr, "y = ReduceMax(x)", {1, 1, 1}},
    {"float[5,6,7] x", nullptr, "y = ArgMax <axis = 1, keepdims = 0> (x)", {5, 7}},
    {"float[5,6] x", "int64[1] k = {3}", "y, i = TopK(x, k)", {5, 3}},
    {"int64[2,3] x", "int64 d = {9}, float[2] v = {0.0, 1.0}", "y = OneHot(x, d, v)", {2, 3, 9}},
    {"float[2,3,4] x, float[4] s", nullptr, "y = LayerNormalization(x, s)", {2, 3, 4}},
    {"float[5,2,3] x, float[2,16,3] w, float[2,16,4] r",
     nullptr,
     "y = LSTM <hidden_size = 4, direction = \"bidirectional\"> (x, w, r)",
     {5, 2, 2, 4}},
    {"float[5,2,3] x, float[1,12,3] w, float[1,12,4] r",
     nullptr,
     "y = GRU <hidden_size = 4> (x, w, r)",
     {5, 1, 2, 4}},
    {"float[1,3,4,4] x, float[1,5,6,2] g", nullptr, "y = GridSample(x, g)", {1, 3, 5, 6}},
    {"float[2,4] x", nullptr, "y = Multinomial <sample_size = 7> (x)", {2, 7}},
};

}  // namespace

TEST_CASE(
    "shapes of standard operators come out as the specification says, and as the ONNX library infers them") {
  int compared = 0;
  for (const Case& one : kStandard) {
    INFO(std::string(one.node));
    const std::string text = text_of(one);
    CHECK(by_import(text) == one.shape);
    if (const auto library = by_library(text)) {
      CHECK(*library == one.shape);
      ++compared;
    }
  }
  CHECK(compared > 35);
}

TEST_CASE("shapes of operators newer than the library") {
  const std::string header = R"(<ir_version: 10, opset_import: ["" : 23]> )";
  const Case newer[] = {
      {"float[2,8,4] x", nullptr, "y = GroupNormalization <num_groups = 2> (x, x, x)", {2, 8, 4}},
      {"float[2,3,4] x", "int64[2] a = {0, 2}", "y = ReduceMax <keepdims = 0> (x, a)", {3}},
      {"float[2,7] x", nullptr, "y, z, u = Split <axis = 1, num_outputs = 3> (x)", {2, 3}},
      {"float[2,5,4,6] x",
       "int64[2] s = {8, 8}",
       "y = Resize <axes = [2, 3], keep_aspect_ratio_policy = \"not_larger\"> (x, , , s)",
       {2, 5, 5, 8}},
      {"float[2,3] x",
       "int64[2] p = {1, 1}, float v = {0.0}, int64[1] a = {1}",
       "y = Pad(x, p, v, a)",
       {2, 5}},
      {"float[1,12,5] x", "int64[2] i = {3, 3}, int64[2] b = {2, 2}", "y = Col2Im(x, i, b)", {1, 3, 3, 3}},
      {"float[2,5,32] q, float[2,7,16] k, float[2,7,16] v",
       nullptr,
       "y = Attention <q_num_heads = 8, kv_num_heads = 4> (q, k, v)",
       {2, 5, 32}},
      {"float[2,5,32] x, float[32] s", nullptr, "y = RMSNormalization(x, s)", {2, 5, 32}},
  };
  for (const Case& one : newer) {
    INFO(std::string(one.node));
    CHECK(by_import(text_of(one, header)) == one.shape);
  }
}

TEST_CASE("shapes of a runtime's fused operators") {
  const std::string header = R"(<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]> )";
  const Case fused[] = {
      {"float[2,3,4] a, float[2,5,4] b",
       nullptr,
       "y = com.microsoft.FusedMatMul <transB = 1> (a, b)",
       {2, 3, 5}},
      {"float[1,3,8,8] x, float[4,3,3,3] w",
       nullptr,
       "y = com.microsoft.FusedConv <activation = \"Relu\"> (x, w)",
       {1, 4, 6, 6}},
      {"float[2,5,8] x, float[2,5,8] z, float[8] s",
       nullptr,
       "y = com.microsoft.SkipLayerNormalization(x, z, s)",
       {2, 5, 8}},
      {"float[2,5,8] x, float[8,24] w, float[24] b",
       nullptr,
       "y = com.microsoft.Attention <num_heads = 2> (x, w, b)",
       {2, 5, 8}},
      {"float[2,5,8] x, float[2,7,8] k, float[2,7,16] v",
       nullptr,
       "y = com.microsoft.MultiHeadAttention <num_heads = 2> (x, k, v)",
       {2, 5, 16}},
      {"float[2,5,96] x",
       nullptr,
       "y = com.microsoft.GroupQueryAttention <num_heads = 4, kv_num_heads = 1> (x)",
       {2, 5, 64}},
      {"float[2,5,8] x, float[8] b", nullptr, "y = com.microsoft.BiasGelu(x, b)", {2, 5, 8}},
      {"float[2,5,64] x, uint8[48,2,16] b, float[96] s",
       nullptr,
       "y = com.microsoft.MatMulNBits <K = 64, N = 48, bits = 4, block_size = 32> (x, b, s)",
       {2, 5, 48}},
      {"float[2,5,64] x, uint8[64,48] b, float s",
       nullptr,
       "y = com.microsoft.DynamicQuantizeMatMul(x, b, s)",
       {2, 5, 48}},
      {"int32[2,5] i, int32[2,5] t, float[99,8] w, float[16,8] p, float[2,8] q, float[8] g, float[8] b",
       nullptr,
       "y, m = com.microsoft.EmbedLayerNormalization(i, t, w, p, q, g, b)",
       {2, 5, 8}},
      {"uint8[2,3] a, float s, uint8 z, uint8[2,1] b",
       nullptr,
       "y = com.microsoft.QLinearAdd(a, s, z, b, s, z, s, z)",
       {2, 3}},
      {"uint8[1,8,8,3] a, float s, uint8 z",
       nullptr,
       "y = com.microsoft.QLinearGlobalAveragePool <channels_last = 1> (a, s, z, s, z)",
       {1, 1, 1, 3}},
      {"float s, uint8 z, uint8[2,3] a, uint8[2,5] b",
       nullptr,
       "y = com.microsoft.QLinearConcat <axis = 1> (s, z, a, s, z, b, s, z)",
       {2, 8}},
  };
  for (const Case& one : fused) {
    INFO(std::string(one.node));
    CHECK(by_import(text_of(one, header)) == one.shape);
  }
}

TEST_CASE("operators of ai.onnx.ml that map their elements keep the shape") {
  CHECK(by_import(R"(<ir_version: 8, opset_import: ["" : 17, "ai.onnx.ml" : 3]>
    agraph (float[2,5] x) => (float[M] y) { y = ai.onnx.ml.Binarizer <threshold = 0.5> (x) })") ==
        Shape{2, 5});
}
