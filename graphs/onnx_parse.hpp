// Bytes to a parsed ONNX model, with a message for whatever else the bytes may be.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>

namespace corecast::graphs::importing {

// Protobuf counts bytes in an int; ONNX keeps weights of larger models in files of their own.
inline constexpr std::size_t kMostFileBytes = 0x7FFFFFFF;

// At most kMostFileBytes. InputError (without the file's name) for what is no ONNX model, is truncated, or holds no graph.
[[nodiscard]] ::onnx::ModelProto parse_model(std::string_view bytes);

}  // namespace corecast::graphs::importing
