// The command line: argv -> one command's options. arguments.cpp is the only file that includes CLI11.
#pragma once

#include <optional>
#include <string>

#include "cli/options.hpp"

namespace corecast::cli {

struct Arguments {
  std::optional<Command> command;  // none: help or version was printed, or the usage was wrong
  int exit_code = 0;               // then: 0, or 1 with a message on standard error
  std::string text;                // then: what belongs on standard output, the help or the version
};

// A wrong option, a missing argument: exit code 1. A value that is no number, no shape, no known word:
// InputError.
[[nodiscard]] Arguments parse_arguments(int argc, const char* const* argv);

}  // namespace corecast::cli
