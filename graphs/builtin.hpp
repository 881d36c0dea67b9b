// Built-in models, made by builders so that no download is needed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/graph.hpp"

namespace corecast::graphs {

struct BuiltinModel {
  std::string name;         // "inception_v3"
  std::string description;  // one line, with its source
};

[[nodiscard]] const std::vector<BuiltinModel>& builtin_models();
// InputError with the nearest name for an unknown one.
[[nodiscard]] Graph build_model(const std::string& name, std::int64_t batch = 1);

}  // namespace corecast::graphs
