// Values for weights that were never learned. Internal to the ONNX export.
//
// A run must cost what it costs in a trained model, so activations must neither overflow nor fade: arithmetic with
// denormal numbers is up to a hundred times slower. All elements of a weight are equal and positive, and
//
//   product, convolution   1 / fan-in: a result is the mean of what it sums, and means stay through any depth
//   bias, shift            0.001: a floor under what gates (sigmoid, swish) or a cut tail would let fade
//   normalisation          scale 1, shift 0.001, mean 0, variance 1
//
// A residual addition doubles a mean at most: 50 blocks reach 1e15, far from fp32's 3e38. Behind a layer normalisation,
// equal rows give zeros, which are not denormal, and then the shift. That is why shifts and embeddings (0.02) are small:
// onnxruntime 1.13 takes a variance as E(x^2) - E(x)^2, which rounding makes negative, and the root not a number, when
// all x are near 1.
// Weights of equal shape differ by parts in a million, int8 ones by whole numbers that their scales undo: onnxruntime
// merges equal constants, and layers would then share one weight that stays in the cache.
// A constant that meets an activation element by element is the one that usually stands there: 1/2 in a product and
// sqrt(2) in a division (both of GELU, near enough for a scale of attention), 2 as an exponent, 1 as an addend, but
// 1e-5 below a square root.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "graphs/written_model.hpp"

namespace corecast::graphs {

class FillValues {
 public:
  explicit FillValues(const WrittenModel& model);

  // Of all elements of input i, a constant.
  [[nodiscard]] double fill(const NodeView& node, std::size_t i) const;

 private:
  [[nodiscard]] double by_role(const NodeView& node, std::size_t i) const;
  [[nodiscard]] double quantized(const NodeView& node, std::size_t i) const;
  [[nodiscard]] double elementwise(const NodeView& node, std::size_t i) const;
  [[nodiscard]] double int8_weight(const TensorView& weight) const;

  std::map<std::string, std::int64_t> numbers_;  // of a constant, among those of its type and shape
  std::set<std::string> rooted_;                 // tensors whose square root is taken
};

}  // namespace corecast::graphs
