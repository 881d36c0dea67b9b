#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "hwmodels/host.hpp"

namespace corecast::hwmodels {
namespace {

// The machine's own numbering, for a host whose CPUs were not listed.
std::vector<HostCpu> all_cpus(const Host& host) {
  if (!host.cpus.empty()) return host.cpus;
  std::vector<HostCpu> cpus;
  for (const Cpu& place : cpus_of(host.machine)) cpus.push_back({static_cast<int>(cpus.size()), place});
  return cpus;
}

std::vector<HostCpu> granted_cpus(const Host& host) {
  const std::vector<int> usable = host.grant.usable();
  std::vector<HostCpu> cpus = all_cpus(host);
  std::erase_if(cpus, [&](const HostCpu& cpu) {
    return !std::binary_search(usable.begin(), usable.end(), cpu.number);
  });
  return cpus;
}

// Cores of a group left on each socket.
std::map<int, std::set<int>> cores_by_socket(const std::vector<HostCpu>& cpus, std::size_t group) {
  std::map<int, std::set<int>> cores;
  for (const HostCpu& cpu : cpus) {
    if (cpu.place.group == static_cast<int>(group)) cores[cpu.place.socket].insert(cpu.place.core);
  }
  return cores;
}

void restrict_group(CoreGroup& group, std::size_t index, const std::vector<HostCpu>& cpus, int sockets,
                    std::vector<std::string>& warnings) {
  const auto cores = cores_by_socket(cpus, index);
  std::size_t most = 0;
  std::size_t total = 0;
  for (const auto& [socket, set] : cores) {
    most = std::max(most, set.size());
    total += set.size();
  }
  if (total < most * static_cast<std::size_t>(sockets)) {
    warnings.push_back(
        fmt::format("the granted CPUs are spread unevenly: {} cores on {} sockets, {} each are assumed",
                    total, sockets, most));
  }
  const auto n_cpus =
      static_cast<std::size_t>(std::count_if(cpus.begin(), cpus.end(), [&](const HostCpu& cpu) {
        return cpu.place.group == static_cast<int>(index);
      }));
  if (total > 0 && n_cpus % total != 0) {
    warnings.push_back(fmt::format(
        "some granted cores have fewer hardware threads than others: {} each are assumed", n_cpus / total));
  }
  group.cores_per_socket = static_cast<int>(most);
  group.smt = total == 0 ? 1 : std::clamp(static_cast<int>(n_cpus / total), 1, group.smt);
  for (Value<double>* gain : {&group.smt_gain_compute, &group.smt_gain_memory}) {
    gain->value = group.smt == 1 ? 1.0 : std::min(gain->value, static_cast<double>(group.smt));
  }
}

// Granted cores that share one instance: neighbours in number share, as in cpus_of.
int cores_sharing(const CacheLevel& cache, const Host& host, const std::vector<HostCpu>& granted) {
  std::map<int, std::set<int>> cores_of_socket;
  for (const HostCpu& cpu : all_cpus(host)) cores_of_socket[cpu.place.socket].insert(cpu.place.core);
  std::map<std::pair<int, int>, std::set<int>> in_instance;
  for (const HostCpu& cpu : granted) {
    const std::set<int>& cores = cores_of_socket[cpu.place.socket];
    const auto rank = static_cast<int>(std::distance(cores.begin(), cores.find(cpu.place.core)));
    in_instance[{cpu.place.socket, rank / cache.shared_by_cores}].insert(cpu.place.core);
  }
  std::size_t most = 1;
  for (const auto& [instance, cores] : in_instance) most = std::max(most, cores.size());
  return static_cast<int>(most);
}

void restrict_domains(Machine& machine, const std::vector<HostCpu>& cpus,
                      std::vector<std::string>& warnings) {
  std::map<int, std::set<int>> domains;
  for (const HostCpu& cpu : cpus) domains[cpu.place.socket].insert(cpu.place.domain);
  std::size_t most = 1;
  for (const auto& [socket, set] : domains) most = std::max(most, set.size());
  const int left = std::min(static_cast<int>(most), machine.domains_per_socket);
  if (left == machine.domains_per_socket) return;
  // Memory is local to the domain of the thread that touches it first.
  const double share = static_cast<double>(left) / machine.domains_per_socket;
  const std::string note = fmt::format("{} of {} NUMA domains", left, machine.domains_per_socket);
  machine.memory.bandwidth.value *= share;
  machine.memory.bandwidth.from += (machine.memory.bandwidth.from.empty() ? "" : ", ") + note;
  if (machine.memory.capacity) machine.memory.capacity->value *= share;
  warnings.push_back(
      fmt::format("the granted CPUs are in {} of a socket: its memory bandwidth is cut to that", note));
  machine.domains_per_socket = left;
}

}  // namespace

GrantedMachine restrict_to_grant(const Host& host) {
  GrantedMachine result{host.machine, {}};
  Machine& machine = result.machine;
  const std::vector<HostCpu> cpus = granted_cpus(host);
  if (cpus.empty()) {
    result.warnings.emplace_back(
        "none of the granted CPUs is known to the topology: the whole machine is assumed");
    return result;
  }
  if (cpus.size() == all_cpus(host).size()) return result;

  std::set<int> sockets;
  for (const HostCpu& cpu : cpus) sockets.insert(cpu.place.socket);
  machine.sockets = static_cast<int>(sockets.size());
  if (machine.sockets == 1) machine.link.reset();
  for (std::size_t g = 0; g < machine.groups.size(); ++g) {
    restrict_group(machine.groups[g], g, cpus, machine.sockets, result.warnings);
  }
  std::erase_if(machine.groups, [](const CoreGroup& group) { return group.cores_per_socket == 0; });
  for (CacheLevel& cache : machine.caches) {
    if (cache.shared_by_cores > 1) cache.shared_by_cores = cores_sharing(cache, host, cpus);
  }
  restrict_domains(machine, cpus, result.warnings);
  machine.domains_per_socket = std::min(machine.domains_per_socket, machine.cores_per_socket());
  machine.description += fmt::format(", {} of {} CPUs granted", cpus.size(), all_cpus(host).size());
  check(machine, "the granted part of this host");
  return result;
}

Machine granted_machine(const Host& host) {
  return restrict_to_grant(host).machine;
}

}  // namespace corecast::hwmodels
