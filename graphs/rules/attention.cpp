// Attention: for every image of the batch and every head, scores of all queries against all keys, a softmax
// over the keys, and the weighted sum of the values:
//
//   flop = batch * heads * queries * keys * (2 * head size + softmax per score + 2 * value head size)
//
// plus 2 * rows * inputs * outputs where the operator projects its input first. Keys count the past ones. A
// causal mask saves nothing: kernels on CPUs compute all scores. With a local window, keys = the window.
// Matrix: scores and sums as 2 * batch * heads products (m = queries, n = keys, k = head size), or the
// projection when it holds more flop. Units: batch * heads * ceil(queries / 8).
#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

// One of query, key, value: `length` rows of `heads` heads of `size` for each of `batch`.
struct Heads {
  std::int64_t batch = 0, heads = 1, length = 0, size = 0;
};

std::int64_t count_attribute(const NodeView& node, std::string_view name, std::int64_t otherwise = 0) {
  const std::int64_t count = node.whole(name, otherwise);
  if (count < 1) fail(node, fmt::format("{} is {}, wanted at least 1", name, count));
  return count;
}

std::int64_t split(const NodeView& node, std::int64_t width, std::int64_t heads) {
  if (width % heads != 0) fail(node, fmt::format("width {} is not a multiple of {} heads", width, heads));
  return width / heads;
}

// [batch, length, heads * size], [batch, heads, length, size], or packed [batch, length, heads, parts, size].
Heads heads_of(const NodeView& node, std::size_t i, std::int64_t heads) {
  const Shape& x = input_shape(node, i, 3, 5);
  if (x.size() == 3) return {x[0], heads, x[1], split(node, x[2], heads)};
  if (x.size() == 4) return {x[0], x[1], x[2], x[3]};
  return {x[0], x[2], x[1], x[4]};
}

// Length of past keys [..., length, size] in input i; 0 without one.
std::int64_t past_length(const NodeView& node, std::size_t i) {
  if (node.input(i) == nullptr) return 0;
  const Shape& past = input_shape(node, i, 4, 5);
  return past[past.size() - 2];
}

Operator attend(const NodeView& node, const Heads& q, std::int64_t keys, std::int64_t value_size, Work work) {
  const std::int64_t stacks = product(node, {q.batch, q.heads});
  const MatrixShape scores{product(node, {2, stacks}), q.length, keys, q.size};
  const MatrixShape sums{stacks, q.length, value_size, keys};
  const auto count = static_cast<double>(product(node, {stacks, q.length, keys}));
  const int mask_and_scale = 2;
  work.flops += flops_of(scores) / 2.0 + flops_of(sums) + Flops(count * (kSoftmax + mask_and_scale));
  work.units = product(node, {stacks, ceil_div(q.length, 8)});
  const std::int64_t row = sum(node, {q.size, value_size, 8});
  work.working_set = bytes_of(work.compute_type, product(node, {keys, row}));
  Operator op = operator_with(KernelClass::gemm, work);
  op.matrix = scores;
  return op;
}

Work all_tensors(const NodeView& node) {
  Work work = traffic(node);
  work.compute_type = input(node, 0).type;
  return work;
}

// Input [batch, length, width] is projected by weights [width, q + k + v] first.
Operator projected(const NodeView& node, std::size_t past, DataType projection_type) {
  const Shape& x = input_shape(node, 0, 3, 3);
  const Shape& w = input_shape(node, 1, 2, 2);
  require_equal(node, "rows of the weights", w[0], x[2]);
  const std::int64_t heads = count_attribute(node, "num_heads");
  Shape widths = node.wholes("qkv_hidden_sizes");
  if (widths.empty()) widths = {w[1] / 3, w[1] / 3, w[1] / 3};
  if (widths.size() != 3) fail(node, fmt::format("qkv_hidden_sizes has {} sizes, wanted 3", widths.size()));
  for (const std::int64_t width : widths) {
    if (width < 0) fail(node, "qkv_hidden_sizes has a negative size");
  }
  require_equal(node, "columns of the weights", w[1], sum(node, {widths[0], widths[1], widths[2]}));
  const Heads q{x[0], heads, x[1], split(node, widths[0], heads)};
  const std::int64_t keys = sum(node, {x[1], past_length(node, past)});
  const MatrixShape projection{1, product(node, {x[0], x[1]}), w[1], w[0]};
  Work work = traffic(node);
  work.compute_type = output(node, 0).type;  // of scores and sums; the projection may be narrower
  Operator op = attend(node, q, keys, split(node, widths[2], heads), work);
  op.work.flops += flops_of(projection);
  if (flops_of(projection) > flops_of(*op.matrix)) {
    op.matrix = projection;
    op.work.compute_type = projection_type;
  }
  op.work.working_set = std::max(op.work.working_set, working_set_of(projection, op.work.compute_type));
  return op;
}

Operator attention_microsoft(const NodeView& node) {
  return projected(node, 4, input(node, 0).type);
}
Operator qattention(const NodeView& node) {
  return projected(node, 8, DataType::int8);
}

// Only the neighbours within `window` on each side.
Operator longformer(const NodeView& node) {
  const Shape& x = input_shape(node, 0, 3, 3);
  const std::int64_t heads = count_attribute(node, "num_heads");
  const std::int64_t window = count_attribute(node, "window");
  const Heads q{x[0], heads, x[1], split(node, x[2], heads)};
  const std::int64_t keys = window > x[1] ? x[1] : std::min(x[1], 2 * window + 1);
  Operator op = attend(node, q, keys, q.size, all_tensors(node));
  op.work.flops += flops_of({1, product(node, {x[0], x[1]}), product(node, {3, x[2]}), x[2]});
  return op;
}

// Query, key, value apart, or packed in one (rank 5), or key and value packed (key of rank 5).
Operator multi_head(const NodeView& node, std::size_t past) {
  const std::int64_t heads = count_attribute(node, "num_heads");
  const Heads q = heads_of(node, 0, heads);
  const Heads k = node.input(1) != nullptr ? heads_of(node, 1, heads) : q;
  const Heads v = node.input(2) != nullptr ? heads_of(node, 2, heads) : k;
  require_equal(node, "head size of the keys", k.size, q.size);
  require_equal(node, "batch of the keys", k.batch, q.batch);
  require_equal(node, "length of the values", v.length, k.length);
  return attend(node, q, sum(node, {k.length, past_length(node, past)}), v.size, all_tensors(node));
}

Operator multi_head_attention(const NodeView& node) {
  return multi_head(node, 6);
}
Operator decoder_masked(const NodeView& node) {
  return multi_head(node, 5);
}

// Fewer heads of keys and values than of queries; every head of queries still meets all its keys. Where the
// present keys' buffer is known, it says how many there are.
Operator grouped_query(const NodeView& node) {
  const std::int64_t heads = count_attribute(node, "num_heads");
  const std::int64_t kv_heads = count_attribute(node, "kv_num_heads", heads);
  Heads q;
  if (node.input(1) != nullptr) {
    q = heads_of(node, 0, heads);
    require_equal(node, "head size of the keys", heads_of(node, 1, kv_heads).size, q.size);
  } else {
    q = heads_of(node, 0, sum(node, {heads, kv_heads, kv_heads}));
    q.heads = heads;
  }
  std::int64_t keys = sum(node, {q.length, past_length(node, 3)});
  if (const TensorView* present = node.output(1);
      present != nullptr && present->shape && present->shape->size() == 4) {
    keys = (*present->shape)[2];
  }
  if (const std::int64_t window = node.whole("local_window_size", -1); window > 0)
    keys = std::min(keys, window);
  return attend(node, q, keys, q.size, all_tensors(node));
}

Operator attention_standard(const NodeView& node) {
  const bool flat = input_shape(node, 0, 3, 4).size() == 3;
  const std::int64_t heads = flat ? count_attribute(node, "q_num_heads") : 1;
  const std::int64_t kv_heads = flat ? count_attribute(node, "kv_num_heads", heads) : 1;
  const Heads q = heads_of(node, 0, heads);
  const Heads k = heads_of(node, 1, kv_heads);
  const Heads v = heads_of(node, 2, kv_heads);
  require_equal(node, "head size of the keys", k.size, q.size);
  require_equal(node, "length of the values", v.length, k.length);
  return attend(node, q, sum(node, {k.length, past_length(node, 4)}), v.size, all_tensors(node));
}

// A row is sent to k of the experts, which are two or three dense layers each. Experts that no row reaches
// are not read; rows are taken to spread over as many as they can.
Operator experts(const NodeView& node, std::initializer_list<std::size_t> weights, std::int64_t per_byte) {
  const Shape& x = input_shape(node, 0, 2, 3);
  const std::int64_t rows = product(node, std::span(x).first(x.size() - 1));
  const std::int64_t chosen = product(node, {rows, count_attribute(node, "k", 1)});
  const std::int64_t all = input_shape(node, *weights.begin(), 2, 3)[0];
  const double share = all == 0 ? 0.0 : std::min(1.0, static_cast<double>(chosen) / static_cast<double>(all));
  Work work;
  work.compute_type = input(node, 0).type;
  double per_expert = 0;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorView& tensor = node.inputs[i];
    if (tensor.absent) continue;
    (void)shape_of(tensor);
    const bool expert = i >= 2;
    read(work, tensor, expert ? tensor.bytes() * share : tensor.bytes());
    const bool matrix = std::find(weights.begin(), weights.end(), i) != weights.end();
    if (matrix && all > 0)
      per_expert += tensor.elements() * static_cast<double>(per_byte) / static_cast<double>(all);
  }
  work.written = output(node, 0).bytes();
  work.flops = Flops(2.0 * static_cast<double>(chosen) * per_expert);
  work.units = product(node, {chosen, ceil_div(x.back(), 16)});
  return operator_with(KernelClass::gemm, work);
}

Operator mixture(const NodeView& node) {
  return experts(node, {2, 4, 6}, 1);
}
Operator quantized_mixture(const NodeView& node) {
  return experts(node, {2, 5, 8}, node.whole("expert_weight_bits", 4) == 8 ? 1 : 2);
}

constexpr std::array kRules{
    Entry{kOnnx, "Attention", attention_standard},
    Entry{kMicrosoft, "Attention", attention_microsoft},
    Entry{kMicrosoft, "DecoderMaskedMultiHeadAttention", decoder_masked},
    Entry{kMicrosoft, "GroupQueryAttention", grouped_query},
    Entry{kMicrosoft, "LongformerAttention", longformer},
    Entry{kMicrosoft, "MoE", mixture},
    Entry{kMicrosoft, "MultiHeadAttention", multi_head_attention},
    Entry{kMicrosoft, "QAttention", qattention},
    Entry{kMicrosoft, "QMoE", quantized_mixture},
    Entry{kMicrosoft, "SparseAttention", grouped_query},
};

}  // namespace

std::span<const Entry> attention_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
