// What a machine of a known microarchitecture is like when nobody measured it: per-family figures (family.hpp) that
// fill what a datasheet or detection leaves open. Each is marked Origin::prior with a relative error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hwmodels/machine.hpp"

namespace corecast::hwmodels {

// Clock with all cores of a socket busy under one extension.
struct AllCoreClock {
  Extension extension = Extension::scalar;
  Value<Hertz> clock;
  friend bool operator==(const AllCoreClock&, const AllCoreClock&) = default;
};

// Facts a datasheet gives; zero or empty = not given, then the family's typical figure stands in.
struct Datasheet {
  std::string family;  // must be a known one; "generic_x86" when nothing fits
  int sockets = 1, domains_per_socket = 1, cores_per_socket = 1, smt = 1;
  Hertz base_clock{}, turbo_clock{};
  std::vector<AllCoreClock> all_core_clock;
  std::vector<Extension>
      extensions;              // offered by the processor (or its hypervisor); peaks of others are left out
  int fma_units_512 = 0;       // per core: 1 halves the family's AVX-512 peaks
  Bytes l1{}, l2{}, l3{};      // l1, l2 per core, l3 per instance
  int l3_shared_by_cores = 0;  // 0 = the family's way: the socket, or an AMD core complex
  int memory_channels = 0;     // per socket
  double memory_mega_transfers = 0.0;  // per second and channel, 8 bytes each
  Bytes memory_capacity{};             // per socket
  BytesPerSecond link_bandwidth{};     // raw, all links between two sockets, one direction
  Origin origin = Origin::datasheet;
  std::string from;
};

[[nodiscard]] std::vector<std::string> families();
// x86 family/model/stepping of CPUID -> microarchitecture family; "generic_x86" when unknown.
[[nodiscard]] std::string family_of_cpuid(std::string_view vendor, int family, int model, int stepping);
// Hypervisors report model numbers that are not their CPU's. The family that an x86 CPU must be of when it has matrix tiles
// (AMX) and `family` is one without; else `family`. Intel SDM vol. 1, 18 and 16: tiles came with Sapphire Rapids, AVX10
// with Granite Rapids.
[[nodiscard]] std::string family_by_features(std::string_view family, bool amx, bool avx10);
// The same as family_of_cpuid for Arm: implementer and part number of MIDR; "generic_arm" when unknown.
[[nodiscard]] std::string family_of_midr(int implementer, int part);

// InputError for an unknown family, or what check() refuses.
[[nodiscard]] Machine machine_from_datasheet(const Datasheet& sheet, const std::string& name);

// The family's link between two sockets and SMT gains, for a what-if that adds what the machine does not have.
// An unknown family counts as generic.
[[nodiscard]] Link prior_link(std::string_view family);
struct SmtPrior {
  int ways = 2;
  Value<double> gain_compute, gain_memory;
};
[[nodiscard]] SmtPrior prior_smt(std::string_view family);

}  // namespace corecast::hwmodels
