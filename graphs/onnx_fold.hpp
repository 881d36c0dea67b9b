// Folding of small constant tensors: the subgraphs that compute shapes, axes and scales. Free of ONNX.
#pragma once

#include <optional>
#include <vector>

#include "graphs/onnx_shapes.hpp"

namespace corecast::graphs::importing {

// Values of one result: whole numbers or floating-point ones, or neither.
struct Values {
  std::optional<std::vector<std::int64_t>> integers;
  std::optional<std::vector<double>> reals;
  [[nodiscard]] bool known() const { return integers || reals; }
};

// Values of the results, as far as the operator is known, its inputs' values are, and the results (of the
// types and shapes given) are small. Overflow, division by zero and values a type cannot hold leave the
// result unknown.
[[nodiscard]] std::vector<Values> fold(const Inference& inference, const Types& types);

[[nodiscard]] bool is_whole(DataType type);  // integers and booleans
[[nodiscard]] bool is_real(DataType type);

}  // namespace corecast::graphs::importing
