#include "cli/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/terminal.hpp"

namespace corecast::cli {
namespace {
constexpr int kBar = 24;
}

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)), terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (terminal_ && tenths_ >= 0) std::fputs("\r\033[K", stderr);
}

void ProgressBar::step(std::string_view now, double done) {
  const double part = std::clamp(done, 0.0, 1.0);
  const int tenths = static_cast<int>(part * 10.0);
  if (terminal_) {
    const int full = static_cast<int>(part * kBar);
    std::string line =
        fmt::format("{} [{:=>{}}{:>{}}] {:3.0f} %  {}", what_, "", full, "", kBar - full, 100.0 * part, now);
    line.resize(std::min(line.size(), static_cast<std::size_t>(terminal_width() - 1)));
    std::fputs(("\r\033[K" + line).c_str(), stderr);
  } else if (tenths > tenths_) {
    std::fputs(fmt::format("corecast: {}: {:.0f} %, {}\n", what_, 100.0 * part, now).c_str(), stderr);
  }
  tenths_ = std::max(tenths_, tenths);
}

}  // namespace corecast::cli
