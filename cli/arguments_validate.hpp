// The options of `corecast validate`. Internal to arguments.cpp.
#pragma once

#include "cli/verb.hpp"

namespace corecast::cli {

[[nodiscard]] Verb add_validate(CLI::App& parent);

}  // namespace corecast::cli
