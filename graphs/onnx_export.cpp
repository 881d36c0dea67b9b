#include "graphs/onnx_export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <string_view>
#include <type_traits>

#include "base/error.hpp"
#include "graphs/onnx_fill.hpp"

namespace corecast::graphs {
namespace {

using Proto = ::onnx::TensorProto;
using Shape = std::vector<std::int64_t>;

constexpr int kIrVersion = 8;
constexpr int kOpset = 17;
constexpr std::string_view kMicrosoft = "com.microsoft";

bool is_quantized(const NodeView& node) {
  return node.type.starts_with("QLinear") || node.type == "QGemm" || node.type == "QuantizeLinear" ||
         node.type == "DequantizeLinear";
}

// The second operand of a product, or its zero point: signed where it is a weight. All else in a quantised
// operator is an activation, its zero point, or a constant that meets activations as their equal.
bool is_signed(const NodeView& node, std::size_t i) {
  if (!is_quantized(node)) return node.inputs[i].constant;
  const bool product = node.type == "QLinearConv" || node.type == "QLinearMatMul" || node.type == "QGemm";
  return product && (i == 3 || i == 5) && node.inputs[3].constant;
}

int code_of(DataType type, bool is_signed, const std::string& tensor) {
  switch (type) {
    case DataType::fp64:
      return Proto::DOUBLE;
    case DataType::fp32:
      return Proto::FLOAT;
    case DataType::fp16:
      return Proto::FLOAT16;
    case DataType::bf16:
      return Proto::BFLOAT16;
    case DataType::int64:
      return Proto::INT64;
    case DataType::int32:
      return Proto::INT32;
    case DataType::int16:
      return Proto::INT16;
    case DataType::int8:
      return is_signed ? Proto::INT8 : Proto::UINT8;
    case DataType::boolean:
      return Proto::BOOL;
    case DataType::int4:
    case DataType::string:
    case DataType::unknown:
      break;
  }
  throw InputError(
      fmt::format("tensor {}", quote(tensor)),
      fmt::format("has type {}, which operator set {} has no tensors of", name_of(type), kOpset));
}

template <typename T>
void append(std::string& raw, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  raw.append(bytes, sizeof(T));
}

// Little-endian, as the format says and this machine is.
void append_value(std::string& raw, int code, double value) {
  switch (code) {
    case Proto::DOUBLE:
      return append(raw, value);
    case Proto::FLOAT:
      return append(raw, static_cast<float>(value));
    case Proto::BFLOAT16:
      return append(
          raw, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16U));
    case Proto::INT64:
      return append(raw, static_cast<std::int64_t>(value));
    case Proto::INT32:
      return append(raw, static_cast<std::int32_t>(value));
    case Proto::INT16:
      return append(raw, static_cast<std::int16_t>(value));
    case Proto::INT8:
      return append(raw, static_cast<std::int8_t>(value));
    default:  // UINT8, BOOL
      return append(raw, static_cast<std::uint8_t>(value));
  }
}

// Builders that round a pool's size up do so in its output; the file must say so.
bool rounds_up(const NodeView& node) {
  const Shape kernel = node.wholes("kernel_shape");
  const bool pool = node.type.ends_with("Pool") && !kernel.empty() &&
                    !node.attributes.contains("ceil_mode") && node.text("auto_pad", "NOTSET") == "NOTSET";
  if (!pool || !node.inputs[0].shape || !node.outputs[0].shape) return false;
  const std::size_t n = kernel.size();
  const auto at = [&](std::string_view name, std::size_t d, std::int64_t otherwise) {
    const Shape values = node.wholes(name);
    return d < values.size() ? values[d] : otherwise;
  };
  for (std::size_t d = 0; d < n; ++d) {
    const std::int64_t reach = at("dilations", d, 1) * (kernel[d] - 1) + 1;
    const std::int64_t room =
        node.inputs[0].shape->at(d + 2) + at("pads", d, 0) + at("pads", d + n, 0) - reach;
    if (node.outputs[0].shape->at(d + 2) > room / at("strides", d, 1) + 1) return true;
  }
  return false;
}

class Writer {
 public:
  explicit Writer(const WrittenModel& model) : roles_(model) {
    graph_ = proto_.mutable_graph();
    proto_.set_ir_version(kIrVersion);
    proto_.set_producer_name("corecast");
    graph_->set_name(model.graph.name);
    for (const TensorView& input : model.inputs) declare(*graph_->add_input(), input);
    for (const NodeView& node : model.nodes) add(node);
    for (const TensorView& output : model.outputs) declare(*graph_->add_output(), output);
    import("", kOpset);
    if (microsoft_) import(std::string(kMicrosoft), 1);
  }

  [[nodiscard]] std::string bytes() const { return proto_.SerializeAsString(); }

 private:
  void import(const std::string& domain, int version) {
    auto& opset = *proto_.add_opset_import();
    opset.set_domain(domain);
    opset.set_version(version);
  }

  static void declare(::onnx::ValueInfoProto& info, const TensorView& tensor) {
    info.set_name(tensor.name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(code_of(tensor.type, false, tensor.name));
    if (!tensor.shape) return;
    type.mutable_shape();
    for (const std::int64_t size : *tensor.shape) type.mutable_shape()->add_dim()->set_dim_value(size);
  }

  // Some operators of later sets (Gelu) are in onnxruntime's own set too.
  static std::string domain_of(const NodeView& node) {
    if (!node.domain.empty()) return node.domain;
    if (::onnx::OpSchemaRegistry::Schema(node.type, kOpset, "") != nullptr) return "";
    if (has_work_rule(kMicrosoft, node.type)) return std::string(kMicrosoft);
    throw InputError(fmt::format("node {} ({})", quote(node.name), quote(node.type)),
                     fmt::format("is in neither operator set {} nor {}", kOpset, kMicrosoft));
  }

  void add(const NodeView& node) {
    // Constants stand in front of the node that reads them first.
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorView& tensor = node.inputs[i];
      if (!tensor.absent && tensor.constant && written_.insert(tensor.name).second) add_constant(node, i);
    }
    const bool needs_shape = node.type == "Reshape" && node.inputs.size() == 1;
    const std::string shape = needs_shape ? sizes(node.outputs[0].shape.value()) : std::string();
    auto& proto = *graph_->add_node();
    proto.set_name(node.name);
    proto.set_op_type(node.type);
    proto.set_domain(domain_of(node));
    microsoft_ = microsoft_ || proto.domain() == kMicrosoft;
    for (const TensorView& tensor : node.inputs) proto.add_input(tensor.absent ? "" : tensor.name);
    if (needs_shape) proto.add_input(shape);
    for (const TensorView& tensor : node.outputs) proto.add_output(tensor.absent ? "" : tensor.name);
    for (const auto& [name, value] : node.attributes) add_attribute(proto, name, value);
    if (rounds_up(node)) add_attribute(proto, "ceil_mode", std::int64_t{1});
  }

  static void add_attribute(::onnx::NodeProto& node, const std::string& name, const Attribute& value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    std::visit(
        [&](const auto& v) {
          using T = std::decay_t<decltype(v)>;
          if constexpr (std::is_same_v<T, std::int64_t>) {
            attribute.set_type(::onnx::AttributeProto::INT);
            attribute.set_i(v);
          } else if constexpr (std::is_same_v<T, double>) {
            attribute.set_type(::onnx::AttributeProto::FLOAT);
            attribute.set_f(static_cast<float>(v));
          } else if constexpr (std::is_same_v<T, std::string>) {
            attribute.set_type(::onnx::AttributeProto::STRING);
            attribute.set_s(v);
          } else if constexpr (std::is_same_v<T, Shape>) {
            attribute.set_type(::onnx::AttributeProto::INTS);
            for (const std::int64_t one : v) attribute.add_ints(one);
          } else {
            attribute.set_type(::onnx::AttributeProto::FLOATS);
            for (const double one : v) attribute.add_floats(static_cast<float>(one));
          }
        },
        value);
  }

  void add_constant(const NodeView& node, std::size_t i) {
    const TensorView& tensor = node.inputs[i];
    CORECAST_CHECK(tensor.shape.has_value(), "constant {} of {} has no shape", quote(tensor.name),
                   quote(node.name));
    const int code = code_of(tensor.type, is_signed(node, i), tensor.name);
    if (tensor.integers || tensor.elements() == 1.0) {
      add_initializer(tensor, code, node, i);
    } else if (code == Proto::BFLOAT16) {
      // ConstantOfShape makes no bf16 before operator set 20.
      add_fill(tensor.name + ".fp32", *tensor.shape, Proto::FLOAT, roles_.fill(node, i));
      auto& cast = *graph_->add_node();
      cast.set_op_type("Cast");
      cast.add_input(tensor.name + ".fp32");
      cast.add_output(tensor.name);
      add_attribute(cast, "to", std::int64_t{Proto::BFLOAT16});
    } else {
      add_fill(tensor.name, *tensor.shape, code, roles_.fill(node, i));
    }
  }

  void add_initializer(const TensorView& tensor, int code, const NodeView& node, std::size_t i) {
    auto& proto = *graph_->add_initializer();
    proto.set_name(tensor.name);
    proto.set_data_type(code);
    for (const std::int64_t size : *tensor.shape) proto.add_dims(size);
    std::string& raw = *proto.mutable_raw_data();
    if (!tensor.integers) return append_value(raw, code, roles_.fill(node, i));
    for (const std::int64_t value : *tensor.integers) {
      // Beyond 2^53 a double would round: ends of slices are given as the largest number.
      if (code == Proto::INT64) {
        append(raw, value);
      } else {
        append_value(raw, code, static_cast<double>(value));
      }
    }
  }

  // Nodes without a name: they are constants, and names take space.
  void add_fill(const std::string& name, const Shape& shape, int code, double value) {
    const std::string dimensions = sizes(shape);
    auto& node = *graph_->add_node();
    node.set_op_type("ConstantOfShape");
    node.add_input(dimensions);
    node.add_output(name);
    auto& attribute = *node.add_attribute();
    attribute.set_name("value");
    attribute.set_type(::onnx::AttributeProto::TENSOR);
    auto& proto = *attribute.mutable_t();
    proto.set_data_type(code);
    proto.add_dims(1);
    append_value(*proto.mutable_raw_data(), code, value);
  }

  // The name of the initializer that holds these sizes; equal ones are stored once.
  std::string sizes(const Shape& shape) {
    std::string name = fmt::format("sizes/{}", fmt::join(shape, "x"));
    if (!written_.insert(name).second) return name;
    auto& proto = *graph_->add_initializer();
    proto.set_name(name);
    proto.set_data_type(Proto::INT64);
    proto.add_dims(static_cast<std::int64_t>(shape.size()));
    std::string& raw = *proto.mutable_raw_data();
    for (const std::int64_t size : shape) append(raw, size);
    return name;
  }

  FillValues roles_;
  ::onnx::ModelProto proto_;
  ::onnx::GraphProto* graph_ = nullptr;
  std::set<std::string> written_;  // constants
  bool microsoft_ = false;
};

}  // namespace

std::string to_onnx(const WrittenModel& model) {
  return Writer(model).bytes();
}

}  // namespace corecast::graphs
