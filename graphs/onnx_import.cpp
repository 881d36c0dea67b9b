#include "graphs/onnx_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "graphs/onnx_inputs.hpp"
#include "graphs/onnx_parse.hpp"
#include "graphs/onnx_view.hpp"
#include "graphs/onnx_walk.hpp"

namespace corecast::graphs {
namespace {

using namespace importing;

std::map<std::string, std::int64_t> opsets_of(const ::onnx::ModelProto& model) {
  std::map<std::string, std::int64_t> opsets;
  for (const auto& import : model.opset_import()) {
    const std::string domain = domain_of(import.domain());
    if (import.version() < 1) {
      throw InputError("", fmt::format("imports opset {} of domain {}", import.version(), quote(domain)),
                       "opsets count from 1");
    }
    opsets[domain] = import.version();
  }
  if (opsets.empty()) {
    throw InputError("", "has no opset_import: the meaning of its operators is not defined",
                     "export the model again");
  }
  return opsets;
}

std::set<std::string> weight_names(const ::onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const auto& weight : graph.initializer()) names.insert(weight.name());
  for (const auto& weight : graph.sparse_initializer()) names.insert(weight.values().name());
  return names;
}

void add_inputs(Context& context, Frame& frame, BoundInputs& inputs, const ::onnx::GraphProto& graph) {
  std::size_t i = 0;
  for (const std::string& name : inputs.names) {
    // The key must outlive the frame: take the message's own string.
    const auto proto = std::find_if(graph.input().begin(), graph.input().end(),
                                    [&](const auto& p) { return p.name() == name; });
    if (!frame.scope.names.emplace(proto->name(), context.tensors.size()).second) {
      throw InputError("", fmt::format("input {} is there twice", quote(name)),
                       "every tensor must have one producer");
    }
    context.add(std::move(inputs.tensors[i++]));
  }
}

// Operators in walking order; edges from who writes a tensor to who reads it.
void assemble(Graph& graph, const Context& context, Section& section) {
  std::vector<std::optional<OpIndex>> producer(context.tensors.size());
  std::vector<bool> counted(context.tensors.size(), false);
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, int> repeats;
  for (Found& found : section.found) {
    std::string name = found.op.name;
    while (!taken.insert(name).second)
      name = fmt::format("{}#{}", found.op.name, ++repeats.try_emplace(found.op.name, 1).first->second);
    found.op.name = name;
    for (const TensorIndex weight : found.weights) {
      const Tensor& tensor = context.tensors[weight];
      if (counted[tensor.origin] || !tensor.view.shape) continue;
      counted[tensor.origin] = true;
      found.op.parameters += elements_of(*tensor.view.shape).value_or(0);
    }
    const OpIndex index = graph.add(std::move(found.op));
    for (const TensorIndex tensor : found.reads) {
      if (producer[tensor]) graph.connect(*producer[tensor], index, context.tensors[tensor].view.bytes());
    }
    for (const TensorIndex tensor : found.writes) producer[tensor] = index;
  }
}

std::string times(std::size_t count) {
  return count == 1 ? "once" : fmt::format("{} times", count);
}

Note as_note(const std::string& code, const std::string& subject, const Remark& remark) {
  const auto& count = remark.count;
  const auto& first = remark.first;
  const auto noun = [&](const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
  };
  if (code == "unknown-operator")
    return {code,
            fmt::format("{}: counted as a memory pass, {} (first: {})", subject, times(count), quote(first))};
  if (code == "unknown-shape") {
    return {code, fmt::format("{} of a shape not known before the run, first {}: their work is not counted",
                              noun("tensor", "tensors"), first)};
  }
  if (code == "unused-nodes")
    return {code, fmt::format("{} to no output: left out", noun("node leads", "nodes lead"))};
  if (code == "shapes-folded") {
    return {code, fmt::format("{} only shapes and other values that are fixed with the input sizes: left out",
                              noun("operator computes", "operators compute"))};
  }
  if (code == "shape-contradiction") {
    return {code,
            fmt::format("{} declared otherwise in the file than it comes out, the latter is taken; first: {}",
                        noun("shape is", "shapes are"), first)};
  }
  if (subject == "If")
    return {code, fmt::format("If: {} decided in the run, the branch with more work is taken; first: {}",
                              noun("condition is", "conditions are"), first)};
  return {code, fmt::format("{}: {} counted as one operator, its body times its trips; first: {}", subject,
                            times(count), first)};
}

InputError too_large(const std::string& file) {
  return InputError(file, "is larger than 2 GiB, the most an ONNX file can hold",
                    "save it with its weights as external data; the weights themselves are not needed");
}

Graph import_model(const ::onnx::ModelProto& model, const std::string& name, const ImportOptions& options) {
  const ::onnx::GraphProto& proto = model.graph();
  if (proto.node().empty()) throw InputError("", "has no nodes: there is nothing to run");
  if (proto.output().empty()) throw InputError("", "has no outputs: there is nothing to compute");
  Frame frame;
  frame.opsets = opsets_of(model);
  BoundInputs inputs = bind_inputs(proto, weight_names(proto), options);
  Context context;
  context.strict = options.strict;
  context.rebatch = inputs.rebatch;
  context.dimensions = inputs.dimensions;
  for (const auto& function : model.functions()) {
    context.functions.emplace(std::pair(domain_of(function.domain()), function.name()), &function);
  }
  Graph graph;
  graph.name = clean(std::filesystem::path(name).stem().string());
  graph.batch = inputs.batch;
  graph.inputs = std::max<std::int64_t>(1, static_cast<std::int64_t>(inputs.names.size()));
  graph.notes = inputs.notes;
  enter_graph(context, frame, proto);
  add_inputs(context, frame, inputs, proto);
  try {
    Section section = walk_nodes(context, frame, proto.node(), output_names(proto));
    assemble(graph, context, section);
    for (const auto& [key, remark] : section.remarks)
      graph.notes.push_back(as_note(key.first, key.second, remark));
  } catch (const InputError& error) {
    if (!context.rebatch) throw;
    throw InputError(
        error.where(), fmt::format("{} with batch {}", error.problem(), context.rebatch->to),
        fmt::format("the model is fixed to batch {}; export it with a dynamic batch", context.rebatch->from));
  }
  if (context.rebatch) {
    graph.notes.push_back(
        {"rebatched", fmt::format("the model fixes its batch to {}: all shapes are inferred anew for {}",
                                  context.rebatch->from, context.rebatch->to)});
  }
  return graph;
}

}  // namespace

Graph import_onnx_bytes(std::string_view bytes, const std::string& name, const ImportOptions& options) {
  if (bytes.size() > kMostFileBytes) throw too_large(name);
  try {
    return import_model(parse_model(bytes), name, options);
  } catch (const InputError& error) {
    throw error.within(name);
  }
}

Graph import_onnx(const std::filesystem::path& path, const ImportOptions& options) {
  std::optional<::onnx::ModelProto> model;
  {
    std::error_code code;
    if (std::filesystem::file_size(path, code) > kMostFileBytes && !code) throw too_large(path.string());
    const std::string bytes = read_file(path, kMostFileBytes);
    try {
      model = parse_model(bytes);
    } catch (const InputError& error) {
      throw error.within(path.string());
    }
  }  // the bytes are gone before the walk
  try {
    return import_model(*model, path.string(), options);
  } catch (const InputError& error) {
    throw error.within(path.string());
  }
}

}  // namespace corecast::graphs
