// The operating system's numbers of the CPUs that a setting's instances should have.
#pragma once

#include <vector>

#include "cli/inputs.hpp"
#include "sim/runtime.hpp"
#include "sim/setting.hpp"

namespace corecast::cli {

struct InstanceCpus {
  std::vector<int> cpus;     // ascending
  std::vector<int> domains;  // NUMA domains they are in, ascending
  friend bool operator==(const InstanceCpus&, const InstanceCpus&) = default;
};

// One entry an instance, disjoint, in the order in which the simulator places threads (sim/placement.hpp). On
// the host they are CPUs that are granted. On another machine: the numbering usual for Linux servers, first
// hardware threads of socket 0, of socket 1 and so on, then second ones. Empty when the instances do not fit
// on CPUs of their own.
[[nodiscard]] std::vector<InstanceCpus> instance_cpus(const MachineInput& machine,
                                                      const sim::Runtime& runtime,
                                                      const sim::Setting& setting);

}  // namespace corecast::cli
