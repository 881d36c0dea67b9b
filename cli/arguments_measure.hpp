// The options of `corecast measure`. Internal to arguments.cpp.
#pragma once

#include <functional>

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace corecast::cli {

struct MeasureVerb {
  CLI::App* app;
  std::function<Command()> command;  // once it was parsed
};
[[nodiscard]] MeasureVerb add_measure(CLI::App& parent);

}  // namespace corecast::cli
