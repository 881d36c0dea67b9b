// Transforms, random numbers, and classical models.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "tests/graphs/rules_node.hpp"

using namespace corecast;
using namespace corecast::graphs;
using namespace corecast::test;

TEST_CASE("a Fourier transform of n points is 5 n log2 n") {
  const Operator op = rule("DFT", "2x256x1 -> 2x256x2", {{"axis", whole(1)}});
  CHECK(flop(op) == 2 * 5 * 256 * 8);
  CHECK(op.work.units == 2);
  CHECK(flop(rule("DFT", "2x256x1, =512 -> 2x512x2")) == 2 * 5 * 512 * 9);
  CHECK_THROWS_AS((void)rule("DFT", "2x256x1 -> 2x256x2", {{"axis", whole(2)}}), InputError);
}

TEST_CASE("a spectrogram windows and transforms its frames") {
  // 10 frames of 256: 129 bins when one-sided.
  const Operator known = rule("STFT", "1x1000x1, =64, w 256, =256 -> 1x10x129x2");
  CHECK(flop(known) == 10 * (5 * 256 * 8 + 256));
  CHECK(flop(rule("STFT", "1x1000x1, =64, w 256 -> 1x10x129x2")) == flop(known));
}

TEST_CASE("windows of known length are folded") {
  CHECK(flop(rule("HannWindow", "=100 -> 100")) == 0);
  CHECK(flop(rule("HannWindow", "int64 scalar -> 100")) == 1700);
}

TEST_CASE("random numbers are drawn in order") {
  const Operator op = rule("RandomNormalLike", "10x10 -> 10x10");
  CHECK(flop(op) == 2000);
  CHECK(op.work.serial_fraction == 1.0);
  CHECK(op.work.activations_read == Bytes(0));
}

TEST_CASE("a linear model is a product with weights from attributes") {
  const Attribute twelve = std::vector<double>(12, 0.5);
  const Operator op = rule("ai.onnx.ml:LinearClassifier", "5x4 -> int64 5, 5x3", {{"coefficients", twelve}});
  CHECK(op.matrix == MatrixShape{1, 5, 3, 4});
  CHECK(op.work.weights_read == Bytes(48));
}

TEST_CASE("every row walks every tree") {
  // Two trees of 8 nodes: 3 levels of 4 flop.
  const Operator op = rule("ai.onnx.ml:TreeEnsembleRegressor", "10x4 -> 10x1",
                           {{"nodes_treeids", list({0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1})}});
  CHECK(flop(op) == 10 * 2 * 3 * 4);
  CHECK(op.work.weights_read == Bytes(24 * 16));
  CHECK(op.work.units == 10);
}

TEST_CASE("support vectors are compared with every row") {
  const Attribute vectors = std::vector<double>(20, 1.0);
  const Attribute coefficients = std::vector<double>(5, 1.0);
  const Operator op =
      rule("ai.onnx.ml:SVMRegressor", "3x4 -> 3x1",
           {{"support_vectors", vectors}, {"coefficients", coefficients}, {"kernel_type", text("RBF")}});
  CHECK(flop(op) == 2 * 3 * 5 * 4 + 3 * 5 * 12);
}
