// Kernel classes: operators that a library runs with one kind of kernel, hence with one efficiency.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace corecast {

enum class KernelClass {
  gemm,            // matrix products, fully connected layers, attention products
  conv,            // convolution with a spatial window, dense over channels (also small group counts)
  conv_1x1,        // pointwise convolution: a matrix product in disguise
  conv_depthwise,  // one input channel per group
  conv_transposed,
  pool,
  elementwise,    // activations, additions, casts, quantisation
  normalization,  // batch, layer, group, instance, local response
  softmax,
  gather,     // embedding lookups, scatter, indexing
  transpose,  // data movement: transpose, concat, split, slice, pad, resize by copy
  reduce,
  recurrent,  // LSTM, GRU, RNN: steps in sequence
  shape,      // no data moved: Reshape, Shape, Identity, constants
  control,    // If, Loop, Scan: bodies counted
  other,      // no rule: counted as a memory pass
};

inline constexpr std::array<std::string_view, 16> kKernelClassNames{
    "gemm",        "conv",          "conv_1x1", "conv_depthwise", "conv_transposed", "pool",
    "elementwise", "normalization", "softmax",  "gather",         "transpose",       "reduce",
    "recurrent",   "shape",         "control",  "other"};

[[nodiscard]] constexpr std::string_view name_of(KernelClass kernel) {
  return kKernelClassNames[static_cast<std::size_t>(kernel)];
}

[[nodiscard]] constexpr std::optional<KernelClass> kernel_class_named(std::string_view name) {
  for (std::size_t i = 0; i < kKernelClassNames.size(); ++i) {
    if (kKernelClassNames[i] == name) return static_cast<KernelClass>(i);
  }
  return std::nullopt;
}

}  // namespace corecast
