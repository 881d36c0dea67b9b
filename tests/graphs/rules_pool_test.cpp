#include <doctest/doctest.h>

#include "tests/graphs/rules_node.hpp"

using namespace corecast;
using namespace corecast::graphs;
using namespace corecast::test;

TEST_CASE("a pool looks at its window once per output") {
  const Operator op = rule("MaxPool", "1x64x112x112 -> 1x64x56x56",
                           {{"kernel_shape", list({3, 3})}, {"strides", list({2, 2})}});
  CHECK(op.kernel == KernelClass::pool);
  CHECK(flop(op) == 64 * 56 * 56 * 9);
  CHECK(op.window == std::vector<std::int64_t>{3, 3});
  CHECK(op.work.units == 64);
  CHECK(op.work.traffic() == Bytes(4.0 * 64 * (112 * 112 + 56 * 56)));
  CHECK(op.work.working_set == Bytes(4 * 3 * 112));  // three rows of one channel
}

TEST_CASE("an average divides once per output") {
  const Attributes window{{"kernel_shape", list({2, 2})}};
  CHECK(flop(rule("AveragePool", "1x2x4x4 -> 1x2x2x2", window)) == 8 * 4 + 8 * 4);
  CHECK(flop(rule("LpPool", "1x2x4x4 -> 1x2x2x2", window)) == 8 * 4 * 2 + 8 * 4);
}

TEST_CASE("a global pool looks at every input once") {
  const Operator op = rule("GlobalAveragePool", "2x512x7x7 -> 2x512x1x1");
  CHECK(flop(op) == 1024 * 49 + 1024 * 4);
  CHECK(op.window == std::vector<std::int64_t>{7, 7});
  CHECK(op.work.units == 1024);
  CHECK(flop(rule("GlobalMaxPool", "2x512x7x7 -> 2x512x1x1")) == 1024 * 49);
}

TEST_CASE("quantised pools take channels in either place") {
  const std::string_view scales = "w scalar, w int8 scalar, w scalar, w int8 scalar";
  const std::string first = "int8 1x4x2x2, " + std::string(scales) + " -> int8 1x4x1x1";
  const std::string last = "int8 1x2x2x4, " + std::string(scales) + " -> int8 1x1x1x4";
  const Operator a = rule("com.microsoft:QLinearGlobalAveragePool", first);
  const Operator b = rule("com.microsoft:QLinearGlobalAveragePool", last, {{"channels_last", whole(1)}});
  CHECK(flop(a) == 16 + 4 * 8);
  CHECK(flop(a) == flop(b));
  CHECK(a.work.units == b.work.units);
  CHECK(a.window == b.window);
}

TEST_CASE("regions are sampled bilinearly") {
  // 10 regions, 4 channels, 7 x 7 bins, 2 x 2 samples of 9 flop.
  const Operator op =
      rule("RoiAlign", "1x4x32x32, 10x4, int64 10 -> 10x4x7x7", {{"sampling_ratio", whole(2)}});
  CHECK(flop(op) == 1960 * 4 * 9);
  CHECK(op.work.units == 40);
}

TEST_CASE("nearest copies, linear mixes 2 to the power of the axes that change, cubic 4") {
  const auto resized = [](const char* mode) {
    return rule("Resize", "1x3x8x8, -, w 4 -> 1x3x16x16", {{"mode", text(mode)}});
  };
  CHECK(flop(resized("nearest")) == 0);
  CHECK(resized("nearest").kernel == KernelClass::transpose);
  CHECK(flop(resized("linear")) == 768 * 2 * 4);
  CHECK(flop(resized("cubic")) == 768 * 2 * 16);
  CHECK(flop(rule("Resize", "1x3x8x8, -, w 4 -> 1x3x8x16", {{"mode", text("linear")}})) == 384 * 2 * 2);
}

TEST_CASE("a grid sample reads four neighbours") {
  CHECK(flop(rule("GridSample", "1x3x8x8, 1x4x4x2 -> 1x3x4x4", {{"mode", text("bilinear")}})) == 48 * 8);
  CHECK(flop(rule("GridSample", "1x3x8x8, 1x4x4x2 -> 1x3x4x4", {{"mode", text("nearest")}})) == 0);
}
