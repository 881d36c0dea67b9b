#include "graphs/onnx_schema.hpp"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace corecast::graphs::importing {
namespace {

using ::onnx::TensorProto;
using ::onnx::TypeProto;

// The code that stands for a type; where several share one of ours, the most usual.
int code_of(DataType type) {
  switch (type) {
    case DataType::fp64:
      return TensorProto::DOUBLE;
    case DataType::fp32:
      return TensorProto::FLOAT;
    case DataType::fp16:
      return TensorProto::FLOAT16;
    case DataType::bf16:
      return TensorProto::BFLOAT16;
    case DataType::int64:
      return TensorProto::INT64;
    case DataType::int32:
      return TensorProto::INT32;
    case DataType::int16:
      return TensorProto::INT16;
    case DataType::int8:
      return TensorProto::UINT8;
    case DataType::boolean:
      return TensorProto::BOOL;
    case DataType::string:
      return TensorProto::STRING;
    case DataType::int4:
    case DataType::unknown:
      break;
  }
  return TensorProto::UNDEFINED;
}

// What an inference function may ask about one node.
class Context final : public ::onnx::InferenceContext {
 public:
  Context(const ::onnx::NodeProto& node, const Inference& inference)
      : node_(node),
        types_(inference.inputs.size()),
        data_(inference.inputs.size()),
        present_(inference.inputs.size()),
        results_(inference.node.outputs.size()) {
    for (std::size_t i = 0; i < types_.size(); ++i) {
      present_[i] = inference.has(i);
      if (!present_[i]) continue;
      const TensorView& view = inference.inputs[i]->view;
      auto& tensor = *types_[i].mutable_tensor_type();
      tensor.set_elem_type(code_of(view.type));
      if (!view.shape) continue;
      tensor.mutable_shape();
      for (const std::int64_t size : *view.shape) tensor.mutable_shape()->add_dim()->set_dim_value(size);
      fill_data(*inference.inputs[i], data_[i]);
    }
  }

  const ::onnx::AttributeProto* getAttribute(const std::string& name) const override {
    for (const auto& attribute : node_.attribute()) {
      if (attribute.name() == name) return &attribute;
    }
    return nullptr;
  }
  std::size_t getNumInputs() const override { return types_.size(); }
  const TypeProto* getInputType(std::size_t i) const override {
    return present_.at(i) ? &types_[i] : nullptr;
  }
  const TensorProto* getInputData(std::size_t i) const override {
    return data_.at(i).has_data_type() ? &data_[i] : nullptr;
  }
  std::size_t getNumOutputs() const override { return results_.size(); }
  TypeProto* getOutputType(std::size_t i) override { return &results_.at(i); }
  ::onnx::GraphInferencer* getGraphAttributeInferencer(const std::string&) override {
    throw std::runtime_error("subgraphs are walked by the import itself");
  }
  const ::onnx::SparseTensorProto* getInputSparseData(std::size_t) const override { return nullptr; }
  const ::onnx::TensorShapeProto* getSymbolicInput(std::size_t) const override { return nullptr; }

  [[nodiscard]] const std::vector<TypeProto>& results() const { return results_; }

 private:
  static void fill_data(const Tensor& from, TensorProto& to) {
    if (from.view.integers && (from.view.type == DataType::int64 || from.view.type == DataType::int32)) {
      for (const std::int64_t value : *from.view.integers) {
        if (from.view.type == DataType::int64) {
          to.add_int64_data(value);
        } else {
          to.add_int32_data(static_cast<std::int32_t>(value));
        }
      }
    } else if (from.reals && from.view.type == DataType::fp32) {
      for (const double value : *from.reals) to.add_float_data(static_cast<float>(value));
    } else {
      return;
    }
    to.set_data_type(code_of(from.view.type));
    for (const std::int64_t size : *from.view.shape) to.add_dims(size);
  }

  const ::onnx::NodeProto& node_;
  std::vector<TypeProto> types_;
  std::vector<TensorProto> data_;
  std::vector<bool> present_;
  std::vector<TypeProto> results_;
};

// The library's functions take required inputs for granted and would follow a null pointer.
bool inputs_are_there(const ::onnx::OpSchema& schema, const Inference& inference) {
  for (std::size_t i = 0; i < inference.inputs.size(); ++i) {
    const std::size_t formal = std::min(i, schema.inputs().empty() ? 0 : schema.inputs().size() - 1);
    const bool optional =
        !schema.inputs().empty() && schema.inputs()[formal].GetOption() == ::onnx::OpSchema::Optional;
    if (!optional && !inference.has(i)) return false;
  }
  return true;
}

}  // namespace

std::optional<Types> infer_with_library(const ::onnx::NodeProto& proto, const Inference& inference) {
  const NodeView& node = inference.node;
  const auto& known = ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  const auto domain = known.find(node.domain);
  if (domain == known.end()) return std::nullopt;
  // An operator newer than the library may still be one that it knows in an older form.
  const int version = static_cast<int>(std::clamp<std::int64_t>(node.opset, 1, domain->second.second));
  const ::onnx::OpSchema* schema = ::onnx::OpSchemaRegistry::Schema(node.type, version, node.domain);
  if (schema == nullptr || !schema->has_type_and_shape_inference_function()) return std::nullopt;
  if (!inputs_are_there(*schema, inference)) return std::nullopt;
  try {
    schema->Verify(proto);
    Context context(proto, inference);
    schema->GetTypeAndShapeInferenceFunction()(context);
    Types types;
    for (const TypeProto& result : context.results()) {
      Typed typed;
      typed.type = data_type_of_code(result.tensor_type().elem_type());
      if (result.has_tensor_type() && result.tensor_type().has_shape()) {
        Shape shape;
        bool complete = true;
        for (const auto& size : result.tensor_type().shape().dim()) {
          complete = complete && size.has_dim_value();
          shape.push_back(size.dim_value());
        }
        if (complete) typed.shape = std::move(shape);
      }
      types.push_back(std::move(typed));
    }
    return types;
  } catch (const std::exception&) {
    return std::nullopt;  // the caller falls back to what the file declares, and notes what stays unknown
  }
}

}  // namespace corecast::graphs::importing
