// An ONNX model file as a Graph. Only onnx_*.cpp files include ONNX.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graphs/graph.hpp"

namespace corecast::graphs {

struct ImportOptions {
  // Shapes of inputs by name, from --shape name=1x3x224x224; fill what the file leaves open. A size that the file fixes
  // cannot be overruled here (another batch: below).
  std::map<std::string, std::vector<std::int64_t>> shapes;
  // Value of the leading dynamic (or named batch) dimension of every input; where the file fixes the batch, all shapes are
  // inferred anew for this one.
  std::optional<std::int64_t> batch;
  // An operator without a work rule is an error instead of a memory pass and a note.
  bool strict = false;
};

// Throws InputError for whatever is wrong with the file; messages name the file and the node.
[[nodiscard]] Graph import_onnx(const std::filesystem::path& path, const ImportOptions& options = {});
// The same from bytes in memory; `name` stands for the file in messages.
[[nodiscard]] Graph import_onnx_bytes(std::string_view bytes, const std::string& name,
                                      const ImportOptions& options = {});

}  // namespace corecast::graphs
