// Sockets, NUMA domains, cores, hardware threads and caches, from a loaded hwloc topology (the running system's, or a
// synthetic one: "pack:2 l3:1 core:4 pu:2").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hwmodels/host.hpp"

struct hwloc_topology;

namespace corecast::hwmodels {

struct TopologyGroup {
  std::string name = "core";
  int cores_per_socket = 1;
  int smt = 1;
  double relative_capacity = 1.0;  // of a core, to one of the first group; 1 where the system does not say
  friend bool operator==(const TopologyGroup&, const TopologyGroup&) = default;
};

struct TopologyCache {
  int level = 1;
  Bytes size;  // as reported, plausible or not
  int shared_by_cores = 1;
  friend bool operator==(const TopologyCache&, const TopologyCache&) = default;
};

// Cores are numbered by (socket, domain, group, hwloc's order), as cpus_of(machine) does. Where sockets, domains or cores
// are uneven, the largest count stands and a warning says so.
struct Topology {
  int sockets = 1;
  int domains_per_socket = 1;
  std::vector<TopologyGroup> groups;  // fast cores first
  std::vector<TopologyCache> caches;  // of the first group's cores: what most of them have; ascending levels
  std::optional<Bytes> memory_per_socket;
  std::vector<HostCpu> cpus;     // by number
  std::string source = "hwloc";  // with its version: "hwloc 2.9.0"
  std::vector<std::string> warnings;
};

// Leaves out: caches beyond level 4, instruction caches, memory without CPUs (CXL), and of the second kind of cores its
// caches.
[[nodiscard]] Topology read_topology(hwloc_topology* topology);
// The running system's. Throws std::runtime_error when hwloc cannot read it.
[[nodiscard]] Topology detect_topology();

}  // namespace corecast::hwmodels
