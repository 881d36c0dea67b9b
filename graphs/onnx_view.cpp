#include "graphs/onnx_view.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "graphs/onnx_fold.hpp"

namespace corecast::graphs::importing {
namespace {

using Proto = ::onnx::TensorProto;

double half_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double fraction = bits & 1023;
  const double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                           : exponent == 31 ? std::numeric_limits<double>::infinity()
                                            : std::ldexp(1024.0 + fraction, exponent - 25);
  return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

double bfloat_to_double(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
}

// Element i of type T in the raw bytes, little-endian as the format says and this machine is.
template <typename T>
T raw_element(const std::string& raw, std::size_t i) {
  T value;
  std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
  return value;
}

// Fills `list` from the raw bytes or from a typed field; false when neither has n elements.
template <typename T, typename Out, typename Field, typename Convert>
bool read_elements(const Proto& proto, std::size_t n, const Field& field, std::vector<Out>& list,
                   Convert convert) {
  const std::string& raw = proto.raw_data();
  if (raw.size() == n * sizeof(T) && (n > 0 || field.empty())) {
    for (std::size_t i = 0; i < n; ++i) list.push_back(convert(raw_element<T>(raw, i)));
    return true;
  }
  if (!raw.empty() || static_cast<std::size_t>(field.size()) != n) return false;
  for (const auto value : field) list.push_back(convert(static_cast<T>(value)));
  return true;
}

bool read_values(const Proto& proto, std::size_t n, std::vector<std::int64_t>& whole,
                 std::vector<double>& real) {
  const auto as_whole = [](auto value) { return static_cast<std::int64_t>(value); };
  const auto as_real = [](auto value) { return static_cast<double>(value); };
  switch (proto.data_type()) {
    case Proto::INT64:
      return read_elements<std::int64_t>(proto, n, proto.int64_data(), whole, as_whole);
    case Proto::UINT64:
      return read_elements<std::uint64_t>(proto, n, proto.uint64_data(), whole, as_whole);
    case Proto::UINT32:
      return read_elements<std::uint32_t>(proto, n, proto.uint64_data(), whole, as_whole);
    case Proto::INT32:
      return read_elements<std::int32_t>(proto, n, proto.int32_data(), whole, as_whole);
    case Proto::INT16:
      return read_elements<std::int16_t>(proto, n, proto.int32_data(), whole, as_whole);
    case Proto::UINT16:
      return read_elements<std::uint16_t>(proto, n, proto.int32_data(), whole, as_whole);
    case Proto::INT8:
      return read_elements<std::int8_t>(proto, n, proto.int32_data(), whole, as_whole);
    case Proto::UINT8:
      return read_elements<std::uint8_t>(proto, n, proto.int32_data(), whole, as_whole);
    case Proto::BOOL:
      return read_elements<std::uint8_t>(proto, n, proto.int32_data(), whole,
                                         [](auto v) { return v != 0 ? 1 : 0; });
    case Proto::FLOAT:
      return read_elements<float>(proto, n, proto.float_data(), real, as_real);
    case Proto::DOUBLE:
      return read_elements<double>(proto, n, proto.double_data(), real, as_real);
    case Proto::FLOAT16:
      return read_elements<std::uint16_t>(proto, n, proto.int32_data(), real, half_to_double);
    case Proto::BFLOAT16:
      return read_elements<std::uint16_t>(proto, n, proto.int32_data(), real, bfloat_to_double);
    default:
      return true;  // strings, complex numbers, 4-bit and 8-bit floats: no values kept
  }
}

bool has_data(const Proto& proto) {
  return !proto.raw_data().empty() || proto.float_data_size() > 0 || proto.int32_data_size() > 0 ||
         proto.int64_data_size() > 0 || proto.double_data_size() > 0 || proto.uint64_data_size() > 0;
}

Tensor blank_constant(const std::string& name, DataType type, Shape shape) {
  if (!elements_of(shape)) {
    throw InputError(fmt::format("constant {}", quote(name)),
                     fmt::format("has shape {}, which is negative or too large", to_text(shape)));
  }
  Tensor tensor;
  tensor.view.name = clean(name);
  tensor.view.type = type;
  tensor.view.shape = std::move(shape);
  tensor.view.constant = true;
  return tensor;
}

}  // namespace

Tensor constant_of(const Proto& proto, const std::string& name) {
  Tensor tensor =
      blank_constant(name, data_type_of_code(proto.data_type()), {proto.dims().begin(), proto.dims().end()});
  const std::int64_t n = *elements_of(*tensor.view.shape);
  const bool elsewhere =
      proto.data_location() == Proto::EXTERNAL || proto.has_segment() || (n > 0 && !has_data(proto));
  if (n > static_cast<std::int64_t>(kMostValues) || elsewhere) return tensor;
  std::vector<std::int64_t> whole;
  std::vector<double> real;
  if (!read_values(proto, static_cast<std::size_t>(n), whole, real)) {
    throw InputError(fmt::format("constant {}", quote(name)),
                     fmt::format("its data does not hold the {} elements of its shape {}", n,
                                 to_text(*tensor.view.shape)));
  }
  if (is_whole(tensor.view.type) && whole.size() == static_cast<std::size_t>(n))
    tensor.view.integers = std::move(whole);
  if (is_real(tensor.view.type) && real.size() == static_cast<std::size_t>(n)) tensor.reals = std::move(real);
  return tensor;
}

Tensor constant_of(const ::onnx::SparseTensorProto& proto, const std::string& name) {
  return blank_constant(name, data_type_of_code(proto.values().data_type()),
                        {proto.dims().begin(), proto.dims().end()});
}

std::optional<Tensor> constant_of(const ::onnx::NodeProto& node, const std::string& name) {
  for (const auto& attribute : node.attribute()) {
    const std::string& key = attribute.name();
    if (key == "value" && attribute.has_t()) return constant_of(attribute.t(), name);
    if (key == "sparse_value" && attribute.has_sparse_tensor())
      return constant_of(attribute.sparse_tensor(), name);
    const auto list = [&](DataType type, int size) { return blank_constant(name, type, {size}); };
    if (key == "value_int") {
      Tensor tensor = blank_constant(name, DataType::int64, {});
      tensor.view.integers = std::vector<std::int64_t>{attribute.i()};
      return tensor;
    }
    if (key == "value_float") {
      Tensor tensor = blank_constant(name, DataType::fp32, {});
      tensor.reals = std::vector<double>{static_cast<double>(attribute.f())};
      return tensor;
    }
    if (key == "value_ints") {
      Tensor tensor = list(DataType::int64, attribute.ints_size());
      if (attribute.ints_size() <= static_cast<int>(kMostValues)) {
        tensor.view.integers = std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
      }
      return tensor;
    }
    if (key == "value_floats") {
      Tensor tensor = list(DataType::fp32, attribute.floats_size());
      if (attribute.floats_size() <= static_cast<int>(kMostValues)) {
        tensor.reals = std::vector<double>(attribute.floats().begin(), attribute.floats().end());
      }
      return tensor;
    }
    if (key == "value_string") return blank_constant(name, DataType::string, {});
    if (key == "value_strings") return list(DataType::string, attribute.strings_size());
  }
  return std::nullopt;
}

NodeView view_of(const ::onnx::NodeProto& node, std::int64_t opset, std::string name) {
  using Kind = ::onnx::AttributeProto;
  NodeView view;
  view.name = std::move(name);
  view.type = clean(node.op_type());
  view.domain = clean(domain_of(node.domain()));
  view.opset = opset;
  for (const Kind& attribute : node.attribute()) {
    Attribute value;
    // The oldest files leave the type out: then what is there tells.
    switch (attribute.type()) {
      case Kind::INT:
        value = attribute.i();
        break;
      case Kind::FLOAT:
        value = static_cast<double>(attribute.f());
        break;
      case Kind::STRING:
        value = attribute.s();
        break;
      case Kind::INTS:
        value = Shape(attribute.ints().begin(), attribute.ints().end());
        break;
      case Kind::FLOATS:
        value = std::vector<double>(attribute.floats().begin(), attribute.floats().end());
        break;
      case Kind::UNDEFINED:
        if (attribute.has_i()) value = attribute.i();
        if (attribute.has_f()) value = static_cast<double>(attribute.f());
        if (attribute.has_s()) value = attribute.s();
        if (attribute.ints_size() > 0) value = Shape(attribute.ints().begin(), attribute.ints().end());
        if (attribute.floats_size() > 0) {
          value = std::vector<double>(attribute.floats().begin(), attribute.floats().end());
        }
        break;
      default:
        continue;
    }
    view.attributes.insert_or_assign(attribute.name(), std::move(value));
  }
  return view;
}

std::string domain_of(const std::string& written) {
  return written == "ai.onnx" ? std::string() : written;
}

const ::onnx::AttributeProto* attribute_of(const ::onnx::NodeProto& node, std::string_view name) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

Typed declared(const ::onnx::TypeProto& type, const std::map<std::string, std::int64_t>& dimensions) {
  Typed typed;
  if (!type.has_tensor_type()) return typed;
  typed.type = data_type_of_code(type.tensor_type().elem_type());
  if (!type.tensor_type().has_shape()) return typed;
  Shape shape;
  for (const auto& dimension : type.tensor_type().shape().dim()) {
    if (dimension.has_dim_value()) {
      shape.push_back(dimension.dim_value());
    } else if (const auto found = dimensions.find(dimension.dim_param()); found != dimensions.end()) {
      shape.push_back(found->second);
    } else {
      return typed;
    }
  }
  if (elements_of(shape)) typed.shape = std::move(shape);
  return typed;
}

std::string clean(const std::string& text) {
  std::string quoted = quote(text, 1000);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace corecast::graphs::importing
