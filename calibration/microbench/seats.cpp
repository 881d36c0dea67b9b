#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "calibration/microbench/team.hpp"

namespace corecast::calibration::microbench {
namespace {

using hwmodels::Host;
using hwmodels::HostCpu;
using hwmodels::Machine;

// A granted core with its granted hardware threads.
struct Core {
  int socket = 0, domain = 0, cluster = 0;
  std::vector<HostCpu> ways;
};

std::vector<HostCpu> known_cpus(const Host& host) {
  if (!host.cpus.empty()) return host.cpus;
  std::vector<HostCpu> cpus;
  for (const hwmodels::Cpu& place : cpus_of(host.machine)) {
    cpus.push_back({static_cast<int>(cpus.size()), place});
  }
  return cpus;
}

// CPUs that are granted but unknown to the topology (a container that hides it) count as cores of one cache.
std::vector<HostCpu> granted_cpus(const Host& host) {
  const std::vector<int> usable = host.grant.usable();
  std::vector<HostCpu> cpus = known_cpus(host);
  std::erase_if(cpus, [&](const HostCpu& cpu) {
    return !std::binary_search(usable.begin(), usable.end(), cpu.number);
  });
  if (!cpus.empty()) return cpus;
  for (const int number : usable) {
    cpus.push_back({number, {.core = static_cast<int>(cpus.size())}});
  }
  return cpus;
}

int cores_per_cluster(const Machine& machine) {
  const int per_socket = machine.cores_per_socket();
  if (machine.caches.empty()) return per_socket;
  const int shared = machine.caches.back().shared_by_cores;
  return shared > 0 ? std::min(shared, per_socket) : per_socket;
}

// In compact order: by socket, domain, cluster, core.
std::vector<Core> granted_cores(const Host& host) {
  std::map<int, std::set<int>> cores_of_socket;  // granted or not: clusters are counted along all of them
  for (const HostCpu& cpu : known_cpus(host)) cores_of_socket[cpu.place.socket].insert(cpu.place.core);
  const int sharing = cores_per_cluster(host.machine);
  std::map<std::tuple<int, int, int, int>, Core> cores;
  for (const HostCpu& cpu : granted_cpus(host)) {
    const std::set<int>& of_socket = cores_of_socket[cpu.place.socket];
    const auto rank = std::distance(of_socket.begin(), of_socket.lower_bound(cpu.place.core));
    const int cluster = static_cast<int>(rank) / sharing;
    Core& core = cores[{cpu.place.socket, cpu.place.domain, cluster, cpu.place.core}];
    core.socket = cpu.place.socket, core.domain = cpu.place.domain, core.cluster = cluster;
    core.ways.push_back(cpu);
  }
  std::vector<Core> ordered;
  for (auto& [key, core] : cores) {
    std::sort(core.ways.begin(), core.ways.end(), [](const HostCpu& a, const HostCpu& b) {
      return std::tie(a.place.way, a.number) < std::tie(b.place.way, b.number);
    });
    ordered.push_back(core);
  }
  return ordered;
}

// One of each list in turn, until all are empty.
std::vector<Core> interleaved(const std::map<int, std::vector<Core>>& lists) {
  std::vector<Core> result;
  bool more = true;
  for (std::size_t i = 0; more; ++i) {
    more = false;
    for (const auto& [key, list] : lists) {
      if (i >= list.size()) continue;
      result.push_back(list[i]);
      more = true;
    }
  }
  return result;
}

std::vector<Core> scattered(const std::vector<Core>& cores) {
  std::map<int, std::map<int, std::map<int, std::vector<Core>>>> tree;
  for (const Core& core : cores) tree[core.socket][core.domain][core.cluster].push_back(core);
  std::map<int, std::vector<Core>> sockets;
  for (const auto& [socket, domains_below] : tree) {
    std::map<int, std::vector<Core>> domains;
    for (const auto& [domain, clusters] : domains_below) domains[domain] = interleaved(clusters);
    sockets[socket] = interleaved(domains);
  }
  return interleaved(sockets);
}

Seats seats_on(const std::vector<Core>& cores, std::size_t count, int threads_per_core, Placement placement) {
  Seats seats;
  std::set<int> sockets;
  std::set<std::pair<int, int>> clusters;
  for (std::size_t i = 0; i < count; ++i) {
    const Core& core = cores[i];
    seats.cpus.insert(seats.cpus.end(), core.ways.begin(), core.ways.begin() + threads_per_core);
    sockets.insert(core.socket);
    clusters.insert({core.socket, core.cluster});
  }
  seats.cores = static_cast<int>(count);
  seats.sockets = static_cast<int>(sockets.size());
  seats.clusters = static_cast<int>(clusters.size());
  seats.threads_per_core = threads_per_core;
  seats.placement = placement;
  return seats;
}

// Both sides of the borders after `size`, 2 `size` ... cores: of all when they are few, else of the first.
void add_borders(std::set<int>& counts, int size, int most) {
  constexpr int kFew = 4;
  if (size <= 0) return;
  const int last = most / size <= kFew ? most / size : 1;
  for (int i = 1; i <= last; ++i) {
    counts.insert(i * size);
    counts.insert(i * size + 1);
  }
}

}  // namespace

std::vector<Seats> seats(const Host& host, Placement placement, int threads_per_core,
                         const std::vector<int>& thread_counts) {
  std::vector<Core> cores = granted_cores(host);
  std::erase_if(
      cores, [&](const Core& core) { return core.ways.size() < static_cast<std::size_t>(threads_per_core); });
  if (placement == Placement::scattered) cores = scattered(cores);
  std::vector<Seats> result;
  for (const int threads : thread_counts) {
    if (threads < 1 || threads_per_core < 1 || threads % threads_per_core != 0) continue;
    const auto count = static_cast<std::size_t>(threads / threads_per_core);
    if (count <= cores.size()) result.push_back(seats_on(cores, count, threads_per_core, placement));
  }
  return result;
}

Seats seats_of_domain(const Host& host, int domain, int most) {
  std::vector<Core> cores = granted_cores(host);
  std::erase_if(cores, [&](const Core& core) { return core.domain != domain; });
  if (cores.empty() || most < 1) return {};
  return seats_on(cores, std::min(cores.size(), static_cast<std::size_t>(most)), 1, Placement::compact);
}

std::vector<int> thread_counts(const Machine& machine, int most) {
  std::set<int> counts{1, most};
  for (int power = 2; power <= most; power *= 2) {
    counts.insert(power);
    counts.insert(power + power / 2);
  }
  add_borders(counts, cores_per_cluster(machine), most);
  add_borders(counts, machine.cores_per_socket() / machine.domains_per_socket, most);
  add_borders(counts, machine.cores_per_socket(), most);
  std::erase_if(counts, [&](int count) { return count > most || count < 1; });
  return {counts.begin(), counts.end()};
}

}  // namespace corecast::calibration::microbench
