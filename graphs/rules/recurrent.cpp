// Recurrent layers. Each step multiplies input and hidden state by the gates' weights:
//
//   flop = directions * steps * (2 * batch * gates * hidden * (input + hidden) + batch * hidden * pointwise)
//
// Matrix: one product per direction and step, m = batch, n = gates * hidden, k = input + hidden. Steps follow
// one another; directions, batch and columns of a step are independent. That the input's part can be
// multiplied for all steps at once is the runtime's choice and not in here. Compulsory traffic has weights
// once; the hidden state's weights come round again at every step (weights_per_step), the input's do not, as
// the steps' inputs are known beforehand.
#include <array>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

struct Layer {
  std::int64_t directions, steps, batch, gates, input, hidden;
};

// Weights: [directions, gates * hidden, input] and [directions, gates * hidden, hidden]; transposed in the
// last two dimensions where a runtime stores them so.
Layer layer_of(const NodeView& node, std::int64_t gates, bool weights_transposed) {
  const Shape& x = input_shape(node, 0, 3, 3);
  Shape w = input_shape(node, 1, 3, 3);
  Shape r = input_shape(node, 2, 3, 3);
  if (weights_transposed) {
    std::swap(w[1], w[2]);
    std::swap(r[1], r[2]);
  }
  const bool batch_first = node.whole("layout", 0) != 0;
  const Layer layer{w[0], batch_first ? x[1] : x[0], batch_first ? x[0] : x[1], gates, x[2], r[2]};
  const std::int64_t rows = product(node, {gates, layer.hidden});
  const bool both_ways = node.text("direction", "forward") == "bidirectional";
  require_equal(node, "directions of the weights", w[0], both_ways ? 2 : 1);
  require_equal(node, "directions of the recurrent weights", r[0], w[0]);
  require_equal(node, "columns of the weights", w[2], layer.input);
  require_equal(node, "rows of the weights", w[1], rows);
  require_equal(node, "rows of the recurrent weights", r[1], rows);
  if (const std::int64_t hidden = node.whole("hidden_size", layer.hidden); hidden != layer.hidden) {
    fail(node, fmt::format("hidden_size is {}, the weights say {}", hidden, layer.hidden));
  }
  return layer;
}

// Reads all inputs; which of the results are asked for is up to the model.
Work tensors(const NodeView& node) {
  Work work;
  work.compute_type = input(node, 0).type;
  for (const TensorView& tensor : node.inputs) {
    if (!tensor.absent) read(work, tensor);
  }
  for (const TensorView& tensor : node.outputs) {
    if (tensor.absent) continue;
    (void)shape_of(tensor);
    work.written += tensor.bytes();
  }
  return work;
}

Operator recurrent(const NodeView& node, std::int64_t gates, int pointwise, bool weights_transposed = false) {
  const Layer l = layer_of(node, gates, weights_transposed);
  Work work = tensors(node);
  const MatrixShape matrix{product(node, {l.directions, l.steps}), l.batch, product(node, {gates, l.hidden}),
                           sum(node, {l.input, l.hidden})};
  const std::int64_t cells = product(node, {l.directions, l.steps, l.batch, l.hidden});
  work.flops = flops_of(matrix) + Flops(static_cast<double>(cells) * pointwise);
  work.steps = l.steps;
  if (l.steps > 1) work.weights_per_step = input(node, 2).constant ? input(node, 2).bytes() : Bytes(0.0);
  work.units = tile_units(node, {l.directions, matrix.m, matrix.n, matrix.k});
  work.working_set =
      input(node, 1).bytes() + input(node, 2).bytes() +
      bytes_of(work.compute_type, product(node, {l.directions, l.batch, sum(node, {l.hidden, l.hidden})}));
  Operator op = operator_with(KernelClass::recurrent, work);
  op.matrix = matrix;
  return op;
}

// Three sigmoids, two tanh, c = f c + i g, h = o tanh(c); peepholes are three more multiply-adds.
Operator lstm(const NodeView& node) {
  const int peepholes = node.input(7) != nullptr ? 6 : 0;
  return recurrent(node, 4, 3 * kSigmoid + 2 * kTanh + 4 + peepholes);
}

// Two sigmoids, one tanh, r h, and h = (1 - z) g + z h.
Operator gru(const NodeView& node) {
  return recurrent(node, 3, 2 * kSigmoid + kTanh + 5);
}

Operator rnn(const NodeView& node) {
  return recurrent(node, 1, kTanh);
}

// int8 weights, states quantised at every step.
Operator quantized_lstm(const NodeView& node) {
  Operator op = recurrent(node, 4, 3 * kSigmoid + 2 * kTanh + 4 + 2 * kQuantize + 4 * kDequantize, true);
  op.work.compute_type = DataType::int8;
  return op;
}

constexpr std::array kRules{
    Entry{kOnnx, "GRU", gru},
    Entry{kOnnx, "LSTM", lstm},
    Entry{kOnnx, "RNN", rnn},
    Entry{kMicrosoft, "DynamicQuantizeLSTM", quantized_lstm},
};

}  // namespace

std::span<const Entry> recurrent_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
