// The options of `corecast validate`. Internal to arguments.cpp.
#pragma once

#include <functional>

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace corecast::cli {

struct ValidateVerb {
  CLI::App* app;
  std::function<Command()> command;  // once it was parsed
};
[[nodiscard]] ValidateVerb add_validate(CLI::App& parent);

}  // namespace corecast::cli
