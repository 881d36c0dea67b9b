// The model that `corecast measure` has a framework run: a file, or a built-in model written to one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace corecast::cli {

struct MeasuredModel {
  std::string name;            // in the rows: the built-in model's, or the file's without its extension
  std::filesystem::path file;  // absolute
  std::string checksum;        // of the file's bytes; weights that lie beside it are not in it
  std::optional<std::int64_t> sequence;
  std::int64_t batch = 1;
  bool batch_is_free = true;  // false: written into the model
  bool built_in = false;
  bool torchscript = false;         // *.pt, *.pth, *.ts
  std::vector<std::string> shapes;  // as adaptors take them, "NAME=1x3x224x224"
};

// A built-in model is written into `folder`. InputError for a model that cannot be run: a graph of corecast's own, a training step, and
// options that mean nothing to a file.
[[nodiscard]] MeasuredModel measured_model(const ModelOptions& options, const std::filesystem::path& folder);

}  // namespace corecast::cli
