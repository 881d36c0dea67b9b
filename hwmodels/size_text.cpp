#include "hwmodels/size_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace corecast::hwmodels {

std::string size_text(Bytes size) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  double value = size.value();
  std::size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < kUnits.size()) {
    value /= 1024.0;
    ++unit;
  }
  // %g would write 1000 and more with an exponent.
  const std::string number = value >= 999.5 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  return fmt::format("{} {}", number, kUnits[unit]);
}

}  // namespace corecast::hwmodels
