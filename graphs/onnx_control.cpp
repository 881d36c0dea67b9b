// If, and calls of a model's own functions: their operators take the node's place.
#include <fmt/format.h>

#include <algorithm>

#include "graphs/onnx_call.hpp"
#include "graphs/onnx_view.hpp"

namespace corecast::graphs::importing {
namespace {

constexpr int kMostDepth = 64;

// Counts how deep graphs stand in one another while it lives.
class Deeper {
 public:
  explicit Deeper(const Call& call) : depth_(call.context.depth) {
    if (++depth_ > kMostDepth) {
      --depth_;
      throw InputError(call.place(), fmt::format("graphs stand more than {} deep in one another", kMostDepth),
                       "does a function call itself?");
    }
  }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

Flops flops_of(const Section& section) {
  Flops sum{};
  for (const Found& found : section.found) sum += found.op.work.flops;
  return sum;
}

Bytes traffic_of(const Section& section) {
  Bytes sum{};
  for (const Found& found : section.found) sum += found.op.work.traffic();
  return sum;
}

}  // namespace

Frame inner_frame(const Call& call, const std::string& label) {
  Frame frame;
  frame.scope.outer = &call.frame.scope;
  frame.opsets = call.frame.opsets;
  frame.prefix = call.name + "/" + label;
  return frame;
}

const ::onnx::GraphProto& graph_of(const Call& call, std::string_view attribute) {
  const auto* found = attribute_of(call.node, attribute);
  if (found == nullptr || !found->has_g())
    throw InputError(call.place(), fmt::format("has no graph {}", attribute));
  return found->g();
}

void bind_outputs(const Call& call, const std::vector<TensorIndex>& results, Section& section) {
  for (int k = 0; k < call.node.output_size(); ++k) {
    const std::string& output = call.node.output(k);
    if (output.empty()) continue;
    TensorIndex index =
        static_cast<std::size_t>(k) < results.size() ? results[static_cast<std::size_t>(k)] : kAbsent;
    if (index == kAbsent) {  // the graph inside has fewer results than the node
      Tensor tensor;
      tensor.view.name = clean(output);
      index = call.context.add(std::move(tensor));
      section.remark("unknown-shape", "", fmt::format("{} of {}", quote(output), call.place()));
    }
    call.frame.scope.names[output] = index;
  }
}

namespace {

Section walk_branch(const Call& call, const char* attribute, const std::string& label) {
  const auto& graph = graph_of(call, attribute);
  Frame frame = inner_frame(call, label);
  enter_graph(call.context, frame, graph);
  return walk_nodes(call.context, frame, graph.node(), output_names(graph));
}

// A branch chosen before the run takes the If's place; so does the one with more work when the choice is made
// in the run.
void walk_if(const Call& call, Section& section) {
  const Tensor* condition = call.tensor(0);
  if (condition == nullptr) throw InputError(call.place(), "has no condition");
  Section taken;
  if (condition->view.integers && condition->view.integers->size() == 1) {
    const bool yes = condition->view.integers->front() != 0;
    taken = yes ? walk_branch(call, "then_branch", "then/") : walk_branch(call, "else_branch", "else/");
  } else {
    // A branch may not fit the sizes at hand, when the condition asks for just these.
    std::optional<Section> branches[2];
    std::optional<InputError> wrong;
    for (const bool yes : {true, false}) {
      try {
        branches[yes ? 0 : 1] =
            yes ? walk_branch(call, "then_branch", "then/") : walk_branch(call, "else_branch", "else/");
      } catch (const NoWorkRule&) {
        throw;
      } catch (const InputError& error) {
        if (!wrong) wrong = error;
      }
    }
    if (!branches[0] && !branches[1]) throw *wrong;
    bool yes = branches[0].has_value();
    if (branches[0] && branches[1]) {
      const Flops then_flops = flops_of(*branches[0]), else_flops = flops_of(*branches[1]);
      yes = then_flops > else_flops ||
            (then_flops == else_flops && !(traffic_of(*branches[0]) < traffic_of(*branches[1])));
    }
    taken = std::move(*branches[yes ? 0 : 1]);
    section.remark("control-flow", "If",
                   fmt::format("{}: {}{}", call.place(), yes ? "then" : "else",
                               wrong ? ", as the other does not fit the sizes" : ""));
  }
  const std::vector<TensorIndex> results = taken.outputs;
  section.append(std::move(taken));
  bind_outputs(call, results, section);
}

// A node of a function with the caller's attributes in place of the references to them.
void add_filled_in(const Call& call, const ::onnx::NodeProto& node, Nodes& nodes) {
  ::onnx::NodeProto& copy = *nodes.Add();
  copy = node;
  copy.clear_attribute();
  for (const auto& attribute : node.attribute()) {
    if (!attribute.has_ref_attr_name()) {
      *copy.add_attribute() = attribute;
    } else if (const auto* given = attribute_of(call.node, attribute.ref_attr_name())) {
      ::onnx::AttributeProto& filled = *copy.add_attribute();
      filled = *given;
      filled.set_name(attribute.name());
    }
  }
}

// The function's nodes take the call's place.
void walk_function(const Call& call, const ::onnx::FunctionProto& function, Section& section) {
  Frame frame;
  frame.prefix = call.name + "/";
  for (const auto& import : function.opset_import())
    frame.opsets[domain_of(import.domain())] = import.version();
  if (frame.opsets.empty()) frame.opsets = call.frame.opsets;
  for (int i = 0; i < function.input_size(); ++i) {
    if (!frame.scope.names.emplace(function.input(i), call.input(i)).second) {
      throw InputError(call.place(),
                       fmt::format("the function has the input {} twice", quote(function.input(i))));
    }
  }
  Nodes& nodes = call.context.bodies.emplace_back();
  for (const auto& node : function.node()) add_filled_in(call, node, nodes);
  const std::vector<std::string_view> outputs(function.output().begin(), function.output().end());
  Section inside = walk_nodes(call.context, frame, nodes, outputs);
  const std::vector<TensorIndex> results = inside.outputs;
  section.append(std::move(inside));
  bind_outputs(call, results, section);
}

}  // namespace

bool walk_control(Context& context, Frame& frame, const ::onnx::NodeProto& node, const std::string& name,
                  std::int64_t opset, Section& section) {
  const Call call{context, frame, node, name, opset};
  const std::string domain = domain_of(node.domain());
  if (const auto function = context.functions.find({domain, node.op_type()});
      function != context.functions.end()) {
    const Deeper deeper(call);
    walk_function(call, *function->second, section);
    return true;
  }
  if (!domain.empty()) return false;
  const std::string& type = node.op_type();
  if (type != "If" && type != "Loop" && type != "Scan") return false;
  const Deeper deeper(call);
  if (type == "If") walk_if(call, section);
  if (type == "Loop") walk_loop(call, section);
  if (type == "Scan") walk_scan(call, section);
  return true;
}

}  // namespace corecast::graphs::importing
