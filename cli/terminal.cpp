#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace corecast::cli {
namespace {

constexpr int kNarrow = 40, kUsual = 80, kWide = 400;

}  // namespace

int terminal_width() {
  if (const char* columns = std::getenv("COLUMNS")) {
    const std::string_view text(columns);
    int value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code == std::errc{} && end == text.data() + text.size() && value > 0)
      return std::clamp(value, kNarrow, kWide);
  }
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::clamp(static_cast<int>(size.ws_col), kNarrow, kWide);
  }
  return kUsual;
}

}  // namespace corecast::cli
