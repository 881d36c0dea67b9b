#include "hwmodels/machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "base/error.hpp"

namespace corecast::hwmodels {
namespace {

constexpr std::array<std::string_view, 5> kOriginNames{"measured", "fitted", "datasheet", "detected",
                                                       "prior"};

// From narrow to wide, for the fall-back of clock_at: bf16 and vnni are instructions of the AVX-512 width.
constexpr std::array<Extension, 9> kByWidth{Extension::scalar, Extension::sse,  Extension::neon,
                                            Extension::avx2,   Extension::sve,  Extension::avx512,
                                            Extension::vnni,   Extension::bf16, Extension::amx};

std::size_t width_rank(Extension extension) {
  return static_cast<std::size_t>(std::find(kByWidth.begin(), kByWidth.end(), extension) - kByWidth.begin());
}

bool has_points(const CoreGroup& group, Extension extension) {
  return std::any_of(group.clock.begin(), group.clock.end(),
                     [&](const ClockPoint& point) { return point.extension == extension; });
}

Extension extension_with_points(const CoreGroup& group, Extension wanted) {
  const std::size_t rank = width_rank(wanted);
  for (std::size_t i = rank + 1; i-- > 0;) {
    if (has_points(group, kByWidth[i])) return kByWidth[i];
  }
  for (std::size_t i = rank + 1; i < kByWidth.size(); ++i) {  // only wider ones: their clock is a lower bound
    if (has_points(group, kByWidth[i])) return kByWidth[i];
  }
  CORECAST_CHECK(false, "group {} has no clock point", group.name);
}

// Flop per cycle of `type` when the group lists no entry for it: how it then runs.
std::tuple<DataType, double> stands_in_for(DataType type) {
  if (type == DataType::fp64 || type == DataType::int64)
    return {DataType::fp32, 0.5};  // half as many in a vector
  return {DataType::fp32, 1.0};
}

std::optional<PeakChoice> best_peak(const CoreGroup& group, DataType type) {
  std::optional<PeakChoice> best;
  double best_rate = 0.0;
  for (const Peak& peak : group.peaks) {
    if (peak.type != type) continue;
    const double rate =
        peak.flop_per_cycle.value * clock_at(group, peak.extension, group.cores_per_socket).value();
    const bool wider = best && rate == best_rate && width_rank(peak.extension) > width_rank(best->extension);
    if (best && rate <= best_rate && !wider) continue;
    best = PeakChoice{peak.extension, peak.flop_per_cycle.value};
    best_rate = rate;
  }
  return best;
}

}  // namespace

std::string_view name_of(Origin origin) {
  return kOriginNames[static_cast<std::size_t>(origin)];
}

std::optional<Origin> origin_named(std::string_view name) {
  const auto found = std::find(kOriginNames.begin(), kOriginNames.end(), name);
  if (found == kOriginNames.end()) return std::nullopt;
  return static_cast<Origin>(found - kOriginNames.begin());
}

std::string_view name_of(Extension extension) {
  return kExtensionNames[static_cast<std::size_t>(extension)];
}

std::optional<Extension> extension_named(std::string_view name) {
  const auto found = std::find(kExtensionNames.begin(), kExtensionNames.end(), name);
  if (found == kExtensionNames.end()) return std::nullopt;
  return static_cast<Extension>(found - kExtensionNames.begin());
}

int Machine::cores_per_socket() const {
  int count = 0;
  for (const CoreGroup& group : groups) count += group.cores_per_socket;
  return count;
}

int Machine::cores() const {
  return sockets * cores_per_socket();
}

int Machine::logical_cpus() const {
  int count = 0;
  for (const CoreGroup& group : groups) count += group.cores_per_socket * group.smt;
  return sockets * count;
}

int Machine::max_smt() const {
  int most = 1;
  for (const CoreGroup& group : groups) most = std::max(most, group.smt);
  return most;
}

Hertz clock_at(const CoreGroup& group, Extension extension, double active_cores) {
  const Extension used = extension_with_points(group, extension);
  const ClockPoint* below = nullptr;  // the last point at or below active_cores
  const ClockPoint* above = nullptr;  // the first one beyond
  for (const ClockPoint& point : group.clock) {
    if (point.extension != used) continue;
    if (point.active_cores <= active_cores) {
      if (below == nullptr || point.active_cores > below->active_cores) below = &point;
    } else if (above == nullptr || point.active_cores < above->active_cores) {
      above = &point;
    }
  }
  if (below == nullptr) return above->clock.value;
  if (above == nullptr) return below->clock.value;
  const double fraction = (active_cores - below->active_cores) / (above->active_cores - below->active_cores);
  return below->clock.value + fraction * (above->clock.value - below->clock.value);
}

PeakChoice peak_for(const CoreGroup& group, DataType type) {
  if (const auto own = best_peak(group, type)) return *own;
  const auto [other, factor] = stands_in_for(type);
  auto stand_in = best_peak(group, other);
  CORECAST_CHECK(stand_in.has_value(), "group {} has no fp32 peak", group.name);
  stand_in->flop_per_cycle *= factor;
  return *stand_in;
}

std::vector<Cpu> cpus_of(const Machine& machine) {
  std::vector<Cpu> first_ways;
  first_ways.reserve(static_cast<std::size_t>(machine.cores()));
  for (int socket = 0; socket < machine.sockets; ++socket) {
    for (int domain = 0; domain < machine.domains_per_socket; ++domain) {
      for (std::size_t g = 0; g < machine.groups.size(); ++g) {
        // Core c of a group of n lies in domain floor(c d / n): as even as whole cores allow.
        const std::int64_t n = machine.groups[g].cores_per_socket;
        const std::int64_t d = machine.domains_per_socket;
        const std::int64_t count = ((domain + 1) * n + d - 1) / d - (domain * n + d - 1) / d;
        for (std::int64_t c = 0; c < count; ++c) {
          first_ways.push_back({.socket = socket,
                                .domain = socket * machine.domains_per_socket + domain,
                                .group = static_cast<int>(g),
                                .core = static_cast<int>(first_ways.size()),
                                .way = 0});
        }
      }
    }
  }
  std::vector<Cpu> cpus = first_ways;
  cpus.reserve(static_cast<std::size_t>(machine.logical_cpus()));
  for (int way = 1; way < machine.max_smt(); ++way) {
    for (Cpu cpu : first_ways) {
      if (way >= machine.groups[static_cast<std::size_t>(cpu.group)].smt) continue;
      cpu.way = way;
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

}  // namespace corecast::hwmodels
