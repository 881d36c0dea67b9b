// Images of another size. Interpolation along d axes between 2 (linear) or 4 (cubic) neighbours each, one
// multiply-add per neighbour:   flop per output = 2 * 2^d   or   2 * 4^d;   nearest copies. An axis that
// keeps its size costs nothing.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

Operator resize(const NodeView& node) {
  const Shape& x = input_shape(node, 0);
  const Shape& y = output_shape(node, 0);
  require_equal(node, "the output's rank", static_cast<std::int64_t>(y.size()),
                static_cast<std::int64_t>(x.size()));
  int axes = 0;
  for (std::size_t d = 0; d < x.size(); ++d) axes += x[d] != y[d] ? 1 : 0;
  const std::string mode = node.text("mode", "nearest");
  if (axes == 0 || mode == "nearest") return streamed(node, KernelClass::transpose, kFree);
  const double neighbours = mode == "cubic" ? 4.0 : 2.0;
  return streamed(node, KernelClass::elementwise, 2.0 * std::pow(neighbours, std::min(axes, 8)));
}

// A crop per region, bilinear.
Operator crop_and_resize(const NodeView& node) {
  (void)input_shape(node, 0, 4, 4);
  const Shape& regions = input_shape(node, 1, 2, 2);
  const Shape& y = output_shape(node, 0);
  if (y.size() != 4) fail(node, fmt::format("output has {} dimensions, wanted 4", y.size()));
  Operator op = streamed(node, KernelClass::pool, 8);
  op.work.units = product(node, {regions[0], y[1]});
  return op;
}

// Coordinates of every output pixel: a matrix of d x (d + 1) times the pixel's place, d = 2 or 3.
Operator affine_grid(const NodeView& node) {
  const Shape& theta = input_shape(node, 0, 3, 3);
  const auto columns = static_cast<double>(std::min<std::int64_t>(4, theta[2]));
  return streamed(node, KernelClass::elementwise, 2.0 * columns);
}

constexpr std::array kRules{
    Entry{kOnnx, "AffineGrid", affine_grid}, Entry{kOnnx, "Resize", resize},
    Entry{kOnnx, "Upsample", resize},        Entry{kMicrosoft, "CropAndResize", crop_and_resize},
    Entry{kNchwc, "Upsample", resize},
};

}  // namespace

std::span<const Entry> resample_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
