// Recurrent layers, attention, control flow.
#include <doctest/doctest.h>

#include "tests/graphs/rules_node.hpp"

using namespace corecast;
using namespace corecast::graphs;
using namespace corecast::test;

TEST_CASE("an LSTM multiplies input and state by four gates at every step") {
  const Operator op =
      rule("LSTM", "10x2x32, w 1x256x32, w 1x256x64 -> 10x1x2x64", {{"hidden_size", whole(64)}});
  // Per step 2 * 2 * 256 * (32 + 64) flop; 3 * 15 + 2 * 15 + 4 = 79 per cell and step.
  CHECK(flop(op) == 10 * (2 * 2 * 256 * 96 + 2 * 64 * 79));
  CHECK(op.kernel == KernelClass::recurrent);
  CHECK(op.work.steps == 10);
  CHECK(op.matrix == MatrixShape{10, 2, 256, 96});
  CHECK(op.work.units == 16);  // one row tile, 256 / 16 column tiles
  CHECK(op.work.weights_read == Bytes(4 * 256 * 96));
  CHECK(op.work.weights_per_step == Bytes(4 * 256 * 64));  // the hidden state's: 64 columns
  CHECK(op.work.working_set == Bytes(4 * (256 * 96 + 2 * 128)));
}

TEST_CASE("a single step reads no weights again, and weights that are no constants are none") {
  CHECK(rule("LSTM", "1x2x32, w 1x256x32, w 1x256x64 -> 1x1x2x64").work.weights_per_step == Bytes(0.0));
  CHECK(rule("LSTM", "9x2x32, 1x256x32, 1x256x64 -> 9x1x2x64").work.weights_per_step == Bytes(0.0));
}

TEST_CASE("two directions double an LSTM's work and units") {
  const Operator one = rule("LSTM", "10x2x32, w 1x256x32, w 1x256x64 -> 10x1x2x64");
  const Operator two =
      rule("LSTM", "10x2x32, w 2x256x32, w 2x256x64 -> 10x2x2x64", {{"direction", text("bidirectional")}});
  CHECK(flop(two) == 2 * flop(one));
  CHECK(two.work.units == 2 * one.work.units);
  CHECK(two.work.steps == one.work.steps);
}

TEST_CASE("results that nobody asks for are not written") {
  const Operator op = rule("LSTM", "10x2x32, w 1x256x32, w 1x256x64 -> -, 1x2x64");
  CHECK(op.understood);
  CHECK(op.work.written == Bytes(512));
}

TEST_CASE("the batch may come first") {
  CHECK(rule("GRU", "2x10x32, w 1x192x32, w 1x192x64 -> 2x10x1x64", {{"layout", whole(1)}}).work.steps == 10);
}

TEST_CASE("a GRU has three gates, a plain recurrent layer one") {
  CHECK(flop(rule("GRU", "5x1x8, w 1x48x8, w 1x48x16 -> 5x1x1x16")) == 5 * (2 * 48 * 24 + 16 * 50));
  CHECK(flop(rule("RNN", "5x1x8, w 1x16x8, w 1x16x16 -> 5x1x1x16")) == 5 * (2 * 16 * 24 + 16 * 15));
}

TEST_CASE("a quantised LSTM keeps its weights transposed") {
  const Operator op = rule("com.microsoft:DynamicQuantizeLSTM",
                           "10x2x32, w int8 1x32x256, w int8 1x64x256, w 1x512 -> 10x1x2x64");
  CHECK(op.work.compute_type == DataType::int8);
  CHECK(op.matrix == MatrixShape{10, 2, 256, 96});
  CHECK(op.work.weights_read == Bytes(256 * 96 + 4 * 512));
}

TEST_CASE("attention is two products and a softmax for every head") {
  const Operator op = rule("com.microsoft:MultiHeadAttention", "1x128x768, 1x128x768, 1x128x768 -> 1x128x768",
                           {{"num_heads", whole(12)}});
  // 12 heads of 128 * 128 scores: 2 * 64 for the score, 2 * 64 for the sum, 14 + 2 for softmax, scale and mask.
  CHECK(flop(op) == 12.0 * 128 * 128 * (128 + 128 + 16));
  CHECK(op.kernel == KernelClass::gemm);
  CHECK(op.matrix == MatrixShape{24, 128, 128, 64});
  CHECK(op.work.units == 12 * 16);
}

TEST_CASE("queries, keys and values may be packed") {
  const Attributes heads{{"num_heads", whole(12)}};
  const double apart =
      flop(rule("com.microsoft:MultiHeadAttention", "1x128x768, 1x128x768, 1x128x768 -> 1x128x768", heads));
  CHECK(flop(rule("com.microsoft:MultiHeadAttention", "1x128x12x3x64 -> 1x128x768", heads)) == apart);
  CHECK(flop(rule("com.microsoft:MultiHeadAttention", "1x128x768, 1x128x12x2x64 -> 1x128x768", heads)) ==
        apart);
}

TEST_CASE("attention that projects adds its dense layer") {
  const Operator op = rule("com.microsoft:Attention", "1x128x768, w 768x2304, w 2304 -> 1x128x768",
                           {{"num_heads", whole(12)}});
  CHECK(flop(op) == 2.0 * 128 * 768 * 2304 + 12.0 * 128 * 128 * (128 + 128 + 16));
  CHECK(op.matrix == MatrixShape{1, 128, 2304, 768});  // the larger product
}

TEST_CASE("a quantised projection computes in int8, a large one") {
  const Operator op = rule("com.microsoft:QAttention",
                           "int8 1x128x768, w int8 768x2304, w 2304, w scalar, w scalar -> 1x128x768",
                           {{"num_heads", whole(12)}});
  CHECK(op.work.compute_type == DataType::int8);
}

TEST_CASE("one new token attends to all past ones") {
  // 32 heads of queries, 8 of keys, 64 each; 1023 past and 1 new.
  const Operator op = rule("com.microsoft:GroupQueryAttention",
                           "1x1x2048, 1x1x512, 1x1x512, 1x8x1023x64, 1x8x1023x64, int32 1, int32 scalar -> "
                           "1x1x2048, 1x8x1024x64, 1x8x1024x64",
                           {{"num_heads", whole(32)}, {"kv_num_heads", whole(8)}});
  CHECK(flop(op) == 32.0 * 1024 * (128 + 128 + 16));
  CHECK(op.matrix == MatrixShape{64, 1, 1024, 64});
  const Operator window =
      rule("com.microsoft:GroupQueryAttention",
           "1x1x2048, 1x1x512, 1x1x512, 1x8x1023x64, 1x8x1023x64, int32 1, int32 scalar -> "
           "1x1x2048, 1x8x1024x64, 1x8x1024x64",
           {{"num_heads", whole(32)}, {"kv_num_heads", whole(8)}, {"local_window_size", whole(256)}});
  CHECK(flop(window) * 4 == flop(op));
}

TEST_CASE("the standard's attention takes three or four dimensions") {
  const Operator four = rule("Attention", "2x8x16x64, 2x8x32x64, 2x8x32x64 -> 2x8x16x64");
  const Operator three = rule("Attention", "2x16x512, 2x32x512, 2x32x512 -> 2x16x512",
                              {{"q_num_heads", whole(8)}, {"kv_num_heads", whole(8)}});
  CHECK(flop(four) == 16.0 * 16 * 32 * (128 + 128 + 16));
  CHECK(flop(three) == flop(four));
}

TEST_CASE("experts that no row reaches are not read") {
  // 2 rows to 1 of 8 experts each: at most 2 experts of 16 x 32 and 32 x 16.
  const Operator op =
      rule("com.microsoft:MoE", "2x16, 2x8, w 8x16x32, -, w 8x32x16 -> 2x16", {{"k", whole(1)}});
  CHECK(flop(op) == 2 * 2 * 2 * 512);
  CHECK(op.work.weights_read == Bytes(4 * 2 * 1024));
}

TEST_CASE("control flow does nothing itself") {
  const Operator op = rule("If", "bool scalar -> ?");
  CHECK(op.kernel == KernelClass::control);
  CHECK(op.work.traffic() == Bytes(0));
  CHECK(op.understood);
}
