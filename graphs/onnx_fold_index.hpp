// Index arithmetic for folding: which element of the input each element of the result is.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "graphs/onnx_shapes.hpp"

namespace corecast::graphs::importing {

// Row-major walk over all positions of a shape.
class Positions {
 public:
  explicit Positions(const Shape& shape) : shape_(shape), at_(shape.size(), 0) {}
  [[nodiscard]] const std::vector<std::int64_t>& at() const { return at_; }
  void advance();

 private:
  Shape shape_;
  std::vector<std::int64_t> at_;
};

[[nodiscard]] std::vector<std::int64_t> strides_of(const Shape& shape);

// Index into a tensor of shape `from`, stretched to the rank of `position` (numpy broadcasting).
[[nodiscard]] std::size_t broadcast_index(const Shape& from, const std::vector<std::int64_t>& position);

// Index into input 0 for each element of result `output` of an operator that only moves elements; nothing for
// others.
[[nodiscard]] std::optional<std::vector<std::size_t>> moved_from(const Inference& inference,
                                                                 const Types& types, std::size_t output);

}  // namespace corecast::graphs::importing
