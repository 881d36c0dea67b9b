// Gradients of matrix products, convolutions and recurrent layers. Equations: training.hpp.
#include <algorithm>
#include <numeric>
#include <span>
#include <string>

#include "graphs/rules/rules.hpp"
#include "graphs/training_backward.hpp"

namespace corecast::graphs::training {
namespace {

using rules::ceil_div;
using rules::Shape;

constexpr std::size_t kWeights = 1;
constexpr std::size_t kBias = 2;

std::int64_t product(std::span<const std::int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t pixels(const Shape& image) {
  return product(std::span(image).subspan(2));
}

// As the forward rule counts them: a row of one dimension is cut into 16 pixels.
std::int64_t rows(const Shape& image) {
  if (image.size() == 3) return ceil_div(image[2], 16);
  return product(std::span(image).subspan(2, image.size() - 3));
}

// Pixels of all rows under a window, in one channel.
double pixels_under(std::int64_t window, const Shape& image) {
  double count = static_cast<double>(std::min(window, image[2]));
  for (std::size_t i = 3; i < image.size(); ++i) count *= static_cast<double>(image[i]);
  return count;
}

// The product of one operand's gradient: dy and the other operand.
void operand(Backward& backward, const Step& step, std::size_t to, const MatrixShape& matrix) {
  const bool weights = step.is_learned(to);
  const DataType type = step.forward.work.compute_type;
  Gradient(backward, step, weights ? "weights" : "data",
           step.node.type + (weights ? "GradWeights" : "GradData"), step.forward.kernel)
      .dy()
      .x(1 - to)
      .flops(rules::flops_of(*step.forward.matrix).value())
      .to(to)
      .units(rules::tile_units(step.node, matrix))
      .product(matrix)
      .working_set(rules::working_set_of(matrix, type))
      .add();
}

void operands(Backward& backward, const Step& step, bool transposed_weights) {
  const MatrixShape& f = *step.forward.matrix;
  // A square: both operands are one tensor, whose gradient is the sum of both products.
  const bool square = step.input(0).name == step.input(1).name;
  if (step.wants(0)) operand(backward, step, 0, {f.batch, f.m, f.k, f.n});
  if (step.wants(1) || (square && step.wants(0))) {
    // Rows and columns as the right operand is stored.
    operand(backward, step, 1,
            transposed_weights ? MatrixShape{f.batch, f.n, f.k, f.m} : MatrixShape{f.batch, f.k, f.n, f.m});
  }
}

}  // namespace

void matmul_gradients(Backward& backward, const Step& step) {
  if (!step.forward.matrix) return approximate_gradient(backward, step);
  operands(backward, step, false);
}

void gemm_gradients(Backward& backward, const Step& step) {
  if (!step.forward.matrix) return approximate_gradient(backward, step);
  operands(backward, step, step.node.whole("transB", 0) != 0);
  if (step.wants(kBias)) pass_on(backward, step, kBias);
}

void conv_gradients(Backward& backward, const Step& step) {
  if (!step.forward.matrix) return approximate_gradient(backward, step);
  const Shape& x = *step.input(0).shape;
  const Shape& y = *step.node.outputs.front().shape;
  const Shape& w = *step.input(kWeights).shape;
  const std::int64_t groups = step.node.whole("group", 1);
  const std::int64_t in = x[1] / groups;
  const std::int64_t out = y[1] / groups;
  const std::int64_t window = product(std::span(w).subspan(2));
  const bool transposed = step.node.type == "ConvTranspose";
  const double element = bytes_per_element(step.forward.work.compute_type);
  const double filters = static_cast<double>(in) * static_cast<double>(out) * static_cast<double>(window);
  const double multiply_adds = step.forward.work.flops.value();
  if (step.wants(0)) {
    const double strip =
        pixels_under(w[2], y) * static_cast<double>(out) + pixels_under(1, x) * static_cast<double>(in);
    Gradient(backward, step, "data", step.node.type + "GradData", step.forward.kernel)
        .dy()
        .x(kWeights)
        .flops(multiply_adds)
        .to(0)
        .units(x[0] * groups * ceil_div(in, 16) * rows(x))
        .product({x[0] * groups, pixels(x), in, out * window})
        .shaped(step.forward)
        .working_set(Bytes((filters + strip) * element))
        .add();
  }
  if (step.wants(kWeights)) {
    const double strip = pixels_under(w[2], transposed ? y : x) * static_cast<double>(transposed ? out : in) +
                         pixels_under(1, transposed ? x : y) * static_cast<double>(transposed ? in : out);
    const MatrixShape matrix = transposed ? MatrixShape{groups, in, out * window, x[0] * pixels(x)}
                                          : MatrixShape{groups, out, in * window, x[0] * pixels(y)};
    const bool learned = step.is_learned(kWeights);
    // Images are added up in shares: a library gives each thread some images and some blocks of channels.
    Gradient(backward, step, learned ? "weights" : "data",
             step.node.type + (learned ? "GradWeights" : "GradData"), step.forward.kernel)
        .dy()
        .x(0)
        .flops(multiply_adds)
        .to(kWeights)
        .units(x[0] * groups * ceil_div(out, 16) * ceil_div(in, 16))
        .product(matrix)
        .shaped(step.forward)
        .working_set(Bytes((filters + strip) * element))
        .add();
  }
  if (step.wants(kBias)) pass_on(backward, step, kBias);
}

// What the forward pass keeps for the backward pass: the gates of every step.
Bytes saved_gates(const NodeView& node) {
  const Shape& x = *node.inputs[0].shape;
  const Shape& w = *node.inputs[1].shape;  // directions, gates x hidden, input
  return Bytes(static_cast<double>(w[0]) * static_cast<double>(w[1]) * static_cast<double>(x[0]) *
               static_cast<double>(x[1]) * bytes_per_element(node.inputs[0].type));
}

// Backwards through the steps; each multiplies the gates' gradients by the weights, for the input (where it wants
// a gradient) and the hidden state, and by input and hidden state, for the weights.
void recurrent_gradients(Backward& backward, const Step& step) {
  if (!step.forward.matrix) return approximate_gradient(backward, step);
  const MatrixShape& f = *step.forward.matrix;  // m = batch, n = gates x hidden, k = input + hidden
  const std::int64_t columns = step.wants(0) ? f.k : (*step.input(2).shape)[2];
  const MatrixShape to_data{f.batch, f.m, columns, f.n};
  const double forward_products = rules::flops_of(f).value();
  const double pointwise = step.forward.work.flops.value() - forward_products;
  // Products to the weights exist only where these learn.
  const double to_weights = step.is_learned(1) || step.is_learned(2) ? forward_products : 0.0;
  Gradient gradient(backward, step, "data", step.node.type + "Grad", KernelClass::recurrent);
  gradient.dy().y().saved(saved_gates(step.node));
  for (std::size_t i = 0; i < step.node.inputs.size(); ++i) {
    if (!step.input(i).absent) gradient.x(i);
    if (step.wants(i)) gradient.to(i);
  }
  gradient.flops(rules::flops_of(to_data).value() + to_weights + pointwise)
      .units(rules::tile_units(step.node, {f.batch / step.forward.work.steps, f.m, columns, f.n}))
      .product(to_data)
      .shaped(step.forward)
      .working_set(step.forward.work.working_set)
      .add();
}

}  // namespace corecast::graphs::training
