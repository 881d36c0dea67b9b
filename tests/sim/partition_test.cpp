#include "sim/partition.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace corecast;
using namespace corecast::sim;

namespace {

graphs::Operator conv(std::int64_t images, std::int64_t channels, std::int64_t rows, std::int64_t columns) {
  graphs::Operator op;
  op.kernel = KernelClass::conv;
  op.matrix = graphs::MatrixShape{images, rows * columns, channels, 576};
  op.output_shape = {images, channels, rows, columns};
  return op;
}

graphs::Operator product(graphs::MatrixShape shape) {
  graphs::Operator op;
  op.kernel = KernelClass::gemm;
  op.matrix = shape;
  op.output_shape = {shape.m, shape.n};
  return op;
}

KernelModel cut_by(Cut cut) {
  KernelModel kernel;
  kernel.cut = cut;
  return kernel;
}

}  // namespace

TEST_CASE("a blocked convolution is dealt in output rows times groups of four channel blocks") {
  // 512 channels in units of 4 x 16: 8 units a row, 7 rows: 56 units. 16 threads: the busiest has ceil(56/16) = 4 of 3.5.
  const Parts parts = partition(conv(1, 512, 7, 7), cut_by(Cut::nchwc), {}, 16, 16);
  CHECK(parts.threads == 16);
  CHECK(parts.imbalance == doctest::Approx(4.0 / 3.5));
  // 256-bit vectors: blocks of 8, units of 32 channels: 112 units, 7 each.
  CHECK(partition(conv(1, 512, 7, 7), cut_by(Cut::nchwc), {}, 8, 16).imbalance == doctest::Approx(1.0));
}

TEST_CASE("a blocked convolution is forked even when there are fewer units than threads") {
  // 64 channels, 1 row: one unit, 8 threads: seven wait.
  const Parts parts = partition(conv(1, 64, 1, 1), cut_by(Cut::nchwc), {}, 16, 8);
  CHECK(parts.threads == 8);
  CHECK(parts.imbalance == doctest::Approx(8.0));
}

TEST_CASE("a blocked depthwise convolution has one unit per channel block and row") {
  graphs::Operator op = conv(1, 96, 14, 14);
  op.kernel = KernelClass::conv_depthwise;
  op.matrix = graphs::MatrixShape{96, 196, 1, 9};
  // 6 blocks of 16 channels x 14 rows = 84 units over 8 threads: 11 of 10.5
  CHECK(partition(op, cut_by(Cut::nchwc), {}, 16, 8).imbalance == doctest::Approx(11.0 / 10.5));
}

TEST_CASE("a matrix product gets a part for every 65536 multiplications, at most sixteen") {
  // 32 x 32 x 32 = 32768: one part. 64 x 64 x 64 = 262144 = 4 x 65536: 5 parts.
  CHECK(partition(product({1, 32, 32, 32}), cut_by(Cut::gemm), {}, 16, 48) == Parts{1, 1.0});
  const Parts five = partition(product({1, 64, 64, 64}), cut_by(Cut::gemm), {}, 16, 48);
  CHECK(five.threads == 5);
  CHECK(five.imbalance == doctest::Approx(13.0 / 12.8));  // 64 rows over 5 parts: 13 of 12.8
  CHECK(partition(product({1, 4096, 64, 4096}), cut_by(Cut::gemm), {}, 16, 48).threads == 16);
}

TEST_CASE("a wide product is cut by sixteen columns, so one row of 40 columns has three parts at the most") {
  const Parts parts = partition(product({1, 1, 40, 1 << 20}), cut_by(Cut::gemm), {}, 16, 8);
  CHECK(parts.threads == 3);
  CHECK(parts.imbalance == doctest::Approx(1.0));
}

TEST_CASE("the products of a batch are items of one loop") {
  // 12 heads of 17 x 17 x 64: 18496 multiplications each, one part; 12 items over 8 threads: 2 of 1.5.
  const Parts parts = partition(product({12, 17, 17, 64}), cut_by(Cut::gemm), {}, 16, 8);
  CHECK(parts.threads == 8);
  CHECK(parts.imbalance == doctest::Approx(2.0 / 1.5));
  // Larger ones the same: 12 of 64 x 64 x 64, 5 parts wanted, one for each item.
  const Parts large = partition(product({12, 64, 64, 64}), cut_by(Cut::gemm), {}, 16, 8);
  CHECK(large.threads == 8);
  CHECK(large.imbalance == doctest::Approx(2.0 / 1.5));
}

TEST_CASE("an elementwise operator is cut from 210000 cycles on") {
  graphs::Operator op;
  op.kernel = KernelClass::elementwise;
  // Relu: 8 bytes and 1 flop an element: 1.375 + 1 = 2.375 cycles; 210000 / 2.375 = 88421.05
  const auto relu = [&](double elements) {
    op.work.activations_read = Bytes(4.0 * elements);
    op.work.written = Bytes(4.0 * elements);
    op.work.flops = Flops(elements);
    return partition(op, cut_by(Cut::elements), {}, 16, 4).threads;
  };
  CHECK(relu(88421) == 1);
  CHECK(relu(88422) == 4);
}

TEST_CASE("rows bound the parts of a softmax") {
  graphs::Operator op;
  op.kernel = KernelClass::softmax;
  op.work.units = 3;
  op.output_shape = {3, 100000};
  CHECK(partition(op, cut_by(Cut::rows), {}, 16, 8).threads == 3);
  op.output_shape = {3, 1000};  // 3000 elements: one part
  CHECK(partition(op, cut_by(Cut::rows), {}, 16, 8).threads == 1);
}

TEST_CASE("a grain decides between the caller and the whole team, of which only some get a block") {
  graphs::Operator op;
  op.output_shape = {1, 32768};
  CHECK(partition(op, cut_by(Cut::grain), {}, 16, 16) == Parts{1, 1.0});
  op.output_shape = {1, 32769};  // two blocks for 16 threads: the busiest has 8 times the mean
  CHECK(partition(op, cut_by(Cut::grain), {}, 16, 16) == Parts{16, 8.0});
  op.output_shape = {64, 32768};
  CHECK(partition(op, cut_by(Cut::grain), {}, 16, 16) == Parts{16, 1.0});
}

TEST_CASE("a team takes part in every operator, with whole units for each") {
  graphs::Operator op;
  op.work.units = 1;
  CHECK(partition(op, cut_by(Cut::team), {}, 16, 8) == Parts{8, 8.0});
  op.work.units = 12;  // two rounds for 8 threads: 16 places for 12 units
  CHECK(partition(op, cut_by(Cut::team), {}, 16, 8) == Parts{8, 16.0 / 12.0});
}

TEST_CASE("an element-wise loop has no more threads than blocks of 40,000 cycles") {
  // 1.6e6 cycles: 40 blocks.
  graphs::Operator op;
  op.work.flops = Flops(1.6e6);
  CHECK(partition(op, cut_by(Cut::elements), {}, 16, 128).threads == 40);
  CHECK(partition(op, cut_by(Cut::elements), {}, 16, 16).threads == 16);
}

TEST_CASE("a part is never empty of threads and never better than even") {
  CHECK(rc::check("1 <= threads <= T, 1 <= imbalance <= T", [] {
    const auto small = [] { return *rc::gen::inRange<std::int64_t>(0, 300); };
    graphs::Operator op = conv(small(), small(), small(), small());
    op.matrix = graphs::MatrixShape{small(), small(), small(), small()};
    op.work.units = *rc::gen::inRange<std::int64_t>(1, 1000);
    if (*rc::gen::inRange(0, 4) == 0) op.output_shape = {};
    const int threads = *rc::gen::inRange(1, 200);
    const Cut cut = static_cast<Cut>(*rc::gen::inRange(0, 7));
    const Parts parts = partition(op, cut_by(cut), {}, *rc::gen::element(8, 16), threads);
    RC_ASSERT(parts.threads >= 1);
    RC_ASSERT(parts.threads <= threads);
    RC_ASSERT(parts.imbalance >= 1.0 - 1e-12);
  }));
}
