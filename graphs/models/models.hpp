// One function for each built-in model; builtin.cpp lists them. Each stands in the file of its name.
#pragma once

#include "graphs/builtin.hpp"
#include "graphs/written_model.hpp"

namespace corecast::graphs::models {

[[nodiscard]] WrittenModel inception_v3(const BuildOptions& options);

}  // namespace corecast::graphs::models
