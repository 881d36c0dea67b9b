// What control groups limit: CPU time, CPUs and threads. Both versions, and both at once (hybrid).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hwmodels/host.hpp"

namespace corecast::hwmodels {

//   quota_cpus   min over the process's group and its ancestors of  quota / period;  "max" and -1: no limit
//                version 2: cpu.max "quota period"; version 1: cpu.cfs_quota_us, cpu.cfs_period_us  [us]
//   cpuset       version 2: cpuset.cpus.effective of the nearest group that has it; version 1: cpuset.effective_cpus,
//                else cpuset.cpus
//   pids_limit   min over the same groups of pids.max; pids_used is pids.current of the group that sets it, else the
//                process's own
// A file that does not read as it should is ignored, with a warning. Source: Linux, Documentation/admin-guide/cgroup-v2.rst
// and cgroup-v1/{cpusets,pids}.rst, scheduler/sched-bwc.rst.
struct CgroupLimits {
  int version = 0;  // of the hierarchy that holds the cpu controller; 0: no control groups found
  std::optional<double> quota_cpus;
  std::optional<Seconds> quota_period;
  std::string quota_file;
  std::optional<std::vector<int>> cpuset;
  std::optional<long long> pids_limit;
  std::optional<long long> pids_used;
  std::vector<std::string> warnings;
};

[[nodiscard]] CgroupLimits read_cgroup_limits(const SystemRoot& root);

}  // namespace corecast::hwmodels
