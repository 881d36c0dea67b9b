// Data movement, lookups, and what does nothing.
#include <doctest/doctest.h>

#include "tests/graphs/rules_node.hpp"

using namespace corecast;
using namespace corecast::graphs;
using namespace corecast::test;

TEST_CASE("what is moved is read once and written once") {
  const Operator op = rule("Concat", "1x3x8x8, 1x5x8x8 -> 1x8x8x8", {{"axis", whole(1)}});
  CHECK(op.kernel == KernelClass::transpose);
  CHECK(flop(op) == 0);
  CHECK(op.work.activations_read == Bytes(2048));
  CHECK(op.work.written == Bytes(2048));
  CHECK(rule("Transpose", "64x64 -> 64x64", {{"perm", list({1, 0})}}).work.units == 4);
  CHECK(rule("Split", "1x8x8x8 -> 1x3x8x8, 1x5x8x8", {{"axis", whole(1)}}).work.written == Bytes(2048));
}

TEST_CASE("a slice and a crop read no more than they write") {
  const Operator slice = rule("Slice", "100x100, =0, =10, =0 -> 10x100");
  CHECK(slice.work.activations_read == Bytes(4000));
  CHECK(slice.work.weights_read == Bytes(24));
  CHECK(rule("Pad", "10x10, =0/0/-5/0 -> 5x10").work.activations_read == Bytes(200));
  CHECK(rule("Pad", "10x10, =0/0/5/0 -> 15x10").work.activations_read == Bytes(400));
}

TEST_CASE("reshaping and known values cost nothing") {
  for (const char* type :
       {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "Shape", "Size"}) {
    CAPTURE(type);
    const Operator op = rule(type, "4x4 -> 16");
    CHECK(op.kernel == KernelClass::shape);
    CHECK(op.work.traffic() == Bytes(0));
    CHECK(flop(op) == 0);
  }
  CHECK(rule("Constant", " -> 4x4").kernel == KernelClass::shape);
  CHECK(rule("ConstantOfShape", "=4/4 -> 4x4").work.written == Bytes(0));
}

TEST_CASE("a fill whose size is computed in the run writes its result") {
  const Operator op = rule("ConstantOfShape", "int64 2 -> 4x4");
  CHECK(op.work.written == Bytes(64));
  CHECK(op.work.activations_read == Bytes(0));
}

TEST_CASE("a gather reads the rows it touches, not the table") {
  // 3 tokens of a vocabulary of 30000 rows of 64.
  const Operator op = rule("Gather", "w 30000x64, int64 1x3 -> 1x3x64");
  CHECK(op.kernel == KernelClass::gather);
  CHECK(op.work.weights_read == Bytes(3 * 64 * 4));
  CHECK(op.work.activations_read == Bytes(24));
  CHECK(op.work.written == Bytes(3 * 64 * 4));
  CHECK(op.work.units == 3);
}

TEST_CASE("a gather of more rows than the table has reads the table once") {
  CHECK(rule("Gather", "w 2x64, int64 100 -> 100x64").work.weights_read == Bytes(512));
}

TEST_CASE("a gather along a later axis has rows for each index before it") {
  CHECK(rule("Gather", "4x10x8, int64 3 -> 4x3x8", {{"axis", whole(1)}}).work.units == 12);
  CHECK(rule("GatherND", "4x10x8, int64 5x2 -> 5x8").work.units == 5);
}

TEST_CASE("4-bit rows are read packed") {
  const Operator op = rule("com.microsoft:GatherBlockQuantized", "w int8 1000x32, int64 2, w 1000x2 -> 2x64",
                           {{"bits", whole(4)}});
  CHECK(flop(op) == 256);  // 128 results, 2 each
  // 128 weights of 4 bits = 64 bytes, and the share 128 / 32000 of 8000 bytes of scales.
  CHECK(op.work.weights_read == Bytes(64 + 32));
}

TEST_CASE("a scatter copies its data") {
  const Operator op = rule("ScatterND", "100x8, int64 4x1, 4x8 -> 100x8");
  CHECK(op.work.activations_read == Bytes(3200 + 32 + 128));
  CHECK(op.work.written == Bytes(3200));
  CHECK(flop(op) == 0);
  CHECK(flop(rule("ScatterND", "100x8, int64 4x1, 4x8 -> 100x8", {{"reduction", text("add")}})) == 32);
}

TEST_CASE("boxes are suppressed greedily by one thread") {
  // 2 classes of 64 boxes: sorting 64 * 6, and 10 kept boxes compared with 64, 12 flop each.
  const Operator op = rule("NonMaxSuppression", "1x64x4, 1x2x64, =10 -> int64 ?");
  CHECK(flop(op) == 2 * 64 * (6 + 120));
  CHECK(op.work.serial_fraction == 1.0);
  CHECK(op.work.written == Bytes(2 * 10 * 3 * 8));
  CHECK(op.understood);
}

TEST_CASE("embeddings of words, positions and segments are summed and normalised") {
  const Operator op =
      rule("com.microsoft:EmbedLayerNormalization",
           "int32 1x8, int32 1x8, w 30000x16, w 512x16, w 2x16, w 16, w 16 -> 1x8x16, int32 1");
  CHECK(flop(op) == 128 * 10);
  // Rows of words and positions: 8 each; the two segment rows; scale and shift: 16 each.
  CHECK(op.work.weights_read == Bytes(4 * (128 + 128 + 32 + 16 + 16)));
  CHECK(op.work.units == 8);
}
