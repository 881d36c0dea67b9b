// Sizes for a model's inputs: the file's, the user's, and one value for each named dimension.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graphs/onnx_import.hpp"
#include "graphs/onnx_tensor.hpp"

namespace corecast::graphs::importing {

struct BoundInputs {
  std::vector<Tensor> tensors;                     // in the file's order, without the weights among them
  std::vector<std::string> names;                  // as the file spells them
  std::map<std::string, std::int64_t> dimensions;  // named dimensions
  std::optional<Rebatch> rebatch;
  std::int64_t batch = 1;
  std::vector<Note> notes;
};

// `weights`: names of initialisers, which old files list among the inputs too. InputError for what stays
// open, for what the user asks and the file contradicts, and for names that are no inputs.
[[nodiscard]] BoundInputs bind_inputs(const ::onnx::GraphProto& graph, const std::set<std::string>& weights,
                                      const ImportOptions& options);

}  // namespace corecast::graphs::importing
