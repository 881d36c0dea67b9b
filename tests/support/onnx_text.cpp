#include "tests/support/onnx_text.hpp"

#include <onnx/defs/parser.h>

#include <algorithm>
#include <stdexcept>

#include "base/error.hpp"

namespace corecast::test {
namespace {

void make_weight(::onnx::GraphProto& graph, const std::string& name) {
  auto& inputs = *graph.mutable_input();
  const auto input =
      std::find_if(inputs.begin(), inputs.end(), [&](const auto& i) { return i.name() == name; });
  if (input == inputs.end()) throw std::runtime_error("no input " + name + " to make a weight of");
  auto& weight = *graph.add_initializer();
  weight.set_name(name);
  weight.set_data_type(input->type().tensor_type().elem_type());
  for (const auto& size : input->type().tensor_type().shape().dim()) weight.add_dims(size.dim_value());
  inputs.erase(input);
}

}  // namespace

::onnx::ModelProto onnx_model(const std::string& text, const std::vector<std::string>& weights) {
  const std::string header = R"(<ir_version: 8, opset_import: ["" : 17]> )";
  const std::size_t first = text.find_first_not_of(" \n");
  const std::string whole = first != std::string::npos && text[first] == '<' ? text : header + text;
  ::onnx::ModelProto model;
  ::onnx::OnnxParser parser(whole.c_str());
  const auto status = parser.Parse(model);
  if (!status.IsOK()) throw std::runtime_error(status.ErrorMessage());
  for (const std::string& name : weights) make_weight(*model.mutable_graph(), name);
  return model;
}

std::string bytes_of(const ::onnx::ModelProto& model) {
  return model.SerializeAsString();
}

graphs::Graph imported(const ::onnx::ModelProto& model, const graphs::ImportOptions& options) {
  return graphs::import_onnx_bytes(bytes_of(model), "model.onnx", options);
}

graphs::Graph imported(const std::string& text, const std::vector<std::string>& weights,
                       const graphs::ImportOptions& options) {
  return imported(onnx_model(text, weights), options);
}

std::string import_error(const ::onnx::ModelProto& model, const graphs::ImportOptions& options) {
  try {
    (void)imported(model, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

std::string import_error(const std::string& text, const std::vector<std::string>& weights,
                         const graphs::ImportOptions& options) {
  return import_error(onnx_model(text, weights), options);
}

std::string note(const graphs::Graph& graph, const std::string& code) {
  for (const graphs::Note& one : graph.notes) {
    if (one.code == code) return one.text;
  }
  return {};
}

}  // namespace corecast::test
