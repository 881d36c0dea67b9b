// Where the control groups of this process are: from /proc/self/cgroup and /proc/self/mountinfo to directories.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hwmodels/host.hpp"

namespace corecast::hwmodels {

// A line of /proc/self/cgroup, "4:cpu,cpuacct:/docker/1a2b"; version 2 has no controllers: "0::/user.slice".
struct CgroupMembership {
  std::vector<std::string> controllers;
  std::string path;
};
[[nodiscard]] std::vector<CgroupMembership> parse_cgroup_memberships(std::string_view text);

// A line of /proc/self/mountinfo of type cgroup or cgroup2.
struct CgroupMount {
  int version = 2;
  std::string root;                  // the part of the hierarchy that is mounted
  std::string point;                 // where
  std::vector<std::string> options;  // of the super block: version 1 names its controllers here
};
[[nodiscard]] std::vector<CgroupMount> parse_cgroup_mounts(std::string_view text);

// The process's place in one hierarchy.
struct CgroupPlace {
  int version = 2;
  std::vector<std::string> directories;  // the process's own first, then its ancestors up to the mount point
};

// Of the hierarchy that has `controller` under version 1, or of the version 2 one for an empty name. No directories when
// there is none. Inside a container the path may lie outside of what is mounted: then the mount point is the place, for
// a container runtime mounts the container's own group there.
[[nodiscard]] CgroupPlace cgroup_place(const SystemRoot& root, std::string_view controller);

}  // namespace corecast::hwmodels
