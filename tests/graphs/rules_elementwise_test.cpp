#include <doctest/doctest.h>

#include <array>
#include <utility>

#include "tests/graphs/rules_node.hpp"

using namespace corecast;
using namespace corecast::graphs;
using namespace corecast::test;

TEST_CASE("an addition is one flop per element and streams three tensors") {
  const Operator op = rule("Add", "1x64x56x56, 1x64x56x56 -> 1x64x56x56");
  CHECK(op.kernel == KernelClass::elementwise);
  CHECK(flop(op) == 200'704);
  CHECK(op.work.activations_read == Bytes(2 * 802'816));
  CHECK(op.work.written == Bytes(802'816));
  CHECK(op.work.units == 196);  // 200,704 / 1024
  CHECK(op.work.working_set == Bytes(0));
}

TEST_CASE("a broadcast operand is read once, in its own size") {
  const Operator op = rule("Mul", "8x100, w 100 -> 8x100");
  CHECK(op.work.weights_read == Bytes(400));
  CHECK(flop(op) == 800);
}

TEST_CASE("a tensor used twice is read once") {
  CHECK(rule("Mul", "8x100, @0 -> 8x100").work.activations_read == Bytes(3200));
}

TEST_CASE("n operands take n - 1 combinations") {
  CHECK(flop(rule("Sum", "10, 10, 10 -> 10")) == 20);
  CHECK(flop(rule("Mean", "10, 10, 10 -> 10")) == 30);
  CHECK(flop(rule("Max", "10 -> 10")) == 0);
}

TEST_CASE("functions cost what the one table says") {
  const std::array<std::pair<const char*, int>, 12> costs{{{"Relu", 1},
                                                           {"Abs", 1},
                                                           {"LeakyRelu", 2},
                                                           {"Sqrt", 4},
                                                           {"HardSigmoid", 4},
                                                           {"HardSwish", 5},
                                                           {"Exp", 10},
                                                           {"Elu", 12},
                                                           {"Tanh", 15},
                                                           {"Erf", 15},
                                                           {"Gelu", 19},
                                                           {"Mish", 37}}};
  for (const auto& entry : costs) {
    const char* const type = entry.first;
    CAPTURE(type);
    CHECK(flop(rule(type, "3x5 -> 3x5")) == 15 * entry.second);
  }
}

TEST_CASE("a small whole exponent is a product, another one a power") {
  CHECK(flop(rule("Pow", "10, =2 -> 10")) == 20);
  CHECK(flop(rule("Pow", "10, w scalar -> 10")) == 200);
}

TEST_CASE("a choice computes in the type of what is chosen") {
  const Operator op = rule("Where", "bool 4x4, 4x4, scalar -> 4x4");
  CHECK(op.work.compute_type == DataType::fp32);
  CHECK(op.work.activations_read == Bytes(16 + 64 + 4));
}

TEST_CASE("a conversion reads one width and writes another") {
  const Operator op = rule("Cast", "fp32 100 -> fp16 100");
  CHECK(op.work.activations_read == Bytes(400));
  CHECK(op.work.written == Bytes(200));
  CHECK(flop(rule("QuantizeLinear", "100, w scalar, w int8 scalar -> int8 100")) == 400);
  CHECK(flop(rule("DequantizeLinear", "int8 100, w scalar -> 100")) == 200);
  CHECK(flop(rule("DynamicQuantizeLinear", "100 -> int8 100, scalar, int8 scalar")) == 600);
}

TEST_CASE("a bias before an activation is one more") {
  CHECK(flop(rule("com.microsoft:BiasGelu", "2x8, w 8 -> 2x8")) == 16 * 20);
  CHECK(flop(rule("com.microsoft:FastGelu", "2x8 -> 2x8")) == 16 * 23);
}

TEST_CASE("a rotation reads the cache rows of its positions only") {
  // 1 x 16 tokens of 64; caches for 4096 positions: at most half as many elements as the data each.
  const Operator op =
      rule("com.microsoft:RotaryEmbedding", "1x16x64, int64 1x16, w 4096x32, w 4096x32 -> 1x16x64");
  CHECK(flop(op) == 3 * 1024);
  CHECK(op.work.weights_read == Bytes(2 * 4 * 512));
}

TEST_CASE("old operator sets broadcast by attributes") {
  NodeView add = node("Add", "2x3x4, 3 -> 2x3x4", {{"axis", whole(1)}, {"broadcast", whole(1)}});
  add.opset = 6;
  CHECK(flop(operator_of(add)) == 24);
}
