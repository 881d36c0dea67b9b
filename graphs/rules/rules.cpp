#include "graphs/rules/rules.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"

namespace corecast::graphs::rules {

std::string label(const NodeView& node) {
  return fmt::format("node {} ({})", quote(node.name), quote(node.type));
}

void fail(const NodeView& node, std::string what, std::string hint) {
  throw InputError(label(node), std::move(what), std::move(hint));
}

const TensorView& input(const NodeView& node, std::size_t i) {
  const TensorView* tensor = node.input(i);
  if (tensor == nullptr) fail(node, fmt::format("input {} is missing", i));
  return *tensor;
}

const TensorView& output(const NodeView& node, std::size_t i) {
  const TensorView* tensor = node.output(i);
  if (tensor == nullptr) fail(node, fmt::format("output {} is missing", i));
  return *tensor;
}

const Shape& shape_of(const TensorView& tensor) {
  if (!tensor.shape) throw UnknownShape{};
  return *tensor.shape;
}

const Shape& input_shape(const NodeView& node, std::size_t i) {
  return shape_of(input(node, i));
}
const Shape& output_shape(const NodeView& node, std::size_t i) {
  return shape_of(output(node, i));
}

const Shape& input_shape(const NodeView& node, std::size_t i, std::size_t least, std::size_t most) {
  const Shape& shape = input_shape(node, i);
  if (shape.size() < least || shape.size() > most) {
    const std::string wanted = least == most ? fmt::format("{}", least) : fmt::format("{}..{}", least, most);
    fail(node, fmt::format("input {} has {} dimensions, wanted {}", i, shape.size(), wanted));
  }
  return shape;
}

void require_equal(const NodeView& node, std::string_view what, std::int64_t found, std::int64_t wanted) {
  if (found != wanted) fail(node, fmt::format("{} is {}, wanted {}", what, found, wanted));
}

std::int64_t product(const NodeView& node, std::span<const std::int64_t> factors) {
  if (std::find(factors.begin(), factors.end(), 0) != factors.end()) return 0;
  std::int64_t result = 1;
  for (const std::int64_t factor : factors) {
    if (factor < 0) fail(node, fmt::format("size {} is negative", factor));
    if (__builtin_mul_overflow(result, factor, &result)) {
      fail(node, "sizes are too large: a product does not fit 63 bits");
    }
  }
  return result;
}

std::int64_t product(const NodeView& node, std::initializer_list<std::int64_t> factors) {
  return product(node, std::span<const std::int64_t>(factors.begin(), factors.size()));
}

std::int64_t sum(const NodeView& node, std::initializer_list<std::int64_t> terms) {
  std::int64_t result = 0;
  for (const std::int64_t term : terms) {
    if (__builtin_add_overflow(result, term, &result))
      fail(node, "sizes are too large: a sum does not fit 63 bits");
  }
  return result;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

std::int64_t elements(const NodeView& node, const TensorView& tensor) {
  return product(node, shape_of(tensor));
}

std::size_t axis_index(const NodeView& node, std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    fail(node, fmt::format("axis {} is outside a tensor of {} dimensions", axis, rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

std::optional<Shape> whole_numbers(const NodeView& node, std::string_view attribute, std::size_t i) {
  if (Shape values = node.wholes(attribute); !values.empty()) return values;
  if (const TensorView* tensor = node.input(i)) return tensor->integers;
  return std::nullopt;
}

namespace {

// Whether an earlier tensor of the list is the same one.
bool seen_before(const std::vector<TensorView>& tensors, std::size_t i) {
  if (tensors[i].name.empty()) return false;
  for (std::size_t j = 0; j < i; ++j) {
    if (!tensors[j].absent && tensors[j].name == tensors[i].name) return true;
  }
  return false;
}

}  // namespace

Work traffic(const NodeView& node) {
  Work work;
  work.compute_type = compute_type(node);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].absent && !seen_before(node.inputs, i)) read(work, node.inputs[i]);
  }
  (void)output_shape(node, 0);
  // Further results are optional: an unknown one is not waited for.
  for (const TensorView& tensor : node.outputs) work.written += tensor.absent ? Bytes{} : tensor.bytes();
  return work;
}

void read(Work& work, const TensorView& tensor) {
  (void)shape_of(tensor);
  read(work, tensor, tensor.bytes());
}

void read(Work& work, const TensorView& tensor, Bytes bytes) {
  (tensor.constant ? work.weights_read : work.activations_read) += bytes;
}

DataType compute_type(const NodeView& node) {
  const auto counts = [](const TensorView& t) {
    return !t.absent && t.type != DataType::unknown && t.type != DataType::string;
  };
  for (const auto* tensors : {&node.inputs, &node.outputs}) {
    const auto found = std::find_if(tensors->begin(), tensors->end(), counts);
    if (found != tensors->end()) return found->type;
  }
  return DataType::fp32;
}

Bytes bytes_of(DataType type, std::int64_t elements) {
  return Bytes(static_cast<double>(elements) * bytes_per_element(type));
}

std::int64_t chunk_units(std::int64_t elements) {
  return std::max<std::int64_t>(1, ceil_div(elements, 1024));
}

std::int64_t tile_units(const NodeView& node, const MatrixShape& matrix) {
  return product(node, {matrix.batch, ceil_div(matrix.m, 8), ceil_div(matrix.n, 16)});
}

Flops flops_of(const MatrixShape& matrix) {
  return Flops(2.0 * static_cast<double>(matrix.batch) * static_cast<double>(matrix.m) *
               static_cast<double>(matrix.n) * static_cast<double>(matrix.k));
}

Bytes working_set_of(const MatrixShape& matrix, DataType type) {
  const auto m = static_cast<double>(matrix.m);
  const auto n = static_cast<double>(matrix.n);
  const auto k = static_cast<double>(matrix.k);
  const double held = std::min(m, n) * k;
  const double tile_row = n <= m ? std::min(m, 8.0) * (k + n) : std::min(n, 16.0) * (k + m);
  return Bytes((held + tile_row) * bytes_per_element(type));
}

Operator matrix_operator(const NodeView& node, const MatrixShape& matrix, Work work) {
  work.flops += flops_of(matrix);
  work.units = tile_units(node, matrix);
  work.working_set = working_set_of(matrix, work.compute_type);
  Operator op = operator_with(KernelClass::gemm, work);
  op.matrix = matrix;
  return op;
}

Operator operator_with(KernelClass kernel, Work work) {
  Operator op;
  op.kernel = kernel;
  op.work = work;
  return op;
}

Operator nothing(const NodeView& node) {
  Work work;
  work.compute_type = compute_type(node);
  return operator_with(KernelClass::shape, work);
}

Operator streamed(const NodeView& node, KernelClass kernel, double flop_per_element) {
  Work work = traffic(node);
  const std::int64_t count = elements(node, output(node, 0));
  work.flops = Flops(flop_per_element * static_cast<double>(count));
  work.units = chunk_units(count);
  return operator_with(kernel, work);
}

Operator fill(const NodeView& node, double flop_per_element) {
  const TensorView& result = output(node, 0);
  const std::int64_t count = elements(node, result);
  Work work;
  work.compute_type = result.type;
  work.written = result.bytes();
  work.flops = Flops(flop_per_element * static_cast<double>(count));
  work.units = chunk_units(count);
  return operator_with(KernelClass::elementwise, work);
}

Operator fill_unless_constant(const NodeView& node, double flop_per_element) {
  const bool known = std::all_of(node.inputs.begin(), node.inputs.end(), [](const TensorView& tensor) {
    return tensor.absent || tensor.constant || tensor.integers;
  });
  return known ? nothing(node) : fill(node, flop_per_element);
}

int activation_cost(std::string_view name) {
  struct Cost {
    std::string_view name;
    int flop;
  };
  static constexpr std::array kCosts{Cost{"", kFree},
                                     Cost{"Relu", kSimple},
                                     Cost{"Clip", 2},
                                     Cost{"LeakyRelu", kLeakyRelu},
                                     Cost{"HardSigmoid", kHardSigmoid},
                                     Cost{"HardSwish", kHardSigmoid + 1},
                                     Cost{"Tanh", kTanh},
                                     Cost{"Sigmoid", kSigmoid},
                                     Cost{"Elu", kElu},
                                     Cost{"Gelu", kGelu},
                                     Cost{"Softplus", kSoftplus}};
  for (const Cost& cost : kCosts) {
    if (cost.name == name) return cost.flop;
  }
  return kSigmoid;
}

}  // namespace corecast::graphs::rules
