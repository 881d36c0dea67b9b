// How far a long measurement is, on standard error.
#pragma once

#include <string>
#include <string_view>

namespace corecast::cli {

// On a terminal: one line with a bar, redrawn at each step, gone at the end. Else: one line for every tenth part.
class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void step(std::string_view now, double done);  // done: 0..1

 private:
  std::string what_;
  bool terminal_;
  int tenths_ = -1;  // the last one told
};

}  // namespace corecast::cli
