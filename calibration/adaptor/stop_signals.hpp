// SIGINT and SIGTERM as something to wait for, instead of the end of the program.
#pragma once

#include <array>
#include <csignal>

namespace corecast::adaptor {

// As long as it lives, the two signals are caught: descriptor() can then be read. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();  // the actions of before
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] int descriptor() const { return ends_[0]; }
  [[nodiscard]] bool came();  // since the last call

 private:
  std::array<int, 2> ends_{-1, -1};
  std::array<struct sigaction, 2> before_{};
};

}  // namespace corecast::adaptor
