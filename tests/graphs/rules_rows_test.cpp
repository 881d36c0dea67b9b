// Softmax, normalisations, reductions, sorts: operators that work row by row.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/graphs/rules_node.hpp"

using namespace corecast;
using namespace corecast::graphs;
using namespace corecast::test;

TEST_CASE("a softmax passes its rows, exponentials included") {
  const Operator op = rule("Softmax", "1x12x128x128 -> 1x12x128x128", {{"axis", whole(-1)}});
  CHECK(op.kernel == KernelClass::softmax);
  CHECK(flop(op) == 14.0 * 12 * 128 * 128);
  CHECK(op.work.units == 12 * 128);
  CHECK(op.work.working_set == Bytes(2 * 4 * 128));
}

TEST_CASE("before operator set 13 a softmax flattens from its axis on") {
  NodeView view = node("Softmax", "2x3x4x5 -> 2x3x4x5", {{"axis", whole(2)}});
  CHECK(operator_of(view).work.units == 2 * 3 * 5);
  view.opset = 12;
  CHECK(operator_of(view).work.units == 2 * 3);
}

TEST_CASE("a batch normalisation is a multiplication and an addition") {
  const Operator op = rule("BatchNormalization", "2x16x8x8, w 16, w 16, w 16, w 16 -> 2x16x8x8");
  CHECK(op.kernel == KernelClass::normalization);
  CHECK(flop(op) == 2 * 2048);
  CHECK(op.work.weights_read == Bytes(4 * 64));
  CHECK(op.work.units == 32);
}

TEST_CASE("layer normalisations cost 8 an element, without mean 4, sums before one each") {
  const Operator op = rule("LayerNormalization", "2x16x768, w 768, w 768 -> 2x16x768");
  CHECK(flop(op) == 8 * 24576);
  CHECK(op.work.units == 32);
  CHECK(flop(rule("RMSNormalization", "2x16x768, w 768 -> 2x16x768")) == 4 * 24576);
  CHECK(flop(rule("com.microsoft:SkipLayerNormalization",
                  "2x16x768, 2x16x768, w 768, w 768, w 768 -> 2x16x768")) == 10 * 24576);
  CHECK(flop(rule("com.microsoft:SkipSimplifiedLayerNormalization",
                  "2x16x768, 2x16x768, w 768 -> 2x16x768")) == 5 * 24576);
}

TEST_CASE("other normalisations by their rows") {
  CHECK(rule("InstanceNormalization", "2x3x8x8, w 3, w 3 -> 2x3x8x8").work.units == 6);
  CHECK(rule("GroupNormalization", "2x8x4x4, w 4, w 4 -> 2x8x4x4", {{"num_groups", whole(4)}}).work.units ==
        8);
  CHECK(rule("MeanVarianceNormalization", "2x3x8x8 -> 2x3x8x8").work.units == 3);
  // 5 squares and sums, and a power: 2 * 5 + 20 + 3.
  CHECK(flop(rule("LRN", "1x8x4x4 -> 1x8x4x4", {{"size", whole(5)}})) == 128 * 33);
  CHECK(flop(rule("com.microsoft:GroupNorm", "1x4x4x8, w 8, w 8 -> 1x4x4x8",
                  {{"groups", whole(2)}, {"activation", whole(1)}})) == 128 * (8 + 17));
}

TEST_CASE("a reduction counts its inputs") {
  const Operator op = rule("ReduceMean", "1x512x7x7 -> 1x512x1x1", {{"axes", list({2, 3})}});
  CHECK(op.kernel == KernelClass::reduce);
  CHECK(flop(op) == 512 * 49 + 512 * 4);
  CHECK(op.work.units == 512);
  CHECK(rule("ReduceSum", "1048576 -> scalar").work.units == 1024);
  CHECK(flop(rule("ReduceLogSumExp", "100 -> scalar")) == 13 * 100 + 10);
  CHECK(flop(rule("ArgMax", "4x10 -> int64 4x1")) == 40);
}

TEST_CASE("the k best are kept in a heap") {
  const Operator op = rule("TopK", "8x1000, =4 -> 8x4, int64 8x4");
  CHECK(flop(op) == 8000 * 3);  // a comparison and log2 4 levels
  CHECK(op.work.units == 8);
}

TEST_CASE("a running sum has its lines as units") {
  CHECK(rule("CumSum", "4x100, =1 -> 4x100").work.units == 4);
  CHECK(rule("CumSum", "4x100, =0 -> 4x100").work.units == 100);
  CHECK(rule("CumSum", "100, =0 -> 100").work.units == 1);
}

TEST_CASE("results of unknown number are taken at their most, by one thread") {
  const Operator unique = rule("Unique", "int64 256 -> int64 ?");
  CHECK(unique.understood);
  CHECK(unique.work.written == Bytes(2048));
  CHECK(flop(unique) == 256 * 8);
  CHECK(unique.work.serial_fraction == 1.0);
  const Operator non_zero = rule("NonZero", "4x8 -> int64 ?");
  CHECK(non_zero.work.written == Bytes(2 * 32 * 8));
  CHECK(non_zero.work.serial_fraction == 1.0);
}
