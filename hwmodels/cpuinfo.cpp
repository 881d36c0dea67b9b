#include "hwmodels/cpuinfo.hpp"

#include <algorithm>
#include <charconv>

#include "hwmodels/system_files.hpp"

namespace corecast::hwmodels {
namespace {

int whole_or_absent(std::string_view text) {
  int base = 10;
  if (text.substr(0, 2) == "0x") {
    text.remove_prefix(2);
    base = 16;
  }
  int value = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return code == std::errc{} && end == text.data() + text.size() && value >= 0 ? value : -1;
}

// A clock outside of this is not one of a CPU that runs us.
std::optional<Hertz> plausible_clock(double hertz) {
  if (!(hertz >= 2e8 && hertz <= 1e10)) return std::nullopt;
  return Hertz(hertz);
}

std::optional<Hertz> clock_from(std::string_view text, double unit) {
  double value = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{}) return std::nullopt;
  return plausible_clock(value * unit);
}

std::optional<Hertz> clock_in(std::string_view model_name) {
  const std::size_t at = model_name.rfind('@');
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view text = trimmed(model_name.substr(at + 1));
  if (text.find("GHz") != std::string_view::npos) return clock_from(text, 1e9);
  if (text.find("MHz") != std::string_view::npos) return clock_from(text, 1e6);
  return std::nullopt;
}

void take(CpuInfo& info, std::string_view key, std::string_view value) {
  if (key == "vendor_id") info.vendor = value;
  if (key == "model name") {
    info.model_name = value;
    info.clock_in_name = clock_in(value);
  }
  if (key == "cpu family") info.family = whole_or_absent(value);
  if (key == "model") info.model = whole_or_absent(value);
  if (key == "stepping") info.stepping = whole_or_absent(value);
  if (key == "CPU implementer") info.implementer = whole_or_absent(value);
  if (key == "CPU part") info.part = whole_or_absent(value);
  if (key == "cpu MHz") info.clock_now = clock_from(value, 1e6);
  if (key == "flags" || key == "Features") {
    for (const std::string_view flag : split(value, ' ')) {
      if (!flag.empty()) info.flags.emplace_back(flag);
    }
    std::sort(info.flags.begin(), info.flags.end());
  }
}

}  // namespace

bool CpuInfo::has_flag(std::string_view flag) const {
  return std::binary_search(flags.begin(), flags.end(), flag);
}

CpuInfo parse_cpuinfo(std::string_view text) {
  CpuInfo info;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, colon));
    if (key == "processor") ++info.processors;
    if (info.processors <= 1) take(info, key, trimmed(line.substr(colon + 1)));
  }
  return info;
}

}  // namespace corecast::hwmodels
