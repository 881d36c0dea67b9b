// Data movement: what is moved is read once and written once; no arithmetic unless said.
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

// Reads all inputs, writes all outputs: Transpose, Concat, Split, Pad, Tile, ...
Operator copy(const NodeView& node) {
  (void)input(node, 0);
  Operator op = streamed(node, KernelClass::transpose, kFree);
  double written = 0;
  for (const TensorView& tensor : node.outputs) written += tensor.elements();
  op.work.units = chunk_units(static_cast<std::int64_t>(std::min(written, 9e18)));
  return op;
}

Operator concat(const NodeView& node) {
  const Shape& y = output_shape(node, 0);
  if (y.empty()) fail(node, "the result is a scalar, wanted at least 1 dimension");
  const std::size_t axis = axis_index(node, node.whole("axis", 1), y.size());
  std::int64_t along = 0;
  for (const TensorView& tensor : node.inputs) {
    if (tensor.absent) continue;
    const Shape& x = shape_of(tensor);
    require_equal(node, "an input's rank", static_cast<std::int64_t>(x.size()),
                  static_cast<std::int64_t>(y.size()));
    for (std::size_t d = 0; d < y.size(); ++d) {
      if (d != axis) require_equal(node, fmt::format("dimension {} of an input", d), x[d], y[d]);
    }
    along = sum(node, {along, x[axis]});
  }
  require_equal(node, "the sum along the axis", along, y[axis]);
  return copy(node);
}

Operator transpose(const NodeView& node) {
  const Shape& x = input_shape(node, 0);
  if (const Shape order = node.wholes("perm"); !order.empty()) {
    Shape sorted = order;
    std::sort(sorted.begin(), sorted.end());
    bool permutation = sorted.size() == x.size();
    for (std::size_t d = 0; permutation && d < sorted.size(); ++d) {
      permutation = sorted[d] == static_cast<std::int64_t>(d);
    }
    if (!permutation)
      fail(node, fmt::format("perm [{}] does not permute {} axes", fmt::join(order, ","), x.size()));
  }
  return copy(node);
}

// Slice, crop, pad: of the data no more is read than is written; starts, ends, pads are small and read whole.
Operator part(const NodeView& node) {
  const TensorView& data = input(node, 0);
  Work work;
  work.compute_type = data.type;
  read(work, data, std::min(data.bytes(), bytes_of(data.type, elements(node, output(node, 0)))));
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].absent) read(work, node.inputs[i], node.inputs[i].bytes());
  }
  work.written = output(node, 0).bytes();
  work.units = chunk_units(elements(node, output(node, 0)));
  return operator_with(KernelClass::transpose, work);
}

// Overlapping blocks are added into the image.
Operator col2im(const NodeView& node) {
  Operator op = copy(node);
  op.work.flops = Flops(input(node, 0).elements());
  return op;
}

// Tensors in a sequence have no shape of their own: what is read is what is written.
Operator from_sequence(const NodeView& node) {
  (void)input(node, 0);
  const std::int64_t count = elements(node, output(node, 0));
  Work work;
  work.compute_type = output(node, 0).type;
  work.activations_read = work.written = output(node, 0).bytes();
  work.units = chunk_units(count);
  return operator_with(KernelClass::transpose, work);
}

Operator to_sequence(const NodeView& node) {
  const std::int64_t count = elements(node, input(node, 0));
  Work work;
  work.compute_type = input(node, 0).type;
  read(work, input(node, 0));
  work.written = input(node, 0).bytes();
  work.units = chunk_units(count);
  return operator_with(KernelClass::transpose, work);
}

constexpr std::array kRules{
    Entry{kOnnx, "CenterCropPad", part}, Entry{kOnnx, "Col2Im", col2im},
    Entry{kOnnx, "Concat", concat},      Entry{kOnnx, "ConcatFromSequence", from_sequence},
    Entry{kOnnx, "DepthToSpace", copy},  Entry{kOnnx, "Expand", copy},
    Entry{kOnnx, "Pad", part},           Entry{kOnnx, "ReverseSequence", copy},
    Entry{kOnnx, "Slice", part},         Entry{kOnnx, "SpaceToDepth", copy},
    Entry{kOnnx, "Split", copy},         Entry{kOnnx, "SplitToSequence", to_sequence},
    Entry{kOnnx, "Tile", copy},          Entry{kOnnx, "Transpose", transpose},
    Entry{kOnnx, "Trilu", copy},         Entry{kMicrosoft, "Pad", part},
    Entry{kMicrosoft, "Trilu", copy},    Entry{kMicrosoft, "UnfoldTensor", copy},
    Entry{kNchwc, "ReorderInput", copy}, Entry{kNchwc, "ReorderOutput", copy},
};

}  // namespace

std::span<const Entry> movement_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
