// What the library kernels compute, against plain loops. Inputs are eighths of whole numbers (whole numbers
// for int8), so products and their sums are exact in any order: equality, not nearness, wherever there is no
// division or exponential.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "calibration/microbench/dynamic_library.hpp"
#include "calibration/microbench/kernel_shapes.hpp"
#include "calibration/microbench/library_row.hpp"
#include "calibration/microbench/onednn.hpp"
#include "calibration/microbench/openblas.hpp"
#include "calibration/microbench/thread_mask.hpp"
#include "graphs/rules/costs.hpp"
#include "hwmodels/host.hpp"

using namespace corecast;
using namespace corecast::calibration::microbench;

namespace {

using Values = std::vector<float>;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

Values expected_matmul(const Problem& problem) {
  const Product& p = problem.product;
  const Values a = input_values(0, p.batch * p.m * p.k, problem.type);
  const Values b = input_values(1, p.batch * p.k * p.n, problem.type);
  Values c(at(p.batch * p.m * p.n));
  for (std::int64_t g = 0; g < p.batch; ++g) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) {
        float sum = 0.0F;
        for (std::int64_t x = 0; x < p.k; ++x) {
          sum += a[at((g * p.m + i) * p.k + x)] * b[at((g * p.k + x) * p.n + j)];
        }
        c[at((g * p.m + i) * p.n + j)] = sum;
      }
    }
  }
  return c;
}

// Calls body(channel of the group, input index, tap index) for each look of one output into its window.
template <typename Body>
void for_each_tap(const Window& w, std::int64_t y, std::int64_t x, Body body) {
  for (std::int64_t dy = 0; dy < w.kernel; ++dy) {
    for (std::int64_t dx = 0; dx < w.kernel; ++dx) {
      const std::int64_t row = y * w.stride + dy - w.padding, column = x * w.stride + dx - w.padding;
      if (row < 0 || row >= w.height || column < 0 || column >= w.width) continue;
      body(row * w.width + column, dy * w.kernel + dx);
    }
  }
}

template <typename Body>
Values for_each_output(const Window& w, Body body) {
  Values out;
  for (std::int64_t image = 0; image < w.images; ++image) {
    for (std::int64_t o = 0; o < w.outputs; ++o) {
      for (std::int64_t y = 0; y < w.output_height(); ++y) {
        for (std::int64_t x = 0; x < w.output_width(); ++x) out.push_back(body(image, o, y, x));
      }
    }
  }
  return out;
}

Values expected_convolution(const Window& w) {
  const std::int64_t per_group = w.channels / w.groups, pixels = w.height * w.width,
                     taps = w.kernel * w.kernel;
  const Values in = input_values(0, w.images * w.channels * pixels, DataType::fp32);
  const Values weights = input_values(1, w.outputs * per_group * taps, DataType::fp32);
  return for_each_output(w, [&](std::int64_t image, std::int64_t o, std::int64_t y, std::int64_t x) {
    const std::int64_t first = o / (w.outputs / w.groups) * per_group;
    float sum = 0.0F;
    for (std::int64_t c = 0; c < per_group; ++c) {
      for_each_tap(w, y, x, [&](std::int64_t pixel, std::int64_t tap) {
        sum += in[at((image * w.channels + first + c) * pixels + pixel)] *
               weights[at((o * per_group + c) * taps + tap)];
      });
    }
    return sum;
  });
}

Values expected_pool(const Window& w, bool maximum) {
  const Values in = input_values(0, w.images * w.channels * w.height * w.width, DataType::fp32);
  return for_each_output(w, [&](std::int64_t image, std::int64_t o, std::int64_t y, std::int64_t x) {
    float largest = -1e9F, sum = 0.0F, looks = 0.0F;
    for_each_tap(w, y, x, [&](std::int64_t pixel, std::int64_t) {
      const float value = in[at((image * w.channels + o) * w.height * w.width + pixel)];
      largest = std::max(largest, value);
      sum += value;
      looks += 1.0F;
    });
    return maximum ? largest : sum / looks;
  });
}

Values expected_softmax(const Product& p) {
  Values values = input_values(0, p.m * p.n, DataType::fp32);
  for (std::int64_t row = 0; row < p.m; ++row) {
    float sum = 0.0F;
    for (std::int64_t i = 0; i < p.n; ++i) sum += std::exp(values[at(row * p.n + i)]);
    for (std::int64_t i = 0; i < p.n; ++i) {
      values[at(row * p.n + i)] = std::exp(values[at(row * p.n + i)]) / sum;
    }
  }
  return values;
}

Values expected_normalization(const Product& p) {
  Values values = input_values(0, p.m * p.n, DataType::fp32);
  const Values scale_shift = input_values(1, 2 * p.n, DataType::fp32);
  const auto n = static_cast<float>(p.n);
  for (std::int64_t row = 0; row < p.m; ++row) {
    float mean = 0.0F, variance = 0.0F;
    for (std::int64_t i = 0; i < p.n; ++i) mean += values[at(row * p.n + i)] / n;
    for (std::int64_t i = 0; i < p.n; ++i) variance += std::pow(values[at(row * p.n + i)] - mean, 2.0F) / n;
    for (std::int64_t i = 0; i < p.n; ++i) {
      float& value = values[at(row * p.n + i)];
      value = (value - mean) / std::sqrt(variance + 1e-5F) * scale_shift[at(i)] + scale_shift[at(p.n + i)];
    }
  }
  return values;
}

Values expected_elements(const Problem& problem) {
  Values values = input_values(0, problem.product.m, DataType::fp32);
  const Values second = input_values(1, problem.product.m, DataType::fp32);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = problem.function == Function::relu ? std::max(values[i], 0.0F) : values[i] + second[i];
  }
  return values;
}

Values expected(const Problem& problem) {
  switch (problem.function) {
    case Function::matmul:
      return expected_matmul(problem);
    case Function::convolution:
      return expected_convolution(problem.window);
    case Function::max_pool:
    case Function::average_pool:
      return expected_pool(problem.window, problem.function == Function::max_pool);
    case Function::softmax:
      return expected_softmax(problem.product);
    case Function::layer_normalization:
      return expected_normalization(problem.product);
    default:
      return expected_elements(problem);
  }
}

double largest_difference(const Values& a, const Values& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return largest;
}

template <typename Library>
void check_call(Library& library, const Problem& problem, double tolerance) {
  CAPTURE(text_of(problem));
  const LibraryCall call = library.prepare(problem);
  if (!call.refused.empty()) {
    MESSAGE(text_of(problem) << ": " << call.refused);
    return;
  }
  call.run();
  CHECK(largest_difference(call.result(), expected(problem)) <= tolerance);
  CHECK_FALSE(call.implementation.empty());
}

Problem on_product(Function function, const Product& product, DataType type = DataType::fp32) {
  return {function, type, product, {}, "test", 0};
}

Problem on_window(Function function, const Window& window) {
  return {function, DataType::fp32, {}, window, "test", 0};
}

// One and two threads; two on one CPU when there is no other: slow, but as right.
std::vector<std::vector<int>> small_teams() {
  const std::vector<int> cpus = hwmodels::read_grant().usable();
  return {{cpus.front()}, {cpus.front(), cpus.back()}};
}

}  // namespace

TEST_CASE("oneDNN kernels compute what plain loops compute") {
  OneDnn library;
  if (!library.missing().empty()) {
    MESSAGE("skipped: " << library.missing());
    return;
  }
  for (const std::vector<int>& cpus : small_teams()) {
    const ThreadMaskGuard mask(cpus);
    REQUIRE(library.use(cpus).empty());
    check_call(library, on_product(Function::matmul, {1, 33, 40, 52}), 0.0);
    check_call(library, on_product(Function::matmul, {3, 16, 24, 32}), 0.0);
    check_call(library, on_product(Function::matmul, {1, 33, 40, 52}, DataType::int8), 0.0);
    // Sums up to 52 are rounded to the 8 significant bits of bf16: half of 2^-8 of 52.
    check_call(library, on_product(Function::matmul, {1, 33, 40, 52}, DataType::bf16), 52.0 / 256.0);
    check_call(library, on_window(Function::convolution, {2, 16, 32, 9, 9, 3, 1, 1, 1}), 0.0);
    check_call(library, on_window(Function::convolution, {1, 3, 16, 20, 20, 7, 2, 3, 1}), 0.0);
    check_call(library, on_window(Function::convolution, {1, 32, 16, 7, 7, 1, 1, 0, 1}), 0.0);
    check_call(library, on_window(Function::convolution, {1, 32, 32, 9, 9, 3, 1, 1, 32}), 0.0);
    check_call(library, on_window(Function::max_pool, {1, 16, 16, 9, 9, 3, 2, 1, 1}), 0.0);
    check_call(library, on_window(Function::average_pool, {1, 16, 16, 7, 7, 7, 1, 0, 1}), 1e-6);
    check_call(library, on_product(Function::softmax, {1, 5, 100, 1}), 1e-6);
    check_call(library, on_product(Function::layer_normalization, {1, 5, 96, 1}), 1e-5);
    check_call(library, on_product(Function::relu, {1, 1000, 1, 1}), 0.0);
    check_call(library, on_product(Function::add, {1, 1000, 1, 1}), 0.0);
  }
}

TEST_CASE("what oneDNN cannot do is refused and nothing breaks") {
  OneDnn library;
  if (!library.missing().empty()) return;
  // A window larger than the padded image has no output.
  CHECK_FALSE(library.prepare(on_window(Function::convolution, {1, 8, 8, 2, 2, 7, 1, 0, 1})).refused.empty());
  CHECK_FALSE(library.prepare(on_product(Function::matmul, {1, 8, 8, 8}, DataType::int64)).refused.empty());
}

TEST_CASE("OpenBLAS products are what plain loops compute") {
  OpenBlas library;
  if (!library.missing().empty()) {
    MESSAGE("skipped: " << library.missing());
    return;
  }
  for (const std::vector<int>& cpus : small_teams()) {
    const ThreadMaskGuard mask(cpus);
    if (const std::string why = library.use(cpus); !why.empty()) {
      MESSAGE("skipped: " << why);
      continue;
    }
    check_call(library, on_product(Function::matmul, {1, 33, 40, 52}), 0.0);
    check_call(library, on_product(Function::matmul, {1, 1, 64, 96}), 0.0);
    check_call(library, on_product(Function::matmul, {1, 300, 200, 100}), 0.0);
  }
  CHECK_FALSE(library.prepare(on_product(Function::matmul, {2, 8, 8, 8})).refused.empty());
}

TEST_CASE("flop and bytes of the grid follow from the shapes") {
  // 2 x 2 x 3 x 4 = 48; (2 x 4 + 4 x 3 + 2 x 3) x 4 B = 104.
  const Problem product = on_product(Function::matmul, {1, 2, 3, 4});
  CHECK(flops_of(product).value() == 48.0);
  CHECK(bytes_of(product).value() == 104.0);
  // int8: 8 + 12 bytes in, 6 results of 4 bytes out.
  CHECK(bytes_of(on_product(Function::matmul, {1, 2, 3, 4}, DataType::int8)).value() == 44.0);

  // ResNet-50 conv1: 112 x 112 outputs, 64 channels, 3 x 7 x 7 = 147 terms each.
  const Problem conv = on_window(Function::convolution, {1, 3, 64, 224, 224, 7, 2, 3, 1});
  CHECK(product_of(conv) == Product{1, 12544, 64, 147});
  CHECK(flops_of(conv).value() == 2.0 * 12544 * 64 * 147);
  CHECK(bytes_of(conv).value() == 4.0 * (3 * 224 * 224 + 64 * 147 + 64 * 12544));

  const Problem depthwise = on_window(Function::convolution, {1, 32, 32, 8, 8, 3, 1, 1, 32});
  CHECK(kernel_of(depthwise) == KernelClass::conv_depthwise);
  CHECK(product_of(depthwise) == Product{32, 64, 1, 9});
}

TEST_CASE("flop of memory-bound kernels are counted as operators of a graph are") {
  using namespace corecast::graphs::rules;
  CHECK(flops_of(on_product(Function::softmax, {1, 3, 5, 1})).value() == 15.0 * kSoftmax);
  CHECK(flops_of(on_product(Function::layer_normalization, {1, 3, 5, 1})).value() ==
        15.0 * kLayerNormalization);
  CHECK(flops_of(on_product(Function::relu, {1, 7, 1, 1})).value() == 7.0 * kSimple);
  CHECK(flops_of(on_product(Function::add, {1, 7, 1, 1})).value() == 7.0 * kSimple);
  // 2 channels of 4 x 4, window 2 stride 2: 8 outputs with 4 looks each.
  const Window window{1, 2, 2, 4, 4, 2, 2, 0, 1};
  CHECK(flops_of(on_window(Function::max_pool, window)).value() == 32.0);
  CHECK(flops_of(on_window(Function::average_pool, window)).value() == 32.0 + 8.0 * kDivide);
}

TEST_CASE("input values are small, exact in every type, and repeat as computed one by one") {
  for (const DataType type : {DataType::fp32, DataType::bf16, DataType::int8}) {
    for (const int input : {0, 1}) {
      const std::vector<float> values = input_values(input, 10'000, type);
      for (std::int64_t i = 0; i < 10'000; ++i) {
        const float value = values[at(i)];
        REQUIRE(value == input_value(input, i, type));
        REQUIRE(std::abs(value) <= 8.0F);
        REQUIRE(value * 8.0F == std::round(value * 8.0F));
        if (type == DataType::int8 && input == 0) REQUIRE(value >= 0.0F);
      }
    }
  }
}

TEST_CASE("every problem of the grid is named once") {
  for (const auto& problems : {onednn_problems(), openblas_problems()}) {
    std::set<std::string> names;
    for (const Problem& problem : problems) {
      CAPTURE(text_of(problem));
      CHECK(names.insert(text_of(problem)).second);
      CHECK(flops_of(problem).value() > 0.0);
      CHECK(kernel_of(problem) != KernelClass::other);
    }
  }
}

TEST_CASE("the vector extension is read from a library's names") {
  using hwmodels::Extension;
  CHECK(extension_in("brg:avx512_core", DataType::fp32) == Extension::avx512);
  CHECK(extension_in("brg:avx512_core_bf16", DataType::bf16) == Extension::bf16);
  CHECK(extension_in("brg:avx512_core_vnni", DataType::int8) == Extension::vnni);
  CHECK(extension_in("jit:avx512_core_bf16", DataType::fp32) == Extension::avx512);
  CHECK(extension_in("jit:avx2", DataType::fp32) == Extension::avx2);
  CHECK(extension_in("SkylakeX", DataType::fp32) == Extension::avx512);
  CHECK(extension_in("simple_layer_normalization:any", DataType::fp32) == std::nullopt);
}

TEST_CASE("a mask of any CPU number holds it and a guard gives the old one back") {
  const CpuMask mask({3, 1500});
  CHECK(mask.bytes() * 8 > 1500);
  CHECK(CPU_ISSET_S(3, mask.bytes(), mask.get()));
  CHECK(CPU_ISSET_S(1500, mask.bytes(), mask.get()));
  CHECK_FALSE(CPU_ISSET_S(4, mask.bytes(), mask.get()));

  const std::vector<int> before = hwmodels::read_grant().usable();
  {
    const ThreadMaskGuard guard({before.back()});
    if (guard.restricted()) CHECK(hwmodels::read_grant().usable() == std::vector<int>{before.back()});
  }
  CHECK(hwmodels::read_grant().usable() == before);
}

TEST_CASE("a library that is not there is reported in the loader's words") {
  const DynamicLibrary library({"libcorecast-has-no-such.so.1", "libcorecast-nor-this.so.2"});
  CHECK_FALSE(library.loaded());
  CHECK(library.error().find("libcorecast-has-no-such.so.1") != std::string::npos);
  void (*function)() = nullptr;
  CHECK_FALSE(library.find("anything", function));
  CHECK((function == nullptr));
}
