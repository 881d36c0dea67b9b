// The kernel calls that are measured in libraries: which function, on which shape, and what it must compute
// and move.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/data_type.hpp"
#include "base/kernel_class.hpp"
#include "base/quantity.hpp"

namespace corecast::calibration::microbench {

enum class Function { matmul, convolution, max_pool, average_pool, softmax, layer_normalization, relu, add };

// `batch` independent products of (m x k) by (k x n). The functions on rows have m rows of n columns, the
// elementwise ones m elements; k = 1.
struct Product {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  friend bool operator==(const Product&, const Product&) = default;
};

// A square window over an image; a pool has as many outputs as channels.
struct Window {
  std::int64_t images = 1, channels = 1, outputs = 1, height = 1, width = 1;
  std::int64_t kernel = 1, stride = 1, padding = 0, groups = 1;

  [[nodiscard]] std::int64_t output_height() const { return (height + 2 * padding - kernel) / stride + 1; }
  [[nodiscard]] std::int64_t output_width() const { return (width + 2 * padding - kernel) / stride + 1; }
  friend bool operator==(const Window&, const Window&) = default;
};

struct Problem {
  Function function = Function::matmul;
  DataType type = DataType::fp32;  // int8: unsigned inputs by signed weights into int32
  Product product;                 // of matmul and the functions on rows and elements
  Window window;                   // of convolutions and pools
  std::string from;                // where the shape comes from: "BERT-base, 128 tokens"
  int rank = 0;                    // 0 is measured first; higher ones when the budget lasts
};

[[nodiscard]] KernelClass kernel_of(const Problem& problem);

// m, n, k, batch as graphs/work.hpp has them. Convolution: m = output pixels of one image, n = outputs of one
// group, k = input channels of one group times window, batch = images times groups. Pool: m = output
// elements.
[[nodiscard]] Product product_of(const Problem& problem);

// 2 batch m n k, of memory-bound functions what graphs/rules/costs.hpp counts: relu, add 1 per element,
// softmax 14, layer normalisation 8, maximum pool 1 per look into the window, average pool 4 per output more.
[[nodiscard]] Flops flops_of(const Problem& problem);

// Each byte once: inputs, weights and outputs. Scale and shift of a normalisation count as weights.
[[nodiscard]] Bytes bytes_of(const Problem& problem);

// product_of under "batch", "m", "n", "k"; windows also "images", "channels", "outputs", "height", "width",
// "kernel", "stride", "padding", "groups"; elementwise "inputs".
[[nodiscard]] std::map<std::string, std::int64_t> shape_of(const Problem& problem);

[[nodiscard]] std::string text_of(const Problem& problem);  // "gemm fp32 512x512x512"

[[nodiscard]] std::vector<Problem> onednn_problems();
[[nodiscard]] std::vector<Problem> openblas_problems();

// Element `index` of input number `input`: small values that every type here holds exactly, so that products
// and their sums are exact in fp32 and in int32, and no denormals. int8 inputs number 0 (unsigned) are 0..8,
// all else is -8..8 (int8) or eighths of it.
[[nodiscard]] float input_value(int input, std::int64_t index, DataType type);
[[nodiscard]] std::vector<float> input_values(int input, std::int64_t count, DataType type);

}  // namespace corecast::calibration::microbench
