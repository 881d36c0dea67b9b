#include "hwmodels/topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/error.hpp"
#include "base/quantity_text.hpp"

namespace corecast::hwmodels {
namespace {

struct CoreSeen {
  int socket = 0;
  int domain = 0;  // within its socket
  int group = 0;
  hwloc_obj_t object = nullptr;
  std::vector<int> cpus;  // the system's numbers, first hardware thread first
};

std::vector<hwloc_obj_t> objects_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> objects;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr) objects.push_back(object);
  return objects;
}

// Position of the first object that holds `inner`, or 0.
int index_of_holder(const std::vector<hwloc_obj_t>& objects, hwloc_const_cpuset_t inner) {
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (hwloc_bitmap_isincluded(inner, objects[i]->cpuset) != 0) return static_cast<int>(i);
  }
  return 0;
}

// NUMA nodes that have CPUs, smallest first; of two with the same CPUs (memory on package beside DRAM) only one.
std::vector<hwloc_obj_t> numa_nodes(hwloc_topology_t topology) {
  std::vector<hwloc_obj_t> nodes;
  for (const hwloc_obj_t node : objects_of(topology, HWLOC_OBJ_NUMANODE)) {
    if (hwloc_bitmap_iszero(node->cpuset) != 0) continue;
    const bool known = std::any_of(nodes.begin(), nodes.end(), [&](hwloc_obj_t other) {
      return hwloc_bitmap_isequal(other->cpuset, node->cpuset) != 0;
    });
    if (!known) nodes.push_back(node);
  }
  std::stable_sort(nodes.begin(), nodes.end(), [](hwloc_obj_t a, hwloc_obj_t b) {
    return hwloc_bitmap_weight(a->cpuset) < hwloc_bitmap_weight(b->cpuset);
  });
  return nodes;
}

// Kinds of cores. hwloc also parts cores that merely turbo higher; only a kind of its own type or capacity is a group.
struct Kinds {
  std::vector<TopologyGroup> groups;  // fast first
  std::vector<int> group_of_hwloc_kind;
};

std::string attribute(unsigned count, const hwloc_info_s* infos, const char* name) {
  for (unsigned i = 0; i < count; ++i) {
    if (std::string(infos[i].name) == name) return infos[i].value;
  }
  return {};
}

std::string group_name(const std::string& type, std::size_t position) {
  if (type == "IntelCore") return "P";
  if (type == "IntelAtom") return "E";
  return position == 0 ? "core" : fmt::format("core{}", position + 1);
}

double capacity_of(const std::string& text) {
  try {
    return text.empty() ? 0.0 : parse_number(text, "a capacity");
  } catch (const InputError&) {
    return 0.0;
  }
}

Kinds kinds_of(hwloc_topology_t topology) {
  Kinds kinds;
  const int count = hwloc_cpukinds_get_nr(topology, 0);
  std::vector<std::string> keys;
  std::vector<double> capacities;
  kinds.group_of_hwloc_kind.assign(static_cast<std::size_t>(std::max(count, 0)), 0);
  for (int kind = count - 1; kind >= 0; --kind) {  // hwloc ranks them by rising performance
    unsigned n_infos = 0;
    hwloc_info_s* infos = nullptr;
    int efficiency = -1;
    if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), nullptr, &efficiency, &n_infos, &infos,
                                0) != 0) {
      continue;
    }
    const std::string type = attribute(n_infos, infos, "CoreType");
    const std::string capacity = attribute(n_infos, infos, "LinuxCapacity");
    const std::string key = fmt::format("{}/{}", type, capacity);
    auto found = std::find(keys.begin(), keys.end(), key);
    if (found == keys.end()) {
      TopologyGroup group;
      group.name = group_name(type, keys.size());
      const auto named = [&](const TopologyGroup& other) { return other.name == group.name; };
      if (std::any_of(kinds.groups.begin(), kinds.groups.end(), named))
        group.name += std::to_string(keys.size() + 1);
      kinds.groups.push_back(group);
      capacities.push_back(capacity_of(capacity));
      found = keys.insert(keys.end(), key);
    }
    kinds.group_of_hwloc_kind[static_cast<std::size_t>(kind)] = static_cast<int>(found - keys.begin());
  }
  if (kinds.groups.empty()) kinds.groups.emplace_back();
  if (kinds.groups.size() == 1) kinds.groups.front().name = "core";
  for (std::size_t i = 1; i < kinds.groups.size(); ++i) {
    if (capacities[i] > 0.0 && capacities[0] > 0.0)
      kinds.groups[i].relative_capacity = capacities[i] / capacities[0];
  }
  return kinds;
}

std::vector<int> cpus_under(hwloc_topology_t topology, hwloc_const_cpuset_t cpuset) {
  std::vector<int> cpus;
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_inside_cpuset_by_type(topology, cpuset, HWLOC_OBJ_PU, pu)) != nullptr) {
    cpus.push_back(static_cast<int>(pu->os_index));
  }
  return cpus;
}

// All cores, sorted as they are numbered; domains are numbered within their socket.
std::vector<CoreSeen> cores_of(hwloc_topology_t topology, const Kinds& kinds) {
  const auto sockets = objects_of(topology, HWLOC_OBJ_PACKAGE);
  const auto nodes = numa_nodes(topology);
  auto objects = objects_of(topology, HWLOC_OBJ_CORE);
  if (objects.empty()) objects = objects_of(topology, HWLOC_OBJ_PU);  // no cores reported: each CPU is one
  std::vector<CoreSeen> cores;
  std::map<int, std::map<int, int>> domain_in_socket;  // socket -> hwloc node -> 0, 1, ...
  for (const hwloc_obj_t object : objects) {
    CoreSeen core;
    core.object = object;
    core.socket = index_of_holder(sockets, object->cpuset);
    auto& domains = domain_in_socket[core.socket];
    core.domain = domains.emplace(index_of_holder(nodes, object->cpuset), static_cast<int>(domains.size()))
                      .first->second;
    const int kind = hwloc_cpukinds_get_by_cpuset(topology, object->cpuset, 0);
    if (kind >= 0) core.group = kinds.group_of_hwloc_kind[static_cast<std::size_t>(kind)];
    core.cpus = cpus_under(topology, object->cpuset);
    if (!core.cpus.empty()) cores.push_back(std::move(core));
  }
  std::stable_sort(cores.begin(), cores.end(), [](const CoreSeen& a, const CoreSeen& b) {
    return std::tie(a.socket, a.domain, a.group) < std::tie(b.socket, b.domain, b.group);
  });
  return cores;
}

// The largest number of cores that share a key; says whether the keys differ.
struct Most {
  int count = 0;
  bool uneven = false;
};
template <typename Key>
Most most_of(const std::map<Key, int>& counts, int keys_expected) {
  Most most;
  for (const auto& [key, count] : counts) most.count = std::max(most.count, count);
  for (const auto& [key, count] : counts) most.uneven = most.uneven || count != most.count;
  most.uneven = most.uneven || static_cast<int>(counts.size()) != keys_expected;
  return most;
}

// A kind whose cores are all off line is not a group.
void drop_empty_groups(Topology& result, std::vector<CoreSeen>& cores) {
  for (std::size_t g = result.groups.size(); g-- > 0 && result.groups.size() > 1;) {
    const auto in_group = [&](const CoreSeen& core) { return core.group == static_cast<int>(g); };
    if (std::any_of(cores.begin(), cores.end(), in_group)) continue;
    result.groups.erase(result.groups.begin() + static_cast<std::ptrdiff_t>(g));
    for (CoreSeen& core : cores) core.group -= core.group > static_cast<int>(g) ? 1 : 0;
  }
}

void count_cores(Topology& result, const std::vector<CoreSeen>& cores) {
  std::map<int, std::set<int>> domains;
  for (const CoreSeen& core : cores) domains[core.socket].insert(core.domain);
  result.sockets = std::max(1, static_cast<int>(domains.size()));
  std::map<int, int> domains_of_socket;
  for (const auto& [socket, set] : domains) domains_of_socket[socket] = static_cast<int>(set.size());
  const Most most_domains = most_of(domains_of_socket, result.sockets);
  result.domains_per_socket = std::max(1, most_domains.count);
  if (most_domains.uneven) {
    result.warnings.push_back(
        fmt::format("sockets differ in NUMA domains: {} each are assumed", result.domains_per_socket));
  }
  for (std::size_t g = 0; g < result.groups.size(); ++g) {
    std::map<int, int> per_socket;
    TopologyGroup& group = result.groups[g];
    for (const CoreSeen& core : cores) {
      if (core.group != static_cast<int>(g)) continue;
      ++per_socket[core.socket];
      group.smt = std::max(group.smt, static_cast<int>(core.cpus.size()));
    }
    const Most most = most_of(per_socket, result.sockets);
    group.cores_per_socket = most.count;
    if (most.uneven && most.count > 0) {
      result.warnings.push_back(fmt::format("sockets differ in cores: {} each are assumed", most.count));
    }
  }
}

// What most cores of the first group have at `type`; of two as common, the larger.
std::optional<TopologyCache> cache_at(hwloc_topology_t topology, hwloc_obj_type_t type, int level,
                                      const std::vector<CoreSeen>& cores) {
  std::map<std::pair<std::uint64_t, int>, int> seen;
  for (const CoreSeen& core : cores) {
    if (core.group != 0) continue;
    const hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(topology, type, core.object);
    if (cache == nullptr || cache->attr->cache.size == 0) continue;
    const auto sharing = std::count_if(cores.begin(), cores.end(), [&](const CoreSeen& other) {
      return hwloc_bitmap_isincluded(other.object->cpuset, cache->cpuset) != 0;
    });
    ++seen[{cache->attr->cache.size, static_cast<int>(sharing)}];
  }
  if (seen.empty()) return std::nullopt;
  const auto most = std::max_element(seen.begin(), seen.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second, a.first) < std::tie(b.second, b.first);
  });
  return TopologyCache{level, Bytes(static_cast<double>(most->first.first)), most->first.second};
}

}  // namespace

Topology read_topology(hwloc_topology* topology) {
  Topology result;
  const Kinds kinds = kinds_of(topology);
  result.groups = kinds.groups;
  std::vector<CoreSeen> cores = cores_of(topology, kinds);
  drop_empty_groups(result, cores);
  count_cores(result, cores);

  for (std::size_t i = 0; i < cores.size(); ++i) {
    const CoreSeen& core = cores[i];
    for (std::size_t way = 0; way < core.cpus.size(); ++way) {
      result.cpus.push_back({.number = core.cpus[way],
                             .place = {.socket = core.socket,
                                       .domain = core.socket * result.domains_per_socket + core.domain,
                                       .group = core.group,
                                       .core = static_cast<int>(i),
                                       .way = static_cast<int>(way)}});
    }
  }
  std::sort(result.cpus.begin(), result.cpus.end(),
            [](const HostCpu& a, const HostCpu& b) { return a.number < b.number; });

  constexpr std::array<std::pair<hwloc_obj_type_t, int>, 4> kLevels{
      {{HWLOC_OBJ_L1CACHE, 1}, {HWLOC_OBJ_L2CACHE, 2}, {HWLOC_OBJ_L3CACHE, 3}, {HWLOC_OBJ_L4CACHE, 4}}};
  for (const auto& [type, level] : kLevels) {
    if (const auto cache = cache_at(topology, type, level, cores)) result.caches.push_back(*cache);
  }
  const hwloc_obj_t root = hwloc_get_root_obj(topology);
  // The interface's version lags behind the library's, which is noted in the topology.
  if (const char* version = hwloc_obj_get_info_by_name(root, "hwlocVersion"))
    result.source += std::string(" ") + version;
  const auto bytes = static_cast<double>(root->total_memory);
  if (bytes > 0.0) result.memory_per_socket = Bytes(bytes / result.sockets);
  return result;
}

Topology detect_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw std::runtime_error("hwloc cannot be initialised");
  const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> topology(raw,
                                                                                    &hwloc_topology_destroy);
  // The whole machine: what a cpuset takes away is part of the Grant, not of the hardware.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(raw) != 0)
    throw std::runtime_error("hwloc cannot read the topology of this system");
  return read_topology(raw);
}

}  // namespace corecast::hwmodels
