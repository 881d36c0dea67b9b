// Indexed reads and writes. A gather reads the rows it touches, not the table: at most what it writes, and at
// most the table once. Which rows repeat is data, not shape.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

// `touched` bytes of `table`, all other inputs, all outputs.
Work lookup(const NodeView& node, std::size_t table, Bytes touched) {
  Work work;
  work.compute_type = input(node, table).type;
  (void)input_shape(node, table);
  read(work, input(node, table), std::min(input(node, table).bytes(), touched));
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (i != table && !node.inputs[i].absent) read(work, node.inputs[i]);
  }
  for (const TensorView& tensor : node.outputs) work.written += tensor.absent ? Bytes{} : tensor.bytes();
  return work;
}

Operator looked_up(const NodeView& node, std::int64_t rows) {
  const TensorView& result = output(node, 0);
  const std::int64_t count = elements(node, result);
  Work work = lookup(node, 0, bytes_of(input(node, 0).type, count));
  work.units = rows;
  return operator_with(KernelClass::gather, work);
}

Operator gather(const NodeView& node) {
  const Shape& table = input_shape(node, 0, 1, 64);
  const std::size_t axis = axis_index(node, node.whole("axis", 0), table.size());
  const std::int64_t before = product(node, std::span(table).first(axis));
  return looked_up(node, product(node, {before, elements(node, input(node, 1))}));
}

Operator gather_elements(const NodeView& node) {
  (void)input_shape(node, 1);
  return looked_up(node, chunk_units(elements(node, output(node, 0))));
}

Operator gather_nd(const NodeView& node) {
  const Shape& indices = input_shape(node, 1, 1, 64);
  return looked_up(node, product(node, std::span(indices).first(indices.size() - 1)));
}

// Rows of blocks of 4-bit weights with a scale per block: packed rows are read, the result is in full width.
Operator gather_block_quantized(const NodeView& node) {
  (void)input_shape(node, 1);
  const std::int64_t bits = node.whole("bits", 4);
  if (bits < 1 || bits > 8) fail(node, fmt::format("bits is {}, wanted 1..8", bits));
  const TensorView& result = output(node, 0);
  const auto count = static_cast<double>(elements(node, result));
  Work work;
  work.compute_type = result.type;
  const TensorView& table = input(node, 0);
  (void)shape_of(table);
  const double share = std::min(1.0, table.elements() > 0 ? count / table.elements() : 0.0);
  read(work, table, std::min(table.bytes(), Bytes(count * static_cast<double>(bits) / 8.0)));
  read(work, input(node, 1));
  for (std::size_t i = 2; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].absent) read(work, node.inputs[i], node.inputs[i].bytes() * share);
  }
  work.written = result.bytes();
  work.flops = Flops(count * kDequantize);
  work.units = elements(node, input(node, 1));
  return operator_with(KernelClass::gather, work);
}

// The data is copied and the updates written over it: data and updates are read, the result is written.
Operator scatter(const NodeView& node) {
  const std::int64_t updates = elements(node, input(node, 2));
  Work work = traffic(node);
  const bool combines = node.text("reduction", "none") != "none";
  work.flops = Flops(combines ? static_cast<double>(updates) : 0.0);
  work.units = chunk_units(elements(node, output(node, 0)));
  return operator_with(KernelClass::gather, work);
}

Operator one_hot(const NodeView& node) {
  (void)input(node, 0);
  return streamed(node, KernelClass::gather, kFree);
}

// The number of results is data: at most all of them. Compaction in order is one thread's.
Operator compacted(const NodeView& node, Bytes at_most) {
  const std::int64_t count = elements(node, input(node, 0));
  Work work;
  work.compute_type = input(node, 0).type;
  for (const TensorView& tensor : node.inputs) {
    if (!tensor.absent) read(work, tensor);
  }
  work.written = output(node, 0).shape ? output(node, 0).bytes() : at_most;
  work.flops = Flops(static_cast<double>(count));
  work.serial_fraction = 1.0;
  return operator_with(KernelClass::gather, work);
}

Operator non_zero(const NodeView& node) {
  const Shape& x = input_shape(node, 0);
  const auto rank = static_cast<double>(std::max<std::size_t>(1, x.size()));
  return compacted(node, bytes_of(DataType::int64, elements(node, input(node, 0))) * rank);
}

Operator compress(const NodeView& node) {
  (void)input(node, 1);
  return compacted(node, input(node, 0).bytes());
}

// Greedy: boxes of a class are sorted by score, and each kept box is compared (intersection over union, 12
// flop) with those that remain. Kept boxes: the constant third input, 100 when that is not known. One thread.
Operator non_max_suppression(const NodeView& node) {
  const Shape& boxes = input_shape(node, 0, 3, 3);
  const Shape& scores = input_shape(node, 1, 3, 3);
  require_equal(node, "batch of the scores", scores[0], boxes[0]);
  require_equal(node, "boxes of the scores", scores[2], boxes[1]);
  const auto classes = static_cast<double>(product(node, {scores[0], scores[1]}));
  const auto count = static_cast<double>(boxes[1]);
  double kept = 100;
  if (const TensorView* limit = node.input(2)) {
    if (limit->integers && limit->integers->size() == 1) {
      kept = static_cast<double>(std::max<std::int64_t>(0, limit->integers->front()));
    }
  }
  kept = std::min(kept, count);
  Work work;
  work.compute_type = input(node, 0).type;
  for (const TensorView& tensor : node.inputs) {
    if (!tensor.absent) read(work, tensor, tensor.bytes());
  }
  work.written = output(node, 0).shape ? output(node, 0).bytes()
                                       : Bytes(classes * kept * 3.0 * bytes_per_element(DataType::int64));
  work.flops = Flops(classes * count * (std::log2(std::max(2.0, count)) + 12.0 * kept));
  work.serial_fraction = 1.0;
  work.units = product(node, {scores[0], scores[1]});
  return operator_with(KernelClass::gather, work);
}

// Interpolates between neighbours at places that are data. Per output: nearest none, linear 4 multiply-adds,
// cubic 16.
Operator grid_sample(const NodeView& node) {
  (void)input_shape(node, 0, 3, 8);
  (void)input_shape(node, 1, 3, 8);
  const std::string mode = node.text("mode", "linear");
  const double taps = mode == "nearest" ? 0 : mode == "cubic" || mode == "bicubic" ? 16 : 4;
  return streamed(node, KernelClass::gather, 2.0 * taps);
}

// Word, position and segment rows, their sum, and a layer normalisation.
Operator embed_layer_normalization(const NodeView& node) {
  const TensorView& ids = input(node, 0);
  const std::int64_t tokens = elements(node, ids);
  const Shape& words = input_shape(node, 2, 2, 2);
  const std::int64_t results = product(node, {tokens, words[1]});
  Work work;
  work.compute_type = output(node, 0).type;  // the tables may be int8
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].absent) continue;
    const bool table = i >= 2 && i <= 4;
    const Bytes touched = bytes_of(node.inputs[i].type, results);
    read(work, node.inputs[i], table ? std::min(node.inputs[i].bytes(), touched) : node.inputs[i].bytes());
  }
  for (const TensorView& tensor : node.outputs) work.written += tensor.absent ? Bytes{} : tensor.bytes();
  work.flops = Flops(static_cast<double>(results) * (kLayerNormalization + 2));
  work.units = tokens;
  return operator_with(KernelClass::gather, work);
}

constexpr std::array kRules{
    Entry{kOnnx, "Compress", compress},
    Entry{kOnnx, "Gather", gather},
    Entry{kOnnx, "GatherElements", gather_elements},
    Entry{kOnnx, "GatherND", gather_nd},
    Entry{kOnnx, "GridSample", grid_sample},
    Entry{kOnnx, "NonMaxSuppression", non_max_suppression},
    Entry{kOnnx, "NonZero", non_zero},
    Entry{kOnnx, "OneHot", one_hot},
    Entry{kOnnx, "Scatter", scatter},
    Entry{kOnnx, "ScatterElements", scatter},
    Entry{kOnnx, "ScatterND", scatter},
    Entry{kMicrosoft, "EmbedLayerNormalization", embed_layer_normalization},
    Entry{kMicrosoft, "QEmbedLayerNormalization", embed_layer_normalization},
    Entry{kMicrosoft, "GatherBlockQuantized", gather_block_quantized},
    Entry{kMicrosoft, "GatherND", gather_nd},
    Entry{kMicrosoft, "GridSample", grid_sample},
    Entry{kMl, "ArrayFeatureExtractor", gather_elements},
};

}  // namespace

std::span<const Entry> gather_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
