#include "calibration/microbench/kernel_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace corecast::calibration::microbench {
namespace {

constexpr double kSoftmaxFlop = 14.0;
constexpr double kLayerNormalizationFlop = 8.0;
constexpr double kDivideFlop = 4.0;

bool has_window(Function function) {
  return function == Function::convolution || function == Function::max_pool ||
         function == Function::average_pool;
}

double count(std::int64_t a, std::int64_t b = 1, std::int64_t c = 1, std::int64_t d = 1) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c) * static_cast<double>(d);
}

double output_elements(const Window& w) {
  return count(w.images, w.outputs, w.output_height(), w.output_width());
}

// int8 results stay in the accumulator's width.
double result_bytes(DataType type) {
  return bytes_per_element(type == DataType::int8 ? DataType::int32 : type);
}

}  // namespace

KernelClass kernel_of(const Problem& problem) {
  const Window& w = problem.window;
  switch (problem.function) {
    case Function::matmul:
      return KernelClass::gemm;
    case Function::convolution:
      if (w.groups > 1 && w.groups == w.channels) return KernelClass::conv_depthwise;
      return w.kernel == 1 ? KernelClass::conv_1x1 : KernelClass::conv;
    case Function::max_pool:
    case Function::average_pool:
      return KernelClass::pool;
    case Function::softmax:
      return KernelClass::softmax;
    case Function::layer_normalization:
      return KernelClass::normalization;
    case Function::relu:
    case Function::add:
      return KernelClass::elementwise;
  }
  return KernelClass::other;
}

Product product_of(const Problem& problem) {
  const Window& w = problem.window;
  switch (problem.function) {
    case Function::convolution:
      return {w.images * w.groups, w.output_height() * w.output_width(), w.outputs / w.groups,
              w.channels / w.groups * w.kernel * w.kernel};
    case Function::max_pool:
    case Function::average_pool:
      return {1, w.images * w.outputs * w.output_height() * w.output_width(), 1, 1};
    default:
      return problem.product;
  }
}

Flops flops_of(const Problem& problem) {
  const Product p = product_of(problem);
  const double elements = count(p.batch, p.m, p.n);
  const double looks = elements * count(problem.window.kernel, problem.window.kernel);
  switch (problem.function) {
    case Function::matmul:
    case Function::convolution:
      return Flops(2.0 * elements * static_cast<double>(p.k));
    case Function::max_pool:
      return Flops(looks);
    case Function::average_pool:
      return Flops(looks + kDivideFlop * elements);
    case Function::softmax:
      return Flops(kSoftmaxFlop * elements);
    case Function::layer_normalization:
      return Flops(kLayerNormalizationFlop * elements);
    case Function::relu:
    case Function::add:
      return Flops(elements);
  }
  return Flops(0.0);
}

Bytes bytes_of(const Problem& problem) {
  const Product& p = problem.product;
  const Window& w = problem.window;
  const double in = bytes_per_element(problem.type);
  const double out = result_bytes(problem.type);
  const double image = count(w.images, w.channels, w.height, w.width);
  switch (problem.function) {
    case Function::matmul:
      return Bytes(in * (count(p.batch, p.m, p.k) + count(p.batch, p.k, p.n)) +
                   out * count(p.batch, p.m, p.n));
    case Function::convolution:
      return Bytes(in * (image + count(w.outputs, w.channels / w.groups, w.kernel, w.kernel)) +
                   out * output_elements(w));
    case Function::max_pool:
    case Function::average_pool:
      return Bytes(in * (image + output_elements(w)));
    case Function::layer_normalization:
      return Bytes(in * (2.0 * count(p.m, p.n) + 2.0 * count(p.n)));
    case Function::softmax:
    case Function::relu:
      return Bytes(in * 2.0 * count(p.m, p.n));
    case Function::add:
      return Bytes(in * 3.0 * count(p.m, p.n));
  }
  return Bytes(0.0);
}

std::map<std::string, std::int64_t> shape_of(const Problem& problem) {
  const Product p = product_of(problem);
  std::map<std::string, std::int64_t> shape{{"batch", p.batch}, {"m", p.m}, {"n", p.n}, {"k", p.k}};
  if (problem.function == Function::relu) shape["inputs"] = 1;
  if (problem.function == Function::add) shape["inputs"] = 2;
  if (!has_window(problem.function)) return shape;
  const Window& w = problem.window;
  shape.insert({{"images", w.images},
                {"channels", w.channels},
                {"outputs", w.outputs},
                {"height", w.height},
                {"width", w.width},
                {"kernel", w.kernel},
                {"stride", w.stride},
                {"padding", w.padding},
                {"groups", w.groups}});
  return shape;
}

std::string text_of(const Problem& problem) {
  const Window& w = problem.window;
  const Product& p = problem.product;
  const std::string head = fmt::format("{} {}", name_of(kernel_of(problem)), name_of(problem.type));
  if (has_window(problem.function)) {
    return fmt::format("{} {}x{}x{}x{} to {}, {}x{} stride {}", head, w.images, w.channels, w.height, w.width,
                       w.outputs, w.kernel, w.kernel, w.stride);
  }
  if (problem.function == Function::relu) return fmt::format("{}, relu, {}", head, p.m);
  if (problem.function == Function::add) return fmt::format("{}, add, {}", head, p.m);
  if (problem.function != Function::matmul) return fmt::format("{} {}x{}", head, p.m, p.n);
  const std::string matrix = fmt::format("{}x{}x{}", p.m, p.n, p.k);
  return p.batch == 1 ? head + " " + matrix : fmt::format("{} {} of {}", head, p.batch, matrix);
}

float input_value(int input, std::int64_t index, DataType type) {
  // The division shifts the pattern, so that rows whose length is a multiple of 17 or 9 differ too.
  const std::int64_t scrambled = index * 5 + index / 17 + 3 * input;
  if (type == DataType::int8 && input == 0) return static_cast<float>(scrambled % 9);
  const auto whole = static_cast<float>(scrambled % 17 - 8);
  return type == DataType::int8 ? whole : whole / 8.0F;
}

std::vector<float> input_values(int input, std::int64_t count, DataType type) {
  // After this many the values repeat: 5 index + index / 17 grows by a multiple of both 17 and 9. Copies are
  // faster.
  constexpr std::int64_t period = 17 * 17 * 9;
  std::vector<float> values(static_cast<std::size_t>(count));
  const std::int64_t first = std::min(period, count);
  for (std::int64_t i = 0; i < first; ++i) values[static_cast<std::size_t>(i)] = input_value(input, i, type);
  for (std::int64_t done = first; done < count; done += first) {
    std::copy_n(values.begin(), std::min(first, count - done), values.begin() + done);
  }
  return values;
}

}  // namespace corecast::calibration::microbench
