// ONNX models from ONNX's own text syntax, so that a test reads like the model.
//
//   onnx_model("agraph (float[1,4] x, float[4,8] w) => (float[1,8] y) { y = MatMul(x, w) }", {"w"})
//
// The header `<ir_version: 8, opset_import: ["" : 17]>` is put before a text that does not start with `<`. The inputs
// named in `weights` become initialisers without data, as the import never needs it. Nodes stay without a name.
// Wrong text throws std::runtime_error.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "graphs/onnx_import.hpp"

namespace corecast::test {

[[nodiscard]] ::onnx::ModelProto onnx_model(const std::string& text,
                                            const std::vector<std::string>& weights = {});
[[nodiscard]] std::string bytes_of(const ::onnx::ModelProto& model);

// Imported under the name "model.onnx".
[[nodiscard]] graphs::Graph imported(const ::onnx::ModelProto& model,
                                     const graphs::ImportOptions& options = {});
[[nodiscard]] graphs::Graph imported(const std::string& text, const std::vector<std::string>& weights = {},
                                     const graphs::ImportOptions& options = {});

// The message of the InputError that the import throws; empty when it throws none.
[[nodiscard]] std::string import_error(const ::onnx::ModelProto& model,
                                       const graphs::ImportOptions& options = {});
[[nodiscard]] std::string import_error(const std::string& text, const std::vector<std::string>& weights = {},
                                       const graphs::ImportOptions& options = {});

// The text of the graph's note of that code; empty when it has none.
[[nodiscard]] std::string note(const graphs::Graph& graph, const std::string& code);

}  // namespace corecast::test
