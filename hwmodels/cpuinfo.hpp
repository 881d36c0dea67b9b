// /proc/cpuinfo: who made the CPU and what it calls itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"

namespace corecast::hwmodels {

// Of the first processor listed; what is not there stays empty. Numbers are -1 when absent.
struct CpuInfo {
  std::string vendor;      // "GenuineIntel", "AuthenticAMD"
  std::string model_name;  // "Intel(R) Xeon(R) Platinum 8180 CPU @ 2.50GHz"
  int family = -1, model = -1, stepping = -1;
  int implementer = -1, part = -1;     // AArch64
  std::vector<std::string> flags;      // sorted
  std::optional<Hertz> clock_now;      // "cpu MHz": moves with load, except in most virtual machines
  std::optional<Hertz> clock_in_name;  // base clock, where the model name ends in "@ 2.50GHz"
  int processors = 0;

  [[nodiscard]] bool has_flag(std::string_view flag) const;
};

// Never throws: lines that do not read as they should count as absent.
[[nodiscard]] CpuInfo parse_cpuinfo(std::string_view text);

}  // namespace corecast::hwmodels
