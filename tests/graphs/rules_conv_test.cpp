#include <doctest/doctest.h>

#include "tests/graphs/rules_node.hpp"

using namespace corecast;
using namespace corecast::graphs;
using namespace corecast::test;

TEST_CASE("the first convolution of ResNet has 118 million multiply-adds") {
  const Operator op = rule("Conv", "1x3x224x224, w 64x3x7x7 -> 1x64x112x112",
                           {{"kernel_shape", list({7, 7})}, {"strides", list({2, 2})}});
  // 64 * 112 * 112 outputs of 3 * 7 * 7 = 147 multiply-adds: 802,816 * 147 = 118,013,952, twice that in flop.
  CHECK(flop(op) == 236'027'904);
  CHECK(op.kernel == KernelClass::conv);
  CHECK(op.matrix == MatrixShape{1, 12544, 64, 147});
  CHECK(op.window == std::vector<std::int64_t>{7, 7});
  CHECK(op.output_shape == std::vector<std::int64_t>{1, 64, 112, 112});
  // 3 * 224 * 224 floats in, 64 * 147 weights, 802,816 results.
  CHECK(op.work.activations_read == Bytes(602'112));
  CHECK(op.work.weights_read == Bytes(37'632));
  CHECK(op.work.written == Bytes(3'211'264));
  // 4 blocks of 16 channels, 112 rows.
  CHECK(op.work.units == 448);
  // Weights 9408, 7 input rows of 224 * 3, one output row of 112 * 64, in floats.
  CHECK(op.work.working_set == Bytes(4 * (9408 + 4704 + 7168)));
  CHECK(op.understood);
}

TEST_CASE("a bias is read but adds no flop") {
  const Operator op = rule("Conv", "1x8x4x4, w 16x8x1x1, w 16 -> 1x16x4x4");
  CHECK(flop(op) == 2 * 16 * 16 * 8);
  CHECK(op.work.weights_read == Bytes(4 * (128 + 16)));
  CHECK(op.kernel == KernelClass::conv_1x1);
}

TEST_CASE("one input channel per group is a depthwise convolution") {
  const Operator op = rule("Conv", "1x32x10x10, w 32x1x3x3 -> 1x32x10x10", {{"group", whole(32)}});
  CHECK(op.kernel == KernelClass::conv_depthwise);
  CHECK(flop(op) == 2 * 3200 * 9);
  CHECK(op.matrix == MatrixShape{32, 100, 1, 9});
  CHECK(op.work.units == 32 * 10);
}

TEST_CASE("groups divide the multiply-adds") {
  const Operator whole_conv = rule("Conv", "2x12x5x5, w 6x12x3x3 -> 2x6x3x3");
  const Operator grouped = rule("Conv", "2x12x5x5, w 6x4x3x3 -> 2x6x3x3", {{"group", whole(3)}});
  CHECK(flop(grouped) * 3 == flop(whole_conv));
  CHECK(grouped.kernel == KernelClass::conv);
  CHECK(grouped.matrix == MatrixShape{6, 9, 2, 36});
}

TEST_CASE("a convolution along one axis is cut into 16 pixels") {
  const Operator op = rule("Conv", "1x4x102, w 8x4x3 -> 1x8x100");
  CHECK(flop(op) == 2 * 800 * 12);
  CHECK(op.work.units == 7);  // ceil(100 / 16), one block of channels
}

TEST_CASE("a volume is cut into planes and rows") {
  const Operator op = rule("Conv", "1x1x4x4x4, w 1x1x1x1x1 -> 1x1x4x4x4");
  CHECK(op.work.units == 16);
  CHECK(op.kernel == KernelClass::conv_1x1);
}

TEST_CASE("a transposed convolution spreads every input over the window") {
  const Operator op = rule("ConvTranspose", "1x16x8x8, w 16x4x2x2 -> 1x4x16x16", {{"strides", list({2, 2})}});
  // 64 pixels of 16 channels, each to 4 channels * 4 taps.
  CHECK(flop(op) == 2 * 64 * 16 * 16);
  CHECK(op.kernel == KernelClass::conv_transposed);
  CHECK(op.matrix == MatrixShape{1, 64, 16, 16});
  CHECK(op.work.units == 16);
}

TEST_CASE("a fused convolution adds what it fuses") {
  const Operator plain = rule("Conv", "1x8x4x4, w 16x8x1x1, w 16 -> 1x16x4x4");
  const Operator fused = rule("com.microsoft:FusedConv", "1x8x4x4, w 16x8x1x1, w 16, 1x16x4x4 -> 1x16x4x4",
                              {{"activation", text("Relu")}});
  CHECK(flop(fused) == flop(plain) + 2 * 256);  // the addend and Relu, 1 each
  CHECK(fused.work.activations_read == plain.work.activations_read + Bytes(1024));
}

TEST_CASE("channels may come last") {
  const Operator op = rule("com.microsoft:NhwcConv", "1x4x4x8, w 16x8x1x1 -> 1x4x4x16");
  CHECK(flop(op) == 2 * 256 * 8);
}

TEST_CASE("a quantised convolution counts integer operations and scales its results") {
  const Operator op =
      rule("QLinearConv",
           "int8 1x8x4x4, w scalar, w int8 scalar, w int8 16x8x1x1, w 16, w int8 16, w scalar, "
           "w int8 scalar, w int32 16 -> int8 1x16x4x4");
  CHECK(op.work.compute_type == DataType::int8);
  CHECK(flop(op) == 2 * 256 * 8 + 4 * 256);
  CHECK(op.work.activations_read == Bytes(128));
  CHECK(op.work.written == Bytes(256));
  CHECK(rule("ConvInteger", "int8 1x8x4x4, w int8 16x8x1x1 -> int32 1x16x4x4").work.written == Bytes(1024));
}

TEST_CASE("half precision halves the bytes and keeps the flop") {
  const Operator op = rule("Conv", "fp16 1x8x4x4, w fp16 16x8x1x1 -> fp16 1x16x4x4");
  CHECK(op.work.compute_type == DataType::fp16);
  CHECK(op.work.weights_read == Bytes(256));
  CHECK(flop(op) == 2 * 256 * 8);
}

TEST_CASE("a deformable convolution samples between four neighbours") {
  // 2 channels, 9 taps, 4 pixels: 72 samples of 4 multiply-adds; the product has 3 filters.
  const Operator op = rule("DeformConv", "1x2x4x4, w 3x2x3x3, 1x18x2x2 -> 1x3x2x2");
  CHECK(flop(op) == 2 * 12 * 18 + 8 * 72);
}
