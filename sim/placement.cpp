#include "sim/placement.hpp"

#include <algorithm>
#include <cstdint>
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

std::size_t seat_index(bool smt, Placement placement) {
  return (smt ? 2U : 0U) + (placement == Placement::scatter ? 1U : 0U);
}

// What the instances of a setting do to every core; indexed by the core's number.
struct Occupation {
  std::vector<int> all;  // threads of all instances
  std::vector<int> own;  // of instance 0
  std::vector<int> socket, group;
  std::vector<int> instances_on_socket;
};

Occupation occupy(const Machine& machine, std::span<const Cpu> cpus, std::size_t used, std::size_t threads) {
  const auto cores = static_cast<std::size_t>(machine.cores());
  const auto sockets = static_cast<std::size_t>(machine.sockets);
  Occupation o;
  o.all.assign(cores, 0);
  o.own.assign(cores, 0);
  o.socket.assign(cores, 0);
  o.group.assign(cores, 0);
  o.instances_on_socket.assign(sockets, 0);
  std::vector<std::size_t> last_instance(sockets, used);  // instances come in order: a new one differs
  for (std::size_t i = 0; i < used; ++i) {
    const auto core = static_cast<std::size_t>(cpus[i].core);
    const auto socket = static_cast<std::size_t>(cpus[i].socket);
    ++o.all[core];
    if (i < threads) ++o.own[core];
    o.socket[core] = cpus[i].socket;
    o.group[core] = cpus[i].group;
    const std::size_t instance = i / threads;
    if (last_instance[socket] != instance) {
      last_instance[socket] = instance;
      ++o.instances_on_socket[socket];
    }
  }
  return o;
}

ThreadPlacement place(const Machine& machine, std::span<const Cpu> cpus, const Setting& setting,
                      int threads) {
  CORECAST_CHECK(threads >= 1 && setting.instances >= 1, "threads={} instances={}", threads,
                 setting.instances);
  const auto each = static_cast<std::size_t>(threads);
  // Stacked instances sit where the first one sits, and take turns there.
  const std::size_t seated =
      setting.pinning == Pinning::stacked ? 1 : static_cast<std::size_t>(setting.instances);
  const std::size_t used = std::min(each * seated, cpus.size());
  const Occupation o = occupy(machine, cpus, used, each);
  std::vector<double> speeds;  // by group
  for (const CoreGroup& group : machine.groups) speeds.push_back(group_speed(group));

  ThreadPlacement placement;
  placement.threads = threads;
  placement.on_cpus = static_cast<int>(std::min(each, used));
  std::vector<SocketShare> shares(static_cast<std::size_t>(machine.sockets));
  for (int i = 0; i < placement.on_cpus; ++i)
    ++shares[static_cast<std::size_t>(cpus[static_cast<std::size_t>(i)].socket)].threads;
  double slowest = 0.0;
  for (std::size_t core = 0; core < o.all.size(); ++core) {
    const int all = o.all[core], own = o.own[core];
    if (own == 0) continue;
    const auto index = static_cast<std::size_t>(o.group[core]);
    const CoreGroup& group = machine.groups[index];
    const double compute = gain_with(group.smt_gain_compute.value, all, group.smt) / all;
    SocketShare& share = shares[static_cast<std::size_t>(o.socket[core])];
    ++share.cores;
    share.streaming_cores += gain_with(group.smt_gain_memory.value, all, group.smt) * own / all;
    const double speed = speeds[index] * compute;
    if (slowest == 0.0 || speed < slowest) {
      slowest = speed;
      placement.slowest_speed = compute;
      placement.group = o.group[core];
    }
    placement.sibling_threads = std::max(placement.sibling_threads, all);
  }
  for (std::size_t core = 0; core < o.all.size(); ++core) {
    SocketShare& share = shares[static_cast<std::size_t>(o.socket[core])];
    if (o.all[core] == 0 || share.threads == 0) continue;
    const CoreGroup& group = machine.groups[static_cast<std::size_t>(o.group[core])];
    ++share.active_cores;
    share.all_streaming_cores += gain_with(group.smt_gain_memory.value, o.all[core], group.smt);
  }
  // Threads beyond the CPUs sit on the sockets in proportion.
  for (int extra = threads - placement.on_cpus, i = 0; extra > 0; --extra, ++i) {
    ++shares[static_cast<std::size_t>(cpus[static_cast<std::size_t>(i) % cpus.size()].socket)].threads;
  }
  for (std::size_t socket = 0; socket < shares.size(); ++socket) {
    if (shares[socket].threads == 0) continue;
    shares[socket].socket = static_cast<int>(socket);
    shares[socket].instances = o.instances_on_socket[socket];
    placement.sockets.push_back(shares[socket]);
  }
  return placement;
}

}  // namespace

std::vector<Cpu> cpu_order(const Machine& machine, bool smt, Placement placement) {
  std::vector<Cpu> cpus = hwmodels::cpus_of(machine);
  // Rank of a core within its socket, so that sockets can take turns.
  std::vector<int> seen(static_cast<std::size_t>(machine.sockets), 0);  // cores met so far, by socket
  std::vector<int> rank_in_socket(static_cast<std::size_t>(machine.cores()), 0);  // by core
  for (const Cpu& cpu : cpus) {
    if (cpu.way != 0) continue;
    rank_in_socket[static_cast<std::size_t>(cpu.core)] = seen[static_cast<std::size_t>(cpu.socket)]++;
  }
  const auto key = [&](const Cpu& cpu) {
    const int rank = rank_in_socket[static_cast<std::size_t>(cpu.core)];
    const int first = placement == Placement::compact ? cpu.socket : rank;
    const int second = placement == Placement::compact ? rank : cpu.socket;
    return smt ? std::tuple(first, second, cpu.way, 0) : std::tuple(cpu.way, first, second, 0);
  };
  // compact without SMT fills way 0 of the socket, then of the next; siblings only when all cores are taken.
  std::stable_sort(cpus.begin(), cpus.end(), [&](const Cpu& a, const Cpu& b) { return key(a) < key(b); });
  return cpus;
}

Seats::Seats(const Machine& machine) {
  for (const bool smt : {false, true}) {
    for (const Placement placement : {Placement::compact, Placement::scatter})
      orders_[seat_index(smt, placement)] = cpu_order(machine, smt, placement);
  }
}

std::span<const Cpu> Seats::order(bool smt, Placement placement) const {
  return orders_[seat_index(smt, placement)];
}

ThreadPlacement place_threads(const Machine& machine, const Setting& setting, int threads) {
  return place(machine, cpu_order(machine, setting.smt, setting.placement), setting, threads);
}

ThreadPlacement place_threads(const Machine& machine, const Seats& seats, const Setting& setting,
                              int threads) {
  return place(machine, seats.order(setting.smt, setting.placement), setting, threads);
}

bool shares_cores(const Machine& machine, const Setting& setting, int threads) {
  const std::int64_t all = std::int64_t{threads} * setting.instances;
  if (all < 2 || machine.max_smt() == 1) return false;
  if (all > machine.cores()) return true;
  if (!setting.smt) return false;
  if (machine.groups.size() == 1) return true;  // the first two are packed on one core
  const std::vector<Cpu> cpus = cpu_order(machine, true, setting.placement);
  for (std::size_t i = 0; i < static_cast<std::size_t>(all); ++i) {
    if (cpus[i].way > 0) return true;
  }
  return false;
}

}  // namespace corecast::sim
