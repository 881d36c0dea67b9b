#include "graphs/work_rules.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"

namespace corecast::graphs {

double TensorView::elements() const {
  if (!shape) return 0.0;
  double count = 1.0;
  for (const std::int64_t size : *shape) count *= static_cast<double>(size);
  return count;
}

Bytes TensorView::bytes() const {
  return Bytes(elements() * bytes_per_element(type));
}

namespace {

const Attribute* find(const NodeView& node, std::string_view name) {
  const auto found = node.attributes.find(std::string(name));
  return found == node.attributes.end() ? nullptr : &found->second;
}

[[noreturn]] void wrong_type(const NodeView& node, std::string_view attribute, std::string_view wanted) {
  rules::fail(node, fmt::format("attribute {} is not {}", attribute, wanted));
}

const TensorView* at(const std::vector<TensorView>& tensors, std::size_t i) {
  return i < tensors.size() && !tensors[i].absent ? &tensors[i] : nullptr;
}

}  // namespace

std::int64_t NodeView::whole(std::string_view attribute, std::int64_t otherwise) const {
  const Attribute* value = find(*this, attribute);
  if (value == nullptr) return otherwise;
  if (const auto* whole = std::get_if<std::int64_t>(value)) return *whole;
  wrong_type(*this, attribute, "a whole number");
}

double NodeView::number(std::string_view attribute, double otherwise) const {
  const Attribute* value = find(*this, attribute);
  if (value == nullptr) return otherwise;
  if (const auto* number = std::get_if<double>(value)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(value)) return static_cast<double>(*whole);
  wrong_type(*this, attribute, "a number");
}

std::string NodeView::text(std::string_view attribute, std::string_view otherwise) const {
  const Attribute* value = find(*this, attribute);
  if (value == nullptr) return std::string(otherwise);
  if (const auto* text = std::get_if<std::string>(value)) return *text;
  wrong_type(*this, attribute, "text");
}

std::vector<std::int64_t> NodeView::wholes(std::string_view attribute) const {
  const Attribute* value = find(*this, attribute);
  if (value == nullptr) return {};
  if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(value)) return *wholes;
  wrong_type(*this, attribute, "a list of whole numbers");
}

const TensorView* NodeView::input(std::size_t i) const {
  return at(inputs, i);
}
const TensorView* NodeView::output(std::size_t i) const {
  return at(outputs, i);
}

namespace {

using rules::Entry;

std::pair<std::string_view, std::string_view> key(const Entry& entry) {
  return {entry.domain, entry.type};
}

// All tables as one, sorted by domain and type.
const std::vector<Entry>& table() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> entries;
    for (const auto part :
         {rules::attention_rules(), rules::control_rules(), rules::conv_rules(), rules::einsum_rules(),
          rules::elementwise_rules(), rules::gather_rules(), rules::gemm_rules(), rules::ml_rules(),
          rules::movement_rules(), rules::normalization_rules(), rules::pool_rules(),
          rules::quantized_rules(), rules::recurrent_rules(), rules::reduce_rules(), rules::resample_rules(),
          rules::shape_rules(), rules::signal_rules()}) {
      entries.insert(entries.end(), part.begin(), part.end());
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return key(a) < key(b); });
    for (std::size_t i = 1; i < entries.size(); ++i) {
      CORECAST_CHECK(key(entries[i - 1]) != key(entries[i]), "two rules for {}", entries[i].type);
    }
    return entries;
  }();
  return all;
}

std::string_view plain_domain(std::string_view domain) {
  return domain == "ai.onnx" ? rules::kOnnx : domain;
}

const Entry* rule_for(std::string_view domain, std::string_view type) {
  const std::pair<std::string_view, std::string_view> wanted{plain_domain(domain), type};
  const auto found = std::lower_bound(table().begin(), table().end(), wanted,
                                      [](const Entry& entry, const auto& name) { return key(entry) < name; });
  return found != table().end() && key(*found) == wanted ? &*found : nullptr;
}

// Every size at least 0, and every tensor's element count within 63 bits.
void check_shapes(const NodeView& node) {
  for (const auto* tensors : {&node.inputs, &node.outputs}) {
    for (const TensorView& tensor : *tensors) {
      if (!tensor.shape) continue;
      for (const std::int64_t size : *tensor.shape) {
        if (size < 0) rules::fail(node, fmt::format("tensor {} has a negative size", quote(tensor.name)));
      }
      (void)rules::product(node, *tensor.shape);
    }
  }
}

bool writes_nothing(const NodeView& node) {
  return !node.outputs.empty() &&
         std::all_of(node.outputs.begin(), node.outputs.end(), [](const TensorView& tensor) {
           return tensor.absent || (tensor.shape && tensor.elements() == 0.0);
         });
}

// All known tensors once, nothing computed.
Operator memory_pass(const NodeView& node) {
  Operator op;
  op.understood = false;
  op.work.compute_type = rules::compute_type(node);
  for (const TensorView& tensor : node.inputs) {
    if (!tensor.absent) rules::read(op.work, tensor, tensor.bytes());
  }
  double written = 0;
  for (const TensorView& tensor : node.outputs) {
    op.work.written += tensor.absent ? Bytes{} : tensor.bytes();
    written += tensor.absent ? 0.0 : tensor.elements();
  }
  op.work.units = rules::chunk_units(static_cast<std::int64_t>(std::min(written, 9e18)));
  return op;
}

Operator not_computable(const NodeView& node) {
  Operator op;
  op.understood = false;
  op.work.compute_type = rules::compute_type(node);
  return op;
}

Operator apply(const NodeView& node) {
  const Entry* entry = rule_for(node.domain, node.type);
  if (entry == nullptr) return memory_pass(node);
  try {
    return entry->rule(node);
  } catch (const rules::UnknownShape&) {
    return not_computable(node);
  }
}

void make_sound(const NodeView& node, Operator& op) {
  Work& work = op.work;
  if (writes_nothing(node)) {
    const DataType type = work.compute_type;
    work = Work{};
    work.compute_type = type;
    op.matrix.reset();
  }
  // What is moved has no arithmetic type of its own; a peak must still be found for it.
  if (work.compute_type == DataType::unknown) work.compute_type = DataType::fp32;
  if (work.compute_type == DataType::string) work.compute_type = DataType::int8;
  work.units = std::max<std::int64_t>(1, work.units);
  work.steps = std::max<std::int64_t>(1, work.steps);
  if (op.matrix && (op.matrix->batch < 1 || op.matrix->m < 1 || op.matrix->n < 1 || op.matrix->k < 1)) {
    op.matrix.reset();
  }
  for (const double value : {work.flops.value(), work.activations_read.value(), work.weights_read.value(),
                             work.written.value(), work.working_set.value(), work.weights_per_step.value()}) {
    CORECAST_CHECK(std::isfinite(value) && value >= 0, "{}: {}", rules::label(node), value);
  }
}

}  // namespace

Operator operator_of(const NodeView& node) {
  check_shapes(node);
  Operator op = apply(node);
  make_sound(node, op);
  op.name = node.name;
  op.type = node.type;
  const TensorView* first = node.output(0);
  if (first != nullptr && first->shape) op.output_shape = *first->shape;
  return op;
}

bool has_work_rule(std::string_view domain, std::string_view type) {
  return rule_for(domain, type) != nullptr;
}

std::vector<std::string> work_rule_names() {
  std::vector<std::string> names;
  for (const Entry& entry : table()) {
    names.push_back(entry.domain.empty() ? std::string(entry.type)
                                         : fmt::format("{}:{}", entry.domain, entry.type));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace corecast::graphs
