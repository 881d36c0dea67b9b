#include "hwmodels/host_machine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "hwmodels/host_peaks.hpp"
#include "hwmodels/priors.hpp"
#include "hwmodels/size_text.hpp"

namespace corecast::hwmodels {
namespace {

constexpr double kMostTimesPrior = 4.0;
// No socket has more: what one shared by all cores can add up to, in shares of a core.
constexpr double kMostCoresOfSocket = 128.0;

std::string family_of(const CpuInfo& cpu, const CpuFeatures& features, std::vector<std::string>& warnings) {
  const bool arm = cpu.implementer >= 0;
  const std::string family = arm ? family_of_midr(cpu.implementer, cpu.part)
                                 : family_of_cpuid(cpu.vendor, cpu.family, cpu.model, cpu.stepping);
  const bool amx = std::find(features.extensions.begin(), features.extensions.end(), Extension::amx) !=
                   features.extensions.end();
  if (const std::string better = family_by_features(family, amx, features.avx10); better != family) {
    warnings.push_back(
        fmt::format("CPU model {} stands for {}, which has no AMX, but this CPU has: figures of {} are taken",
                    cpu.model, family, better));
    return better;
  }
  if (!family.starts_with("generic")) return family;
  const std::string who =
      arm ? fmt::format("implementer {:#x}, part {:#x}", cpu.implementer, std::max(cpu.part, 0))
          : fmt::format("{}, family {}, model {}", quote(cpu.vendor), cpu.family, cpu.model);
  warnings.push_back(
      fmt::format("unknown CPU ({}): figures of an average one are taken; \"corecast calibrate\" measures "
                  "them",
                  who));
  return family;
}

double cores_sharing(const CacheLevel& cache, int cores_per_socket) {
  return cache.shared_by_cores == 0 ? cores_per_socket : cache.shared_by_cores;
}

bool believable(const TopologyCache& seen, const CacheLevel& prior, int cores_per_socket) {
  const double size = seen.size.value();
  const double share = prior.size.value.value() / cores_sharing(prior, cores_per_socket);
  if (seen.level < 3) {
    return size <= kMostTimesPrior * prior.size.value.value() &&
           size * kMostTimesPrior >= prior.size.value.value();
  }
  if (size / seen.shared_by_cores <= kMostTimesPrior * share) return true;
  // A cluster's cache is as large for one of its cores as for all; a socket's grows with its cores.
  const double most =
      prior.shared_by_cores == 0 ? kMostCoresOfSocket * share : kMostTimesPrior * prior.size.value.value();
  return size <= most;
}

const TopologyCache* seen_cache(const Topology& topology, int level) {
  const auto seen = std::find_if(topology.caches.begin(), topology.caches.end(),
                                 [&](const TopologyCache& cache) { return cache.level == level; });
  return seen == topology.caches.end() ? nullptr : &*seen;
}

// The caches that detection is believed for, judged by the family's.
std::vector<TopologyCache> believable_caches(const Machine& prior, const Topology& topology,
                                             std::vector<std::string>& warnings) {
  std::vector<TopologyCache> caches;
  for (const CacheLevel& cache : prior.caches) {
    const std::string usual =
        fmt::format("{} has {}: that is assumed", prior.family, size_text(cache.size.value));
    const TopologyCache* seen = seen_cache(topology, cache.level);
    if (seen == nullptr) {
      warnings.push_back(fmt::format("the system does not report its L{} cache; {}", cache.level, usual));
    } else if (!believable(*seen, cache, prior.cores_per_socket())) {
      warnings.push_back(fmt::format("implausible cache size: the system reports {} of L{} for {} core{}; {}",
                                     size_text(seen->size), cache.level, seen->shared_by_cores,
                                     seen->shared_by_cores == 1 ? "" : "s", usual));
    } else {
      caches.push_back(*seen);
    }
  }
  return caches;
}

void fit_caches(Machine& machine, const std::vector<TopologyCache>& believed, const HostFacts& facts) {
  const int cores = machine.cores_per_socket();
  for (CacheLevel& cache : machine.caches) {
    for (const TopologyCache& seen : believed) {
      if (seen.level != cache.level) continue;
      // The neighbours of a virtual machine use the same last-level cache.
      const double error = cache.level >= 3 && is_virtual_machine(facts) ? 0.3 : 0.0;
      cache.size = {seen.size, error, Origin::detected, facts.topology.source};
      cache.shared_by_cores = seen.shared_by_cores;
    }
    // All cores of the socket are written as 0, so that a what-if that changes their number takes it along.
    const bool by_all = cache.shared_by_cores >= cores && (cache.level >= 3 || cores > 1);
    if (by_all) cache.shared_by_cores = 0;
  }
}

// Groups in the topology's numbers, with the prior's speeds. The prior knows one kind of core; of the second kind only
// that it is slower is known.
void fit_groups(Machine& machine, const Topology& topology) {
  const std::vector<CoreGroup> prior = machine.groups;
  machine.groups.clear();
  for (std::size_t g = 0; g < topology.groups.size(); ++g) {
    const TopologyGroup& seen = topology.groups[g];
    CoreGroup group = prior[std::min(g, prior.size() - 1)];
    group.name = seen.name;
    group.cores_per_socket = std::max(1, seen.cores_per_socket);
    group.smt = std::clamp(seen.smt, 1, 8);
    if (g >= prior.size()) {
      // An E core of Intel has vector units half as wide (Gracemont: 128 bits, Golden Cove: 256).
      const double slower = seen.relative_capacity < 1.0 ? seen.relative_capacity
                            : seen.name == "E"           ? 0.5
                                                         : 1.0;
      for (Peak& peak : group.peaks) {
        peak.flop_per_cycle.value *= slower;
        peak.flop_per_cycle.relative_error = std::max(peak.flop_per_cycle.relative_error, 0.3);
        peak.flop_per_cycle.from = fmt::format("guess: {:.2f} of the first kind of core", slower);
      }
    }
    for (Value<double>* gain : {&group.smt_gain_compute, &group.smt_gain_memory}) {
      gain->value = group.smt == 1 ? 1.0 : std::clamp(gain->value, 0.5, static_cast<double>(group.smt));
    }
    machine.groups.push_back(std::move(group));
  }
}

std::string described(const HostFacts& facts, const Machine& machine) {
  std::string text = facts.cpu.model_name.empty() ? machine.family : facts.cpu.model_name;
  text += fmt::format(", {} socket{} x {} core{}", machine.sockets, machine.sockets == 1 ? "" : "s",
                      machine.cores_per_socket(), machine.cores_per_socket() == 1 ? "" : "s");
  if (machine.max_smt() > 1) text += fmt::format(" x {} threads", machine.max_smt());
  return text + (is_virtual_machine(facts) ? ", virtual machine" : "");
}

Datasheet sheet_of(const HostFacts& facts, const std::string& family) {
  const Topology& topology = facts.topology;
  Datasheet sheet;
  sheet.family = family;
  sheet.sockets = topology.sockets;
  sheet.cores_per_socket = 0;
  for (const TopologyGroup& group : topology.groups) {
    sheet.cores_per_socket += std::max(1, group.cores_per_socket);
    sheet.smt = std::max(sheet.smt, std::clamp(group.smt, 1, 8));
  }
  sheet.domains_per_socket = std::min(topology.domains_per_socket, sheet.cores_per_socket);
  sheet.origin = Origin::detected;
  sheet.from = facts.topology.source;
  return sheet;
}

// A turbo clock that was read, else the family's, never below the base clock. The base clock is no guide to the turbo
// clock: within a family it moves a lot, the turbo hardly. Base and turbo in GHz, family's typical turbo last:
//   8175M 2.5, 3.5, 3.7    8375C 2.9, 3.5, 3.5    8488C 2.4, 3.8, 3.8    7R32 2.8, 3.3, 3.35    9R14 2.6, 3.7, 3.7
void take_clock(Datasheet& sheet, const HostFacts& facts, const Machine& prior) {
  const auto base = base_clock(facts);
  auto turbo = turbo_clock(facts);
  const Hertz typical = clock_at(prior.groups.front(), Extension::scalar, 1.0);
  if (!turbo && base && base->clock > typical) turbo = base;
  if (!turbo) return;
  sheet.turbo_clock = turbo->clock;
  sheet.from = turbo->from;
}

}  // namespace

bool is_virtual_machine(const HostFacts& facts) {
  return facts.features.virtual_machine || facts.cpu.has_flag("hypervisor");
}

std::optional<ClockFact> base_clock(const HostFacts& facts) {
  if (!is_virtual_machine(facts)) {
    if (facts.features.base_clock) return ClockFact{*facts.features.base_clock, "CPUID leaf 0x16"};
    if (facts.driver_base_clock) return facts.driver_base_clock;
  }
  if (facts.cpu.clock_in_name) return ClockFact{*facts.cpu.clock_in_name, "/proc/cpuinfo, model name"};
  if (is_virtual_machine(facts) && facts.cpu.clock_now)
    return ClockFact{*facts.cpu.clock_now, "/proc/cpuinfo, cpu MHz"};
  return std::nullopt;
}

std::optional<ClockFact> turbo_clock(const HostFacts& facts) {
  if (is_virtual_machine(facts)) return std::nullopt;
  std::optional<ClockFact> turbo = facts.driver_top_clock;
  if (facts.features.turbo_clock) turbo = ClockFact{*facts.features.turbo_clock, "CPUID leaf 0x16"};
  const auto base = base_clock(facts);
  if (turbo && base && turbo->clock < base->clock) return std::nullopt;
  return turbo;
}

Host host_from_facts(const HostFacts& facts) {
  Host host;
  host.warnings = facts.topology.warnings;
  const std::string family = family_of(facts.cpu, facts.features, host.warnings);
  // Twice: the family's caches tell which of the reported ones to believe, and bandwidths follow from who shares them.
  Datasheet sheet = sheet_of(facts, family);
  const Machine prior = machine_from_datasheet(sheet, "host");
  const auto caches = believable_caches(prior, facts.topology, host.warnings);
  take_clock(sheet, facts, prior);
  for (const TopologyCache& cache : caches) {
    if (cache.level == 3) sheet.l3_shared_by_cores = cache.shared_by_cores;
  }
  host.machine = machine_from_datasheet(sheet, "host");
  Machine& machine = host.machine;
  machine.sockets = facts.topology.sockets;
  fit_groups(machine, facts.topology);
  machine.domains_per_socket = std::min(facts.topology.domains_per_socket, machine.cores_per_socket());
  fit_caches(machine, caches, facts);
  std::vector<std::string> repeated;  // the second kind of core would say the same again
  for (std::size_t g = 0; g < machine.groups.size(); ++g) {
    fit_extensions(machine.groups[g], facts.features.extensions, g == 0 ? host.warnings : repeated);
  }
  if (facts.topology.memory_per_socket) {
    machine.memory.capacity =
        Value<Bytes>{*facts.topology.memory_per_socket, 0.0, Origin::detected, facts.topology.source};
  }
  if (is_virtual_machine(facts)) {
    host.warnings.emplace_back(
        "virtual machine: SMT siblings, sockets, caches and clocks may be hidden; \"corecast calibrate\" "
        "measures what counts");
  }
  machine.description = described(facts, machine);
  host.cpu_name = facts.cpu.model_name;
  host.cpus = facts.topology.cpus;
  check(machine, "this host");
  return host;
}

}  // namespace corecast::hwmodels
