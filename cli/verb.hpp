// A command of the program: how it is spelled, and how its options become a Command. Internal to arguments*.cpp.
#pragma once

#include <functional>

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace corecast::cli {

struct Verb {
  CLI::App* app;
  std::function<Command()> command;  // once it was parsed
};

}  // namespace corecast::cli
