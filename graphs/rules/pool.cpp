// Pools: every output element looks at its window once (1 flop each: a comparison or an addition).
#include <array>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

Operator windowed(const NodeView& node, double looks, Shape window, int flop_per_look, int flop_per_output,
                  bool channels_last) {
  const Shape& x = input_shape(node, 0);
  Work work = traffic(node);
  work.flops = Flops(looks * flop_per_look + output(node, 0).elements() * flop_per_output);
  work.units = product(node, {x[0], channels_last ? x.back() : x[1]});
  Operator op = operator_with(KernelClass::pool, work);
  op.window = std::move(window);
  return op;
}

// A local pool; the window is the attribute kernel_shape.
Operator local(const NodeView& node, int flop_per_look, int flop_per_output, bool channels_last = false) {
  const Shape& x = input_shape(node, 0, 3, 8);
  const Shape& y = output_shape(node, 0);
  require_equal(node, "the output's rank", static_cast<std::int64_t>(y.size()),
                static_cast<std::int64_t>(x.size()));
  const Shape window = node.wholes("kernel_shape");
  if (window.size() + 2 != x.size()) {
    fail(node, fmt::format("kernel_shape has {} sizes, wanted {}", window.size(), x.size() - 2));
  }
  const auto taps = static_cast<double>(product(node, window));
  // Rows under the window, of one channel (of all when channels are innermost).
  Operator op = windowed(node, output(node, 0).elements() * taps, window, flop_per_look, flop_per_output,
                         channels_last);
  double row = static_cast<double>(window.front());
  for (std::size_t i = channels_last ? 2 : 3; i < x.size(); ++i) row *= static_cast<double>(x[i]);
  op.work.working_set = Bytes(row * bytes_per_element(op.work.compute_type));
  return op;
}

Operator global(const NodeView& node, int flop_per_look, int flop_per_output, bool channels_last = false) {
  const Shape& x = input_shape(node, 0, 3, 8);
  Shape window = channels_last ? Shape(x.begin() + 1, x.end() - 1) : Shape(x.begin() + 2, x.end());
  return windowed(node, input(node, 0).elements(), std::move(window), flop_per_look, flop_per_output,
                  channels_last);
}

bool channels_last(const NodeView& node) {
  return node.whole("channels_last", 0) != 0;
}

Operator max_pool(const NodeView& node) {
  return local(node, kSimple, kFree);
}
Operator nhwc_max_pool(const NodeView& node) {
  return local(node, kSimple, kFree, true);
}
Operator average_pool(const NodeView& node) {
  return local(node, kSimple, kDivide);
}
Operator lp_pool(const NodeView& node) {
  const bool square = node.whole("p", 2) == 2;
  return local(node, square ? 2 : kPower + 1, square ? kSquareRoot : kPower);
}
Operator global_average_pool(const NodeView& node) {
  return global(node, kSimple, kDivide);
}
Operator global_max_pool(const NodeView& node) {
  return global(node, kSimple, kFree);
}
Operator global_lp_pool(const NodeView& node) {
  const bool square = node.whole("p", 2) == 2;
  return global(node, square ? 2 : kPower + 1, square ? kSquareRoot : kPower);
}

// Quantised: the sum is scaled, rounded and saturated once per output.
Operator qlinear_average_pool(const NodeView& node) {
  return local(node, kSimple, kQuantize + kDivide, channels_last(node));
}
Operator qlinear_global_average_pool(const NodeView& node) {
  return global(node, kSimple, kQuantize + kDivide, channels_last(node));
}

// Indices say where each input element goes: a scatter into zeros.
Operator max_unpool(const NodeView& node) {
  return streamed(node, KernelClass::gather, kFree);
}

// Each region is pooled into a fixed grid. Max: every region is taken to cover a quarter of its image; that
// it may cover more or less is data, not shape.
Operator max_roi_pool(const NodeView& node) {
  const Shape& x = input_shape(node, 0, 4, 4);
  const Shape& regions = input_shape(node, 1, 2, 2);
  const std::int64_t channels = product(node, {regions[0], x[1]});
  Work work = traffic(node);
  work.flops = Flops(static_cast<double>(channels) * static_cast<double>(product(node, {x[2], x[3]})) / 4.0);
  work.units = channels;
  Operator op = operator_with(KernelClass::pool, work);
  op.window = node.wholes("pooled_shape");
  return op;
}

// sampling_ratio^2 bilinear samples (4 multiply-adds) per output; 0 means adaptive, taken as 2.
Operator roi_align(const NodeView& node) {
  (void)input_shape(node, 0, 4, 4);
  const Shape& regions = input_shape(node, 1, 2, 2);
  const Shape& y = output_shape(node, 0);
  if (y.size() != 4) fail(node, fmt::format("output has {} dimensions, wanted 4", y.size()));
  const std::int64_t ratio = node.whole("sampling_ratio", 0);
  if (ratio < 0) fail(node, fmt::format("sampling_ratio is {}, wanted at least 0", ratio));
  const double samples = ratio == 0 ? 4.0 : static_cast<double>(ratio) * static_cast<double>(ratio);
  Work work = traffic(node);
  work.flops = Flops(output(node, 0).elements() * samples * 9.0);
  work.units = product(node, {regions[0], y[1]});
  return operator_with(KernelClass::pool, work);
}

constexpr std::array kRules{
    Entry{kOnnx, "AveragePool", average_pool},
    Entry{kOnnx, "GlobalAveragePool", global_average_pool},
    Entry{kOnnx, "GlobalLpPool", global_lp_pool},
    Entry{kOnnx, "GlobalMaxPool", global_max_pool},
    Entry{kOnnx, "LpPool", lp_pool},
    Entry{kOnnx, "MaxPool", max_pool},
    Entry{kOnnx, "MaxRoiPool", max_roi_pool},
    Entry{kOnnx, "MaxUnpool", max_unpool},
    Entry{kOnnx, "RoiAlign", roi_align},
    Entry{kMicrosoft, "MaxpoolWithMask", max_pool},
    Entry{kMicrosoft, "NhwcMaxPool", nhwc_max_pool},
    Entry{kMicrosoft, "QLinearAveragePool", qlinear_average_pool},
    Entry{kMicrosoft, "QLinearGlobalAveragePool", qlinear_global_average_pool},
    Entry{kNchwc, "AveragePool", average_pool},
    Entry{kNchwc, "GlobalAveragePool", global_average_pool},
    Entry{kNchwc, "GlobalMaxPool", global_max_pool},
    Entry{kNchwc, "MaxPool", max_pool},
};

}  // namespace

std::span<const Entry> pool_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
