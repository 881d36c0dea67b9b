// What the import knows of one value of a model while it walks the nodes. Free of ONNX.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "graphs/work_rules.hpp"

namespace corecast::graphs::importing {

using Shape = std::vector<std::int64_t>;

// Values of constants are kept up to this many elements: shapes, axes, pads, grids of a few hundred numbers.
inline constexpr std::size_t kMostValues = 1024;
// Larger tensors fit in no machine; the bound keeps every product of sizes far from overflow.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 50;

struct Tensor {
  TensorView view;                           // integers hold the values of small whole-number constants
  std::optional<std::vector<double>> reals;  // values of small floating-point constants
  bool from_sizes = false;  // known only because the input sizes are: Shape and what is computed from it
  std::size_t origin = 0;   // of a weight that was only moved (transposed, cast): the one in the file
};

// Type and shape of one result; no shape when it cannot be known before the run.
struct Typed {
  DataType type = DataType::unknown;
  std::optional<Shape> shape;
};

// The file fixes the batch to `from` and another one is asked for.
struct Rebatch {
  std::int64_t from = 1;
  std::int64_t to = 1;
};

// Product of the dimensions; nothing when one is negative or above kMostElements, or the product is.
[[nodiscard]] std::optional<std::int64_t> elements_of(const Shape& shape);
// "1x3x224x224", "scalar".
[[nodiscard]] std::string to_text(const Shape& shape);
// `node "conv1" ("Conv")`: the place of an InputError.
[[nodiscard]] std::string place_of(const NodeView& node);

}  // namespace corecast::graphs::importing
