// ONNX's messages as the project's own values.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graphs/onnx_tensor.hpp"

namespace corecast::graphs::importing {

// A constant: type, shape, and values where there are few. InputError on sizes that make no tensor and on
// data of another length than the shape asks for; data that is elsewhere or left out is fine.
[[nodiscard]] Tensor constant_of(const ::onnx::TensorProto& proto, const std::string& name);
[[nodiscard]] Tensor constant_of(const ::onnx::SparseTensorProto& proto, const std::string& name);
// What a Constant node holds, in whichever attribute; nothing when it has none.
[[nodiscard]] std::optional<Tensor> constant_of(const ::onnx::NodeProto& node, const std::string& name);

// Type, domain and attributes; inputs and outputs are the caller's. Tensors and graphs among the attributes
// are left out.
[[nodiscard]] NodeView view_of(const ::onnx::NodeProto& node, std::int64_t opset, std::string name);

// The name of a domain: "ai.onnx" is the empty one's alias.
[[nodiscard]] std::string domain_of(const std::string& written);

[[nodiscard]] const ::onnx::AttributeProto* attribute_of(const ::onnx::NodeProto& node,
                                                         std::string_view name);

// What a file says of a value: named dimensions replaced by what they are bound to; no shape when one stays
// open.
[[nodiscard]] Typed declared(const ::onnx::TypeProto& type,
                             const std::map<std::string, std::int64_t>& dimensions);

// Text from a file as a name that can be printed and written as JSON.
[[nodiscard]] std::string clean(const std::string& text);

}  // namespace corecast::graphs::importing
