#include "cli/cpu_numbers.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sim/placement.hpp"

namespace corecast::cli {
namespace {

using hwmodels::Cpu;
using hwmodels::HostCpu;

// Granted CPUs in the order of sim::cpu_order. The granted machine is even and numbered anew; the host's real
// CPUs may be neither, so they are put in order themselves.
std::vector<HostCpu> host_order(const hwmodels::Host& host, bool smt, sim::Placement placement) {
  const std::vector<int> usable = host.grant.usable();
  std::vector<HostCpu> cpus;
  for (const HostCpu& cpu : host.cpus) {
    if (std::binary_search(usable.begin(), usable.end(), cpu.number)) cpus.push_back(cpu);
  }
  // Ranks among what is granted: of a core in its socket, of a thread on its core.
  std::map<int, std::set<int>> cores;
  std::map<int, std::set<int>> ways;
  for (const HostCpu& cpu : cpus) {
    cores[cpu.place.socket].insert(cpu.place.core);
    ways[cpu.place.core].insert(cpu.place.way);
  }
  const auto rank = [](const std::set<int>& set, int value) {
    return static_cast<int>(std::distance(set.begin(), set.find(value)));
  };
  const auto key = [&](const HostCpu& cpu) {
    const int core = rank(cores[cpu.place.socket], cpu.place.core);
    const int way = rank(ways[cpu.place.core], cpu.place.way);
    const bool compact = placement == sim::Placement::compact;
    const int first = compact ? cpu.place.socket : core;
    const int second = compact ? core : cpu.place.socket;
    return smt ? std::tuple(first, second, way) : std::tuple(way, first, second);
  };
  std::stable_sort(cpus.begin(), cpus.end(),
                   [&](const HostCpu& a, const HostCpu& b) { return key(a) < key(b); });
  return cpus;
}

std::vector<HostCpu> usual_order(const hwmodels::Machine& machine, bool smt, sim::Placement placement) {
  const std::vector<Cpu> all = hwmodels::cpus_of(machine);  // the usual numbering is their position here
  std::map<std::pair<int, int>, int> number;
  for (std::size_t i = 0; i < all.size(); ++i) number[{all[i].core, all[i].way}] = static_cast<int>(i);
  std::vector<HostCpu> cpus;
  for (const Cpu& cpu : sim::cpu_order(machine, smt, placement))
    cpus.push_back({number[{cpu.core, cpu.way}], cpu});
  return cpus;
}

}  // namespace

std::vector<InstanceCpus> instance_cpus(const MachineInput& machine, const sim::Runtime& runtime,
                                        const sim::Setting& setting) {
  const bool known = machine.host && !machine.host->cpus.empty();
  const std::vector<HostCpu> order =
      known ? host_order(*machine.host, setting.smt, setting.placement)
            : usual_order(machine.target.machine, setting.smt, setting.placement);
  const auto threads = static_cast<std::size_t>(computing_threads(runtime, setting));
  const auto instances = static_cast<std::size_t>(setting.instances);
  if (threads > order.size() || instances > order.size() / threads) return {};
  std::vector<InstanceCpus> result(instances);
  for (std::size_t i = 0; i < instances; ++i) {
    std::set<int> domains;
    for (std::size_t k = i * threads; k < (i + 1) * threads; ++k) {
      result[i].cpus.push_back(order[k].number);
      domains.insert(order[k].place.domain);
    }
    std::sort(result[i].cpus.begin(), result[i].cpus.end());
    result[i].domains.assign(domains.begin(), domains.end());
  }
  return result;
}

}  // namespace corecast::cli
