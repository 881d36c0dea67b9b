// The user stopped a command that keeps what it has done. Exit code 130, as shells have it.
#pragma once

#include <stdexcept>

namespace corecast::cli {

class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace corecast::cli
