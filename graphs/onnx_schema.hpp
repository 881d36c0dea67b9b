// Shape inference by the ONNX library, one node at a time, for operators without a rule of ours.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>

#include "graphs/onnx_shapes.hpp"

namespace corecast::graphs::importing {

// Nothing where the library does not know the operator, refuses the node, or fails on it.
[[nodiscard]] std::optional<Types> infer_with_library(const ::onnx::NodeProto& proto,
                                                      const Inference& inference);

}  // namespace corecast::graphs::importing
