// The contract of operator_of: what it fills in, what it refuses, what it does with what is not known.
#include "graphs/work_rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "tests/graphs/rules_node.hpp"

using namespace corecast;
using namespace corecast::graphs;
using namespace corecast::test;

namespace {

// The message of the InputError that operator_of throws; empty when it throws none.
std::string refusal(const NodeView& view) {
  try {
    (void)operator_of(view);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

bool says(const std::string& message, std::string_view part) {
  return message.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("tensors know their elements and bytes") {
  const NodeView view = node("Add", "2x3, scalar, ?, int4 9 -> 2x3");
  CHECK(view.inputs[0].elements() == 6);
  CHECK(view.inputs[1].elements() == 1);
  CHECK(view.inputs[2].elements() == 0);
  CHECK(view.inputs[3].bytes() == Bytes(4.5));
}

TEST_CASE("attributes are read by type, with a value for when they are left out") {
  const NodeView view =
      node("X", "1 -> 1", {{"i", whole(3)}, {"f", 0.5}, {"s", text("a")}, {"l", list({1, 2})}});
  CHECK(view.whole("i", 7) == 3);
  CHECK(view.whole("none", 7) == 7);
  CHECK(view.number("f", 1.0) == 0.5);
  CHECK(view.number("i", 1.0) == 3.0);
  CHECK(view.text("s", "b") == "a");
  CHECK(view.wholes("l") == std::vector<std::int64_t>{1, 2});
  CHECK(view.wholes("none").empty());
  CHECK_THROWS_AS((void)view.whole("s", 0), InputError);
  CHECK_THROWS_AS((void)view.number("l", 0), InputError);
  CHECK_THROWS_AS((void)view.text("i", ""), InputError);
  CHECK_THROWS_AS((void)view.wholes("f"), InputError);
}

TEST_CASE("what is left out is not there") {
  const NodeView view = node("X", "1, -, 1 -> 1, -");
  CHECK(view.input(0) != nullptr);
  CHECK(view.input(1) == nullptr);
  CHECK(view.input(2) != nullptr);
  CHECK(view.input(3) == nullptr);
  CHECK(view.output(1) == nullptr);
}

TEST_CASE("an operator without a rule is a memory pass, not understood") {
  const Operator op = rule("FancyNewThing", "2x8, w 8 -> 2x8");
  CHECK_FALSE(op.understood);
  CHECK(op.kernel == KernelClass::other);
  CHECK(op.type == "FancyNewThing");
  CHECK(op.work.activations_read == Bytes(64));
  CHECK(op.work.weights_read == Bytes(32));
  CHECK(op.work.written == Bytes(64));
  CHECK(flop(op) == 0);
  CHECK_FALSE(has_work_rule("", "FancyNewThing"));
}

TEST_CASE("a rule that misses a shape does no work, not understood") {
  for (const char* tensors :
       {"1x3x8x8, w 4x3x3x3 -> ?", "?, w 4x3x3x3 -> 1x4x6x6", "1x3x8x8, ? -> 1x4x6x6"}) {
    CAPTURE(tensors);
    const Operator op = rule("Conv", tensors);
    CHECK_FALSE(op.understood);
    CHECK(op.work.traffic() == Bytes(0));
    CHECK(op.work.units == 1);
  }
  CHECK(has_work_rule("", "Conv"));
}

TEST_CASE("a dimension of size 0 is legal and means no work") {
  const Operator conv = rule("Conv", "0x3x8x8, w 4x3x3x3 -> 0x4x6x6");
  CHECK(conv.understood);
  CHECK(flop(conv) == 0);
  CHECK(conv.work.traffic() == Bytes(0));
  CHECK(conv.work.units == 1);
  CHECK_FALSE(conv.matrix.has_value());
  // Nothing to sum, but the zeros are written.
  CHECK(rule("MatMul", "4x0, 0x4 -> 4x4").work.written == Bytes(64));
}

TEST_CASE("shapes that contradict the operator are refused, naming the node") {
  const std::string message = refusal(node("Conv", "1x3x8x8, w 4x5x3x3 -> 1x4x6x6"));
  CHECK(says(message, "node"));
  CHECK(says(message, "Conv"));
  CHECK(says(message, "input channels is 3, wanted 5"));
  CHECK(says(refusal(node("Conv", "8x8, w 4x5x3x3 -> 1x4x6x6")), "has 2 dimensions"));
  CHECK(says(refusal(node("Conv", "1x3x8x8, w 4x3x3 -> 1x4x6x6")), "has 3 dimensions"));
  CHECK(says(refusal(node("Conv", "1x3x8x8, w 4x3x3x3 -> 1x5x6x6")), "output channels"));
  CHECK(says(refusal(node("Conv", "1x3x8x8, w 4x3x3x3 -> 2x4x6x6")), "batch"));
  CHECK(says(refusal(node("Conv", "1x3x8x8, w 4x3x3x3 -> 1x4x6x6", {{"group", whole(0)}})), "group is 0"));
  CHECK(
      says(refusal(node("Conv", "1x3x8x8, w 4x3x3x3 -> 1x4x6x6", {{"kernel_shape", list({5, 5})}})), "5x5"));
  CHECK(says(refusal(node("Conv", "1x4x8x8, w 3x2x3x3 -> 1x3x6x6", {{"group", whole(2)}})), "modulo group"));
}

TEST_CASE("products, sums and axes that do not fit are refused") {
  CHECK(says(refusal(node("MatMul", "4x5, w 6x7 -> 4x7")), "rows of the right matrix is 6, wanted 5"));
  CHECK(says(refusal(node("MatMul", "2x4x5, 3x5x7 -> 3x4x7")), "do not broadcast"));
  CHECK(says(refusal(node("MatMul", "scalar, 3 -> 3")), "scalar"));
  CHECK(says(refusal(node("Gemm", "2x4x5, w 5x7 -> 4x7")), "has 3 dimensions, wanted 2"));
  CHECK(says(refusal(node("Add", "4, 3 -> 4")), "does not broadcast"));
  CHECK(
      says(refusal(node("Concat", "4, 3 -> 8", {{"axis", whole(0)}})), "sum along the axis is 7, wanted 8"));
  CHECK(says(refusal(node("Concat", "4x2, 4x3 -> 8x2", {{"axis", whole(0)}})), "dimension 1"));
  CHECK(says(refusal(node("Softmax", "4x3 -> 4x3", {{"axis", whole(2)}})), "axis 2 is outside"));
  CHECK(says(refusal(node("Transpose", "4x3 -> 3x4", {{"perm", list({0, 0})}})), "does not permute"));
  CHECK(says(refusal(node("BatchNormalization", "1x4x2x2, w 4, w 3, w 4, w 4 -> 1x4x2x2")),
             "size of input 2 is 3"));
  CHECK(says(refusal(node("MaxPool", "1x4x8x8 -> 1x4x4x4")), "kernel_shape has 0 sizes"));
}

TEST_CASE("recurrent layers and attention refuse weights that do not fit") {
  CHECK(
      says(refusal(node("LSTM", "10x2x32, w 1x256x31, w 1x256x64 -> 10x1x2x64")), "columns of the weights"));
  CHECK(says(refusal(node("LSTM", "10x2x32, w 1x192x32, w 1x256x64 -> 10x1x2x64")), "rows of the weights"));
  CHECK(says(refusal(node("LSTM", "10x2x32, w 2x256x32, w 2x256x64 -> 10x2x2x64")), "directions"));
  CHECK(says(refusal(node("com.microsoft:MultiHeadAttention", "1x4x10, 1x4x10, 1x4x10 -> 1x4x10",
                          {{"num_heads", whole(3)}})),
             "not a multiple of 3 heads"));
  CHECK(says(refusal(node("com.microsoft:MultiHeadAttention", "1x4x9, 1x4x9, 1x4x9 -> 1x4x9")),
             "num_heads is 0"));
}

TEST_CASE("an input the rule needs must be there") {
  CHECK(says(refusal(node("Conv", "1x3x8x8 -> 1x4x6x6")), "input 1 is missing"));
  CHECK(says(refusal(node("Add", "4, - -> 4")), "input 1 is missing"));
  CHECK(says(refusal(node("Relu", "4 -> ")), "output 0 is missing"));
}

TEST_CASE("sizes too large for 63 bits are refused, not wrapped") {
  const std::string huge = "1099511627776";  // 2^40
  CHECK(says(refusal(node("Relu", huge + "x" + huge + " -> " + huge + "x" + huge)), "63 bits"));
  // Each tensor has 2^40 elements; the product has 2^37 x 2^36 tiles.
  CHECK(says(refusal(node("MatMul", huge + "x1, 1x" + huge + " -> 1")), "63 bits"));
  CHECK(says(refusal(node("Relu", "-3x4 -> -3x4")), "negative"));
}

TEST_CASE("the domain ai.onnx is the standard one") {
  CHECK(has_work_rule("ai.onnx", "Conv"));
  CHECK(has_work_rule("com.microsoft", "FusedConv"));
  CHECK_FALSE(has_work_rule("", "FusedConv"));
}

TEST_CASE("rules are listed sorted, once, and each is found under its name") {
  const std::vector<std::string> names = work_rule_names();
  CHECK(names.size() > 300);
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  for (const std::string& name : names) {
    const std::size_t colon = name.find(':');
    const bool standard = colon == std::string::npos;
    CHECK(has_work_rule(standard ? "" : name.substr(0, colon), standard ? name : name.substr(colon + 1)));
  }
}
