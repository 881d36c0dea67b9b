// This host: what the hardware is, and what the operating system grants of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hwmodels/machine.hpp"

namespace corecast::hwmodels {

// What the operating system lets this process use. Not the same as what the hardware has.
struct Grant {
  std::vector<int> online;                 // logical CPUs of the system that are on line
  std::vector<int> affinity;               // sched_getaffinity, the system's numbers
  std::optional<std::vector<int>> cpuset;  // cgroup cpuset.cpus.effective (v2) or cpuset.cpus (v1)
  std::optional<double> quota_cpus;        // smallest quota / period over all ancestors
  std::optional<Seconds> quota_period;
  std::string quota_file;               // the file that sets it
  std::optional<long long> pids_limit;  // smallest pids.max over all ancestors, and RLIMIT_NPROC
  std::optional<long long> pids_used;
  int cgroup_version = 0;  // 0 none found, 1, 2

  [[nodiscard]] std::vector<int> usable() const;  // online, in the mask and in the cpuset
  // CPUs that a thread count should not exceed: min(usable, max(1, floor(quota))).
  [[nodiscard]] int cpus() const;
  // Distinct physical cores in the usable mask; the quota is not part of it.
  int usable_cores = 1;
  // Threads that should not share a core: min(usable_cores, cpus()).
  [[nodiscard]] int cores() const;
  std::vector<std::string> warnings;  // files that were ignored, and why
  friend bool operator==(const Grant&, const Grant&) = default;
};

// A logical CPU under the system's number, and where it sits in Host::machine.
struct HostCpu {
  int number = 0;
  Cpu place;
  friend bool operator==(const HostCpu&, const HostCpu&) = default;
};

struct Host {
  std::string cpu_name;  // as the processor calls itself; may be empty
  Machine machine;
  Grant grant;
  std::vector<HostCpu> cpus;          // by number; empty: the machine's own order (cpus_of) is taken
  std::vector<std::string> warnings;  // e.g. "the cache sizes the system reports are implausible: ..."
};

// Where the facts are read from; tests point it at recorded trees.
struct SystemRoot {
  std::filesystem::path root = "/";  // prefix of /proc and /sys
  bool live = true;                  // false: no hwloc of the running system, no sched_getaffinity, no cpuid
};

[[nodiscard]] Grant read_grant(const SystemRoot& root = {});
[[nodiscard]] Host detect_host();

// The machine restricted to what is granted: sockets and cores that the mask leaves. Quota is not part of it (it is
// time, not topology): the simulator takes it from the Grant.
//   cores per socket  the largest number any socket has left, when they differ (a warning says so)
//   SMT ways          usable CPUs over usable cores, rounded down: one way as soon as some core has one CPU only
//   caches, memory    a socket's stay whole; of NUMA domains left out, memory bandwidth and capacity go with them
//   link              gone when one socket is left
// Leaves out: what others run on the rest of a socket (its bandwidth, caches and turbo clock count as ours).
struct GrantedMachine {
  Machine machine;
  std::vector<std::string> warnings;
};
[[nodiscard]] GrantedMachine restrict_to_grant(const Host& host);
[[nodiscard]] Machine granted_machine(const Host& host);  // the same without the warnings

}  // namespace corecast::hwmodels
