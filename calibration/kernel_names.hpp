// Which microbenchmarks there are, and in which units their samples may come.
#pragma once

#include <string_view>
#include <vector>

#include "calibration/measurements.hpp"

namespace corecast::calibration {

struct KernelName {
  Group group;
  std::string_view kernel;
  std::vector<Unit> units;
};

// In the order of the header of measurements.hpp.
[[nodiscard]] const std::vector<KernelName>& kernel_names();
[[nodiscard]] const KernelName* find_kernel(Group group, std::string_view kernel);

}  // namespace corecast::calibration
