#include "cli/words.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/quantity_text.hpp"

namespace corecast::cli {

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string count_text(double count) {
  constexpr std::array<std::string_view, 6> prefixes{"", " k", " M", " G", " T", " P"};
  std::size_t prefix = 0;
  while (std::abs(count) >= 999.5 && prefix + 1 < prefixes.size()) {
    count /= 1000.0;
    ++prefix;
  }
  return fmt::format("{:.3g}{}", count, prefixes[prefix]);
}

std::string percent_text(double share) {
  const double percent = 100.0 * share;
  return std::abs(percent) < 9.95 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string loss_text(double loss) {
  if (loss < -0.00005) return fmt::format("{:.1f} %", 100.0 * loss);
  if (loss < 0.00005) return "best";
  if (loss < 0.0995) return fmt::format("+{:.1f} %", 100.0 * loss);
  if (loss < 0.995) return fmt::format("+{:.0f} %", 100.0 * loss);
  return fmt::format("{:.3g} x", 1.0 + loss);
}

std::string rate_text(double per_second) {
  return per_second < 999.5 ? fmt::format("{:.3g}", per_second) : fmt::format("{:.0f}", per_second);
}

std::string factor_text(double factor) {
  return fmt::format("{:.2f} x", factor);
}

std::string setting_text(const sim::Setting& setting) {
  std::string text = fmt::format("intra {}", setting.intra_op);
  if (setting.mode == sim::Mode::parallel)
    text = fmt::format("inter {}, {}, parallel", setting.inter_op, text);
  if (setting.instances > 1) text = fmt::format("{} instances of {}", setting.instances, text);
  if (setting.smt) text += ", SMT";
  if (setting.placement == sim::Placement::scatter) text += ", scatter";
  if (!setting.spin) text += ", no spin";
  return text;
}

std::string interval_text(const sim::Forecast& forecast) {
  return fmt::format("{} to {}", to_short_text(forecast.low), to_short_text(forecast.high));
}

}  // namespace corecast::cli
