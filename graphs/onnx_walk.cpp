#include "graphs/onnx_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "graphs/onnx_fold.hpp"
#include "graphs/onnx_schema.hpp"
#include "graphs/onnx_view.hpp"

namespace corecast::graphs::importing {
namespace {

// Functions that call functions can unroll to any size.
constexpr std::size_t kMostNodes = 2'000'000;

bool is_random(std::string_view type) {
  static constexpr std::array<std::string_view, 6> names{
      "Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"};
  return std::find(names.begin(), names.end(), type) != names.end();
}

// Runtimes evaluate what depends on constants only before the first run; they can do so for operators they
// know.
bool can_fold(const NodeView& view) {
  return !is_random(view.type) && (view.domain.empty() || has_work_rule(view.domain, view.type));
}

// The same elements in another order or type: still one weight of the file.
bool only_moves(const NodeView& view) {
  static constexpr std::array<std::string_view, 8> names{
      "Cast", "DequantizeLinear", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"};
  return std::find(names.begin(), names.end(), view.type) != names.end();
}

// Learnt numbers: floating-point or quantised ones. Whole numbers of other types are shapes, axes and
// indices, but for the biases of quantised layers. Running statistics of a batch normalisation are stored,
// but not learnt: left out, as in the counts that papers and frameworks give.
bool is_parameter(const NodeView& view, std::size_t input) {
  if (view.type == "BatchNormalization" && input >= 3) return false;
  const DataType type = view.inputs[input].type;
  return is_real(type) || type == DataType::int8 || type == DataType::int4 ||
         (type == DataType::int32 && view.type.starts_with("QLinear"));
}

bool disagree(const Typed& says, const Typed& is) {
  return says.shape && is.shape && *says.shape != *is.shape;
}

std::int64_t opset_of(const Frame& frame, const NodeView& view) {
  if (const auto found = frame.opsets.find(view.domain); found != frame.opsets.end()) return found->second;
  throw InputError(place_of(view),
                   fmt::format("its domain {} is not among the model's opset imports", quote(view.domain)));
}

// Types and shapes by our rules, else by the library's, else as the file declares them.
Types infer(const Context& context, const Frame& frame, const ::onnx::NodeProto& node,
            const Inference& inference, Section& section) {
  std::optional<Types> known = infer_types(inference);
  if (!known) known = infer_with_library(node, inference);
  Types types = known.value_or(Types{});
  types.resize(inference.node.outputs.size());
  for (std::size_t k = 0; k < types.size(); ++k) {
    Typed& typed = types[k];
    check_size(inference, typed);
    const auto found = frame.declared.find(node.output(static_cast<int>(k)));
    if (found == frame.declared.end() || context.rebatch) continue;
    const Typed says = declared(*found->second, context.dimensions);
    if (typed.type == DataType::unknown) typed.type = says.type;
    if (disagree(says, typed)) {
      section.remark(
          "shape-contradiction", "",
          fmt::format("{} is declared as {} and comes out as {}", quote(node.output(static_cast<int>(k))),
                      to_text(*says.shape), to_text(*typed.shape)));
    }
    if (!typed.shape) typed.shape = says.shape;
  }
  return types;
}

void note_unknown(const NodeView& view, const Types& types, bool understood, Section& section) {
  for (std::size_t k = 0; k < types.size(); ++k) {
    if (!types[k].shape && !view.outputs[k].absent) {
      section.remark("unknown-shape", "",
                     fmt::format("{} of {}", quote(view.outputs[k].name), place_of(view)));
    }
  }
  if (!understood && !has_work_rule(view.domain, view.type)) {
    section.remark("unknown-operator",
                   view.domain.empty() ? view.type : fmt::format("{} (domain {})", view.type, view.domain),
                   view.name);
  }
}

void add_operator(const Context& context, const NodeView& view, const std::vector<TensorIndex>& inputs,
                  const std::vector<TensorIndex>& outputs, const Types& types, Section& section) {
  Found found;
  found.op = operator_of(view);
  if (!found.op.understood && context.strict && !has_work_rule(view.domain, view.type)) {
    throw NoWorkRule(place_of(view), "has no work rule", "without --strict it is counted as a memory pass");
  }
  note_unknown(view, types, found.op.understood, section);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorIndex tensor = inputs[i];
    if (tensor == kAbsent) continue;
    auto& list = view.inputs[i].constant ? found.weights : found.reads;
    if (view.inputs[i].constant && !is_parameter(view, i)) continue;
    if (std::find(list.begin(), list.end(), tensor) == list.end()) list.push_back(tensor);
  }
  for (const TensorIndex tensor : outputs) {
    if (tensor != kAbsent) found.writes.push_back(tensor);
  }
  section.found.push_back(std::move(found));
}

struct Inputs {
  std::vector<TensorIndex> indices;
  std::vector<const Tensor*> tensors;
  bool any = false;  // at least one is there
  bool all_constant = true;
  bool from_sizes = false;  // one of them is known from the input sizes only
};

Inputs read_inputs(const Context& context, const Frame& frame, const ::onnx::NodeProto& node,
                   NodeView& view) {
  Inputs inputs;
  for (const std::string& name : node.input()) {
    const TensorIndex index = name.empty() ? kAbsent : resolve(frame, name);
    inputs.indices.push_back(index);
    if (index == kAbsent) {
      inputs.tensors.push_back(nullptr);
      view.inputs.emplace_back().absent = true;
      continue;
    }
    const Tensor& tensor = context.tensors[index];
    inputs.tensors.push_back(&tensor);
    view.inputs.push_back(tensor.view);
    inputs.any = true;
    inputs.all_constant = inputs.all_constant && tensor.view.constant;
    inputs.from_sizes = inputs.from_sizes || tensor.from_sizes;
  }
  return inputs;
}

// A constant that is joined with activations (a class token) stands once for each sample: it grows with the batch.
void rebatch_constants(NodeView& view, const Rebatch& rebatch) {
  for (TensorView& input : view.inputs) {
    if (!input.constant || !input.shape || input.shape->empty()) continue;
    if (input.shape->front() == rebatch.from) input.shape->front() = rebatch.to;
  }
}

void visit(Context& context, Frame& frame, const ::onnx::NodeProto& node, const std::string& name,
           Section& section) {
  if (++context.visited > kMostNodes) {
    throw InputError("", fmt::format("unrolls to more than {} nodes", kMostNodes),
                     "do its functions call one another?");
  }
  NodeView view = view_of(node, 0, name);
  view.opset = opset_of(frame, view);
  if (walk_control(context, frame, node, name, view.opset, section)) return;
  if (view.domain.empty() && view.type == "Constant") {
    if (auto constant = constant_of(node, node.output_size() > 0 ? node.output(0) : name);
        constant && node.output_size() > 0) {
      frame.scope.names[node.output(0)] = context.add(std::move(*constant));
      return;
    }
    throw InputError(place_of(view), "holds no value");
  }
  const Inputs inputs = read_inputs(context, frame, node, view);
  for (const std::string& output : node.output()) {
    TensorView& tensor = view.outputs.emplace_back();
    tensor.name = clean(output);
    tensor.absent = output.empty();
  }
  std::optional<Tensor> value;
  if (const auto* attribute = attribute_of(node, "value"); attribute != nullptr && attribute->has_t()) {
    value = constant_of(attribute->t(), name);
  }
  const Inference inference{view, inputs.tensors, context.rebatch, value ? &*value : nullptr};
  const Types types = infer(context, frame, node, inference, section);
  const std::vector<Values> values = fold(inference, types);

  // Without its first input a node is no constant but a mistake, which its work rule names.
  const bool complete = !inputs.indices.empty() && inputs.indices[0] != kAbsent;
  const bool constant = inputs.any && inputs.all_constant && complete && can_fold(view);
  bool known = !types.empty();
  for (std::size_t k = 0; k < types.size(); ++k)
    known = known && (view.outputs[k].absent || values[k].known());
  std::vector<TensorIndex> outputs;
  for (std::size_t k = 0; k < types.size(); ++k) {
    TensorView& seen = view.outputs[k];
    seen.type = types[k].type;
    seen.shape = types[k].shape;
    if (seen.absent) {
      outputs.push_back(kAbsent);
      continue;
    }
    Tensor tensor;
    tensor.view = seen;
    tensor.view.constant = constant || known;
    tensor.from_sizes = (known && !constant) || (constant && inputs.from_sizes);
    if (constant || known) {
      tensor.view.integers = values[k].integers;
      tensor.reals = values[k].reals;
    }
    const TensorIndex index = context.add(std::move(tensor));
    if (constant && k == 0 && only_moves(view) && inputs.indices[0] != kAbsent) {
      context.tensors[index].origin = context.tensors[inputs.indices[0]].origin;
    }
    outputs.push_back(index);
    frame.scope.names[node.output(static_cast<int>(k))] = index;
  }
  if (constant && !inputs.from_sizes) return;
  if (constant || known) {
    section.remark("shapes-folded", "", place_of(view));
    return;
  }
  if (context.rebatch && view.type == "Concat") rebatch_constants(view, *context.rebatch);
  add_operator(context, view, inputs.indices, outputs, types, section);
}

}  // namespace

void Section::remark(const std::string& code, const std::string& subject, const std::string& where,
                     std::size_t count) {
  Remark& remark = remarks[{code, subject}];
  if (remark.count == 0) remark.first = where;
  remark.count += count;
}

void Section::append(Section other) {
  for (Found& one : other.found) found.push_back(std::move(one));
  for (const auto& [key, mark] : other.remarks) remark(key.first, key.second, mark.first, mark.count);
}

std::optional<TensorIndex> Scope::find(std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
    if (const auto found = scope->names.find(name); found != scope->names.end()) return found->second;
  }
  return std::nullopt;
}

TensorIndex Context::add(Tensor tensor) {
  tensor.origin = tensors.size();
  tensors.push_back(std::move(tensor));
  return tensors.size() - 1;
}

TensorIndex resolve(const Frame& frame, const std::string& name) {
  const auto found = frame.scope.find(name);
  // order_of() has seen every name before a node is visited.
  CORECAST_CHECK(found.has_value(), "{}", quote(name));
  return *found;
}

std::vector<std::string_view> output_names(const ::onnx::GraphProto& graph) {
  std::vector<std::string_view> names;
  for (const auto& output : graph.output()) names.push_back(output.name());
  return names;
}

void enter_graph(Context& context, Frame& frame, const ::onnx::GraphProto& graph) {
  const auto add = [&](const std::string& name, Tensor tensor) {
    if (!frame.scope.names.emplace(name, context.tensors.size()).second) {
      throw InputError("", fmt::format("constant {} is there twice", quote(name)),
                       "every tensor must have one producer");
    }
    context.add(std::move(tensor));
  };
  for (const auto& weight : graph.initializer()) add(weight.name(), constant_of(weight, weight.name()));
  for (const auto& weight : graph.sparse_initializer())
    add(weight.values().name(), constant_of(weight, weight.values().name()));
  for (const auto* list : {&graph.value_info(), &graph.output()}) {
    for (const auto& info : *list) frame.declared.emplace(info.name(), &info.type());
  }
}

Section walk_nodes(Context& context, Frame& frame, const Nodes& nodes,
                   const std::vector<std::string_view>& outputs) {
  Section section;
  const Order order = order_of(nodes, outputs, frame.scope);
  if (order.unused > 0) section.remark("unused-nodes", "", "", order.unused);
  for (const int i : order.nodes)
    visit(context, frame, nodes[i], frame.prefix + name_of(nodes[i], i), section);
  for (const std::string_view output : outputs)
    section.outputs.push_back(frame.scope.find(output).value_or(kAbsent));
  return section;
}

}  // namespace corecast::graphs::importing
