// From what was detected to a Machine: the family's prior, overridden where detection is believable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hwmodels/cpu_features.hpp"
#include "hwmodels/cpuinfo.hpp"
#include "hwmodels/host.hpp"
#include "hwmodels/topology.hpp"

namespace corecast::hwmodels {

// A clock and where it was read.
struct ClockFact {
  Hertz clock;
  std::string from;
  friend bool operator==(const ClockFact&, const ClockFact&) = default;
};

// All that is read from the system, so that tests can write it down.
struct HostFacts {
  Topology topology;
  CpuInfo cpu;
  CpuFeatures features;
  std::optional<ClockFact> driver_base_clock,
      driver_top_clock;  // cpufreq, /sys/devices/system/cpu/cpu0/cpufreq
};
[[nodiscard]] HostFacts read_host_facts();

[[nodiscard]] bool is_virtual_machine(const HostFacts& facts);
// Base clock: CPUID leaf 0x16, the driver's, the one in the model name; in a virtual machine, where neither CPUID nor
// driver tell the truth, the model name's, else "cpu MHz" (there it is that of the time stamp counter, hence the base).
[[nodiscard]] std::optional<ClockFact> base_clock(const HostFacts& facts);
[[nodiscard]] std::optional<ClockFact> turbo_clock(const HostFacts& facts);

// Machine "host" with CPU numbers and warnings; the grant stays empty.
//   caches      size and sharing from hwloc; the prior's where a size is not believable: L1 and L2 more than 4 times or
//               less than a quarter of the family's; L3 more than 4 times the family's share of a core and more than 128
//               cores' worth of it besides (a virtual machine shows the L3 of all its host to a few CPUs, but none that
//               no part of the family has)
//   extensions  peaks of extensions the host lacks are dropped; those it has and the family has not are guessed
//   clocks      the turbo clock where it can be read, else the family's
//   memory      capacity from hwloc; bandwidth and latency always from the prior
[[nodiscard]] Host host_from_facts(const HostFacts& facts);

}  // namespace corecast::hwmodels
