#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include "calibration/microbench/buffer.hpp"
#include "hwmodels/cgroup_paths.hpp"
#include "hwmodels/system_files.hpp"

namespace corecast::calibration::microbench {
namespace {

using hwmodels::read_system_file;
using hwmodels::split;
using hwmodels::trimmed;

// The number at the start of `text`; "max" is none.
std::optional<double> number(std::string_view text) {
  const std::string_view digits = trimmed(text);
  double value = 0.0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc{}) return std::nullopt;
  return value;
}

// "Key:   123 kB" lines.
std::optional<double> kib_of(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    if (line.substr(0, key.size()) == key) return number(line.substr(key.size()));
  }
  return std::nullopt;
}

double left_in_groups(const std::string& controller, const std::string& limit, const std::string& use) {
  double left = std::numeric_limits<double>::infinity();
  const hwmodels::SystemRoot root;
  for (const std::string& directory : cgroup_place(root, controller).directories) {
    const auto most = number(read_system_file(root.root, directory + limit).value_or(""));
    const auto used = number(read_system_file(root.root, directory + use).value_or(""));
    if (most && used) left = std::min(left, std::max(0.0, *most - *used));
  }
  return left;
}

}  // namespace

Bytes memory_allowance() {
  constexpr double kShare = 1.0 / 8.0;
  constexpr double kUnknown = 1024.0 * 1024.0 * 1024.0;
  const auto available = kib_of(read_system_file("/", "/proc/meminfo").value_or(""), "MemAvailable:");
  const double system = available ? *available * 1024.0 : kUnknown;
  const double groups =
      std::min(left_in_groups("", "/memory.max", "/memory.current"),
               left_in_groups("memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes"));
  return Bytes(kShare * std::min(system, groups));
}

Bytes huge_pages_in_use() {
  const auto text = read_system_file("/", "/proc/self/smaps_rollup");
  return Bytes(1024.0 * (text ? kib_of(*text, "AnonHugePages:").value_or(0.0) : 0.0));
}

}  // namespace corecast::calibration::microbench
