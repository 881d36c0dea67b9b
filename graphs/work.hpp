// Work: what an operator asks for, free of any machine.
#pragma once

#include <cstdint>

#include "base/data_type.hpp"
#include "base/quantity.hpp"

namespace corecast::graphs {

// The matrix product inside an operator: `batch` independent products of (m x k) by (k x n).
// For a convolution (as an implicit product): m = output pixels of one image, n = output channels of one group,
// k = input channels of one group times window, batch = images times groups.
struct MatrixShape {
  std::int64_t batch = 1;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};

struct Work {
  // Arithmetic: 1 multiply-add = 2 flop; for integer types the same count of integer operations.
  Flops flops{};
  // The type the arithmetic is done in (the accumulator may be wider).
  DataType compute_type = DataType::fp32;
  // Compulsory traffic, each byte once: activations read, weights (constants) read, results written.
  Bytes activations_read{};
  Bytes weights_read{};
  // Of weights_read, what each of `steps` after the first reads again: from the cache that holds it, else from memory.
  Bytes weights_per_step{};
  Bytes written{};
  // What must stay in cache for the traffic to be compulsory only.
  Bytes working_set{};
  // Independent equal pieces the operator can be cut into (rows of output tiles, images, heads): U of the
  // imbalance term. At least 1.
  std::int64_t units = 1;
  // Share of the flop and traffic that one thread must do alone, 0..1 (a recurrent operator's step order is not in
  // here but in `steps`).
  double serial_fraction = 0.0;
  // Parts that must follow one another, each with a fork and a join (time steps of a recurrent operator). At least 1.
  std::int64_t steps = 1;

  [[nodiscard]] Bytes read() const { return activations_read + weights_read; }
  [[nodiscard]] Bytes traffic() const { return activations_read + weights_read + written; }
  friend bool operator==(const Work&, const Work&) = default;
};

}  // namespace corecast::graphs
