// The options of `corecast measure`. Internal to arguments.cpp.
#pragma once

#include "cli/verb.hpp"

namespace corecast::cli {

[[nodiscard]] Verb add_measure(CLI::App& parent);

}  // namespace corecast::cli
