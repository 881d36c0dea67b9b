// One function for each built-in model; builtin.cpp lists them. Each stands in the file of its name.
#pragma once

#include <cstdint>

#include "graphs/graph.hpp"

namespace corecast::graphs::models {

[[nodiscard]] Graph inception_v3(std::int64_t batch);

}  // namespace corecast::graphs::models
