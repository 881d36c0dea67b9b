#include "sim/placement.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.hpp"

namespace corecast::sim {
namespace {

using hwmodels::CoreGroup;
using hwmodels::Cpu;
using hwmodels::Machine;

// Throughput of a core with k of its smt hardware threads at work, over one: linear between 1 and the full
// gain.
double gain_with(double full_gain, int k, int smt) {
  return smt <= 1 ? 1.0 : 1.0 + (full_gain - 1.0) * static_cast<double>(k - 1) / static_cast<double>(smt - 1);
}

// Speed of one thread of `group` alone, to find the slowest kind: clock times fp32 peak.
double group_speed(const CoreGroup& group) {
  const auto peak = hwmodels::peak_for(group, DataType::fp32);
  return hwmodels::clock_at(group, peak.extension, 1.0).value() * peak.flop_per_cycle;
}

}  // namespace

std::vector<Cpu> cpu_order(const Machine& machine, bool smt, Placement placement) {
  std::vector<Cpu> cpus = hwmodels::cpus_of(machine);
  // Rank of a core within its socket, so that sockets can take turns.
  std::map<int, int> seen;            // cores met so far, by socket
  std::map<int, int> rank_in_socket;  // by core
  for (const Cpu& cpu : cpus) {
    if (cpu.way == 0) rank_in_socket[cpu.core] = seen[cpu.socket]++;
  }
  const auto key = [&](const Cpu& cpu) {
    const int rank = rank_in_socket[cpu.core];
    const int first = placement == Placement::compact ? cpu.socket : rank;
    const int second = placement == Placement::compact ? rank : cpu.socket;
    return smt ? std::tuple(first, second, cpu.way, 0) : std::tuple(cpu.way, first, second, 0);
  };
  // compact without SMT fills way 0 of the socket, then of the next; siblings only when all cores are taken.
  std::stable_sort(cpus.begin(), cpus.end(), [&](const Cpu& a, const Cpu& b) { return key(a) < key(b); });
  return cpus;
}

ThreadPlacement place_threads(const Machine& machine, const Setting& setting, int threads) {
  CORECAST_CHECK(threads >= 1 && setting.instances >= 1, "threads={} instances={}", threads,
                 setting.instances);
  const std::vector<Cpu> cpus = cpu_order(machine, setting.smt, setting.placement);
  const auto wanted = static_cast<std::size_t>(threads) * static_cast<std::size_t>(setting.instances);
  const std::size_t used = std::min(wanted, cpus.size());

  std::map<int, int> threads_on_core;                    // all instances
  std::map<int, std::map<std::size_t, bool>> on_socket;  // instances by socket
  std::map<int, int> socket_of_core, group_of_core;
  for (std::size_t i = 0; i < used; ++i) {
    ++threads_on_core[cpus[i].core];
    on_socket[cpus[i].socket][i / static_cast<std::size_t>(threads)] = true;
    socket_of_core[cpus[i].core] = cpus[i].socket;
    group_of_core[cpus[i].core] = cpus[i].group;
  }

  ThreadPlacement placement;
  placement.threads = threads;
  placement.on_cpus = static_cast<int>(std::min(static_cast<std::size_t>(threads), used));
  std::map<int, SocketShare> shares;
  std::map<int, int> own_on_core;
  for (int i = 0; i < placement.on_cpus; ++i) {
    const Cpu& cpu = cpus[static_cast<std::size_t>(i)];
    ++own_on_core[cpu.core];
    ++shares[cpu.socket].threads;
  }
  double slowest = 0.0;
  for (const auto& [core, own] : own_on_core) {
    const CoreGroup& group = machine.groups[static_cast<std::size_t>(group_of_core[core])];
    const int all = threads_on_core[core];
    const double compute = gain_with(group.smt_gain_compute.value, all, group.smt) / all;
    const double memory = gain_with(group.smt_gain_memory.value, all, group.smt) * own / all;
    SocketShare& share = shares[socket_of_core[core]];
    ++share.cores;
    share.streaming_cores += memory;
    const double speed = group_speed(group) * compute;
    if (slowest == 0.0 || speed < slowest) {
      slowest = speed;
      placement.slowest_speed = compute;
      placement.group = group_of_core[core];
    }
    placement.sibling_threads = std::max(placement.sibling_threads, all);
  }
  for (const auto& [core, all] : threads_on_core) {
    const auto share = shares.find(socket_of_core[core]);
    if (share == shares.end()) continue;
    const CoreGroup& group = machine.groups[static_cast<std::size_t>(group_of_core[core])];
    ++share->second.active_cores;
    share->second.all_streaming_cores += gain_with(group.smt_gain_memory.value, all, group.smt);
  }
  // Threads beyond the CPUs sit on the sockets in proportion.
  for (int extra = threads - placement.on_cpus, i = 0; extra > 0; --extra, ++i) {
    ++shares[cpus[static_cast<std::size_t>(i) % cpus.size()].socket].threads;
  }
  for (auto& [socket, share] : shares) {
    share.socket = socket;
    share.instances = static_cast<int>(on_socket[socket].size());
    placement.sockets.push_back(share);
  }
  return placement;
}

}  // namespace corecast::sim
