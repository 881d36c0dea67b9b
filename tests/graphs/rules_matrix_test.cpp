#include <doctest/doctest.h>

#include "base/error.hpp"
#include "tests/graphs/rules_node.hpp"

using namespace corecast;
using namespace corecast::graphs;
using namespace corecast::test;

TEST_CASE("a dense layer is one product") {
  const Operator op = rule("Gemm", "8x1024, w 1000x1024, w 1000 -> 8x1000", {{"transB", whole(1)}});
  CHECK(flop(op) == 2.0 * 8 * 1000 * 1024);
  CHECK(op.kernel == KernelClass::gemm);
  CHECK(op.matrix == MatrixShape{1, 8, 1000, 1024});
  CHECK(op.work.units == 63);  // one row tile, ceil(1000 / 16) column tiles
  CHECK(op.work.weights_read == Bytes(4.0 * (1'024'000 + 1000)));
  // The smaller operand (8 x 1024), and 16 columns of weights and results.
  CHECK(op.work.working_set == Bytes(4 * (8192 + 16 * (1024 + 8))));
}

TEST_CASE("one right matrix for all rows is one tall product") {
  CHECK(rule("MatMul", "4x128x768, w 768x3072 -> 4x128x3072").matrix == MatrixShape{1, 512, 3072, 768});
}

TEST_CASE("stacks of matrices are batches, and broadcast") {
  const Operator op = rule("MatMul", "2x12x128x64, 2x12x64x128 -> 2x12x128x128");
  CHECK(op.matrix == MatrixShape{24, 128, 128, 64});
  CHECK(op.work.units == 24 * 16 * 8);
  CHECK(rule("MatMul", "2x1x5x3, 12x3x4 -> 2x12x5x4").matrix == MatrixShape{24, 5, 4, 3});
}

TEST_CASE("vectors become matrices of one row or column") {
  CHECK(rule("MatMul", "7, 7x5 -> 5").matrix == MatrixShape{1, 1, 5, 7});
  CHECK(rule("MatMul", "5x7, 7 -> 5").matrix == MatrixShape{1, 5, 1, 7});
  CHECK(flop(rule("MatMul", "7, 7 -> scalar")) == 14);
}

TEST_CASE("fused products transpose and activate") {
  const Operator op = rule("com.microsoft:FusedMatMul", "2x8x5, 2x4x8 -> 2x5x4",
                           {{"transA", whole(1)}, {"transB", whole(1)}});
  CHECK(op.matrix == MatrixShape{2, 5, 4, 8});
  const Operator gemm = rule("com.microsoft:FusedGemm", "2x3, w 3x4 -> 2x4", {{"activation", text("Relu")}});
  CHECK(flop(gemm) == 2 * 2 * 3 * 4 + 8);
  // Rows before the batch: [5, 2, 8] stands for two matrices of 5 x 8.
  CHECK(rule("com.microsoft:FusedMatMul", "5x2x8, 2x8x4 -> 2x5x4", {{"transBatchA", whole(1)}}).matrix ==
        MatrixShape{2, 5, 4, 8});
}

TEST_CASE("an equation of two operands is a product over all labels") {
  const Operator op =
      rule("Einsum", "2x12x128x64, 2x12x128x64 -> 2x12x128x128", {{"equation", text("bhqd, bhkd -> bhqk")}});
  CHECK(flop(op) == 2.0 * 24 * 128 * 128 * 64);
  CHECK(op.matrix == MatrixShape{24, 128, 128, 64});
  CHECK(rule("Einsum", "5x7, 7x3 -> 5x3", {{"equation", text("ij,jk")}}).matrix == MatrixShape{1, 5, 3, 7});
  CHECK(rule("Einsum", "4x2x5x7, 2x7x3 -> 4x2x5x3", {{"equation", text("...ij,...jk->...ik")}}).matrix ==
        MatrixShape{2, 20, 3, 7});
}

TEST_CASE("an equation of one operand is a sum or a move") {
  const Operator sum = rule("Einsum", "3x4 -> 3", {{"equation", text("ij->i")}});
  CHECK(sum.kernel == KernelClass::reduce);
  CHECK(flop(sum) == 12);
  const Operator move = rule("Einsum", "3x4 -> 4x3", {{"equation", text("ij->ji")}});
  CHECK(move.kernel == KernelClass::transpose);
  CHECK(flop(move) == 0);
}

TEST_CASE("three operands are multiplied from the left") {
  // ij,jk -> ik: 2*3*4 multiply-adds; ik,kl -> il: 2*4*5.
  const Operator op = rule("Einsum", "2x3, 3x4, 4x5 -> 2x5", {{"equation", text("ij,jk,kl->il")}});
  CHECK(flop(op) == 2 * (24 + 40));
}

TEST_CASE("an equation that does not fit is refused") {
  const auto refused = [](std::string_view tensors, const std::string& equation) {
    CHECK_THROWS_AS((void)rule("Einsum", tensors, {{"equation", text(equation)}}), InputError);
  };
  refused("2x3, 3x4 -> 2x4", "ij->ij");
  refused("2x3, 3x4 -> 2x4", "ijk,jk->ik");
  refused("2x3, 4x4 -> 2x4", "ij,jk->ik");
  refused("2x3, 3x4 -> 2x4", "ij,jk->iz");
  refused("2x3, 3x4 -> 2x4", "i$,jk->i");
  refused("2x3, 3x4 -> 2x4", "......,jk->k");
  refused("2x3, 3x4 -> 2x4", "");
}

TEST_CASE("quantised products are int8 products") {
  const Operator integer = rule("MatMulInteger", "int8 4x8, w int8 8x16 -> int32 4x16");
  CHECK(integer.work.compute_type == DataType::int8);
  CHECK(flop(integer) == 2 * 4 * 8 * 16);
  CHECK(integer.work.weights_read == Bytes(128));
  const Operator linear =
      rule("QLinearMatMul",
           "int8 4x8, w scalar, w int8 scalar, w int8 8x16, w scalar, w int8 scalar, w scalar, "
           "w int8 scalar -> int8 4x16");
  CHECK(flop(linear) == 2 * 4 * 8 * 16 + 4 * 64);
  // fp32 in: minimum, maximum and quantisation (6 each) of 32 elements; 2 to scale each of 64 results.
  const Operator dynamic = rule("com.microsoft:DynamicQuantizeMatMul", "4x8, w int8 8x16, w scalar -> 4x16");
  CHECK(flop(dynamic) == 2 * 4 * 8 * 16 + 6 * 32 + 2 * 64);
  CHECK(dynamic.work.compute_type == DataType::int8);
}

TEST_CASE("4-bit weights are read packed and computed in the type of the activations") {
  // 4096 x 4096 weights in 128 blocks of 16 bytes (32 weights of 4 bits) a row, one fp32 scale a block.
  const Operator op =
      rule("com.microsoft:MatMulNBits", "1x4096, w int8 4096x128x16, w 524288 -> 1x4096",
           {{"K", whole(4096)}, {"N", whole(4096)}, {"bits", whole(4)}, {"block_size", whole(32)}});
  CHECK(op.work.compute_type == DataType::fp32);
  CHECK(op.matrix == MatrixShape{1, 1, 4096, 4096});
  CHECK(op.work.weights_read == Bytes(4096.0 * 4096 / 2 + 4.0 * 524288));
  CHECK(flop(op) == 4.0 * 4096 * 4096);  // the product, and 2 to expand each weight
}

TEST_CASE("inverse, determinant and distances") {
  CHECK(flop(rule("com.microsoft:Inverse", "5x3x3 -> 5x3x3")) == 5 * 54);
  CHECK(flop(rule("Det", "5x3x3 -> 5")) == doctest::Approx(5 * 18));  // 2/3 * 27
  CHECK(flop(rule("com.microsoft:CDist", "4x8, 6x8 -> 4x6")) == 2 * 4 * 6 * 8 + 3 * 24);
}
