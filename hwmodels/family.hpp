// The table of microarchitecture families: typical figures per core, socket and link. Read by priors.cpp only.
#pragma once

#include <string_view>
#include <vector>

#include "base/data_type.hpp"
#include "hwmodels/machine.hpp"

namespace corecast::hwmodels {

struct FamilyPeak {
  DataType type;
  Extension extension;
  double flop_per_cycle;
};

// Clock under an extension over the maximum turbo clock: one busy core, all cores busy with heavy arithmetic.
struct FamilyClock {
  Extension extension;
  double one_core;
  double all_cores;
  double error;  // relative, of all_cores
};

struct FamilyCaches {
  double l1_kib, l2_kib;
  double l3_mib;                                  // per core when the socket shares it, else per instance
  int l3_shared_by_cores;                         // 0 = the socket
  double l1_bytes_per_cycle, l2_bytes_per_cycle;  // sustained, one core, read mostly
  double l3_bytes_per_cycle;                      // where the L3 runs at the core's clock, else 0
  double l3_gb_per_s;                             // where it has its own clock, else 0
  double l3_all_cores;                            // per core when all read, over one alone
  double l1_cycles, l2_cycles, l3_ns;
  double error;
};

struct FamilyMemory {
  int channels;
  double mega_transfers;
  double sustained;  // read bandwidth over the theoretical one
  double sustained_error;
  double core_gb_per_s;  // one core alone
  double core_error;
  double shape;             // s of B(n)
  double cluster_gb_per_s;  // of the cores behind one L3, where their link to memory is the limit; else 0
  double local_ns, remote_ns;
  double latency_error;
};

struct FamilyThreads {
  double smt_ways;
  double gain_compute, gain_memory;
  double barrier_ns, doubling_ns;
  double wake_up_us;
};

struct Family {
  std::string_view name;
  double base_ghz, turbo_ghz;
  std::vector<FamilyPeak> peaks;
  std::vector<FamilyClock> clocks;
  FamilyCaches caches;
  FamilyMemory memory;
  double link_gb_per_s;  // raw, one direction, all links of a usual two-socket board
  FamilyThreads threads;
};

[[nodiscard]] const std::vector<Family>& family_table();

// Measured remote reads over the sum of raw link rates: 0.79 Haswell QPI, 0.82 three UPI links, 0.86 six (Intel MLC
// outputs of 2 x E5-2699 v3, 2 x 8269CY, 2 x 6980P).
inline constexpr double kLinkSustained = 0.82;
inline constexpr double kLinkError = 0.10;

}  // namespace corecast::hwmodels
