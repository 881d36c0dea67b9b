#include "hwmodels/machine_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "hwmodels/cpu_list.hpp"
#include "hwmodels/size_text.hpp"
#include "hwmodels/text_columns.hpp"

namespace corecast::hwmodels {
namespace {

using Lines = std::vector<std::string>;
using Rows = std::vector<std::vector<std::string>>;

std::string counted(long long count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void append(Lines& lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

// --- the drawing: one box per thing that several cores share, the largest outside ---

struct Layer {
  int cores = 1;        // in one instance
  std::string one;      // "NUMA domain"
  std::string several;  // "NUMA domains", after the count
  Lines lines;          // what is said inside
};

std::string sharing_text(int cores, int cores_per_socket) {
  return cores == cores_per_socket ? fmt::format("shared by {}", counted(cores, "core"))
                                   : fmt::format("shared by {} each", counted(cores, "core"));
}

int cores_of(const CacheLevel& cache, int cores_per_socket) {
  return cache.shared_by_cores == 0 ? cores_per_socket : std::min(cache.shared_by_cores, cores_per_socket);
}

std::vector<Layer> layers_of(const Machine& machine) {
  const int cores = machine.cores_per_socket();
  std::string memory = "memory " + to_short_text(machine.memory.bandwidth.value);
  if (machine.memory.capacity) memory += ", " + size_text(machine.memory.capacity->value);
  if (machine.link) memory += ", link to another socket " + to_short_text(machine.link->bandwidth.value);
  std::vector<Layer> layers{{cores, "socket", "sockets", {memory}}};
  if (machine.domains_per_socket > 1) {
    const int n = (cores + machine.domains_per_socket - 1) / machine.domains_per_socket;
    layers.push_back({n, "NUMA domain", "NUMA domains", {}});
  }
  // Two kinds of cores seldom share in the same way: their caches are named in the lines of cores.
  if (machine.groups.size() == 1) {
    for (auto cache = machine.caches.rbegin(); cache != machine.caches.rend(); ++cache) {
      if (cache->shared_by_cores == 1) continue;
      const int n = cores_of(*cache, cores);
      const std::string text =
          fmt::format("L{} {}, {}", cache->level, size_text(cache->size.value), sharing_text(n, cores));
      layers.push_back({n, text, "x " + text, {}});
    }
  }
  std::stable_sort(layers.begin() + 1, layers.end(),
                   [](const Layer& a, const Layer& b) { return a.cores > b.cores; });
  return layers;
}

// "28 cores x 2 threads, each: L1 32 KiB, L2 1 MiB"
Lines core_lines(const Machine& machine, int cores) {
  const bool one_kind = machine.groups.size() == 1;
  Lines lines;
  for (const CoreGroup& group : machine.groups) {
    std::string text = one_kind ? counted(cores, "core")
                                : fmt::format("{} {}", group.name, counted(group.cores_per_socket, "core"));
    if (group.smt > 1) text += fmt::format(" x {} threads", group.smt);
    lines.push_back(std::move(text));
  }
  std::string caches;
  for (const CacheLevel& cache : machine.caches) {
    if (one_kind && cache.shared_by_cores != 1) continue;
    caches += fmt::format("{}L{} {}", caches.empty() ? "" : ", ", cache.level, size_text(cache.size.value));
    const int n = cores_of(cache, machine.cores_per_socket());
    if (n > 1) caches += fmt::format(" per {}", counted(n, "core"));
  }
  if (caches.empty()) return lines;
  if (one_kind) {
    lines.front() += (cores > 1 ? ", each: " : ": ") + caches;
  } else {
    lines.push_back("caches: " + caches);
  }
  return lines;
}

Lines drawn(const Machine& machine, const std::vector<Layer>& layers, std::size_t at, int instances,
            int width) {
  const Layer& layer = layers[at];
  Lines inside = layer.lines;
  if (at + 1 < layers.size()) {
    const int inner = layers[at + 1].cores;
    append(inside, drawn(machine, layers, at + 1, (layer.cores + inner - 1) / inner, width - 4));
  } else {
    append(inside, core_lines(machine, layer.cores));
  }
  const bool listed = layer.several.starts_with("x ");  // "4 x L3 ..." says "each" itself
  std::string title = layer.one;
  if (instances > 1) title = fmt::format("{} {}{}", instances, layer.several, listed ? "" : ", each");
  return boxed(title, inside, width);
}

// --- the table ---

std::string value_text(double value) {
  return fmt::format("{:.3g}", value);
}
std::string value_text(Bytes value) {
  return size_text(value);
}
template <typename Q>
std::string value_text(const Q& value) {
  return to_short_text(value);
}

// A prior's text opens with its family, which stands above the table: what follows is what matters.
std::string origin_text(Origin origin, const std::string& from) {
  if (origin != Origin::prior || !from.starts_with("prior of ")) return printable(from);
  const std::size_t colon = from.find(": ");
  return printable(colon == std::string::npos ? std::string_view(from).substr(9)
                                              : std::string_view(from).substr(colon + 2));
}

template <typename Q>
std::vector<std::string> row(std::string name, const Value<Q>& value, std::string_view unit = "") {
  // Below a percent, whole percents would read as no error at all.
  const double percent = 100.0 * value.relative_error;
  const std::string error = percent <= 0.0  ? "-"
                            : percent < 1.0 ? fmt::format("+-{:.1g} %", percent)
                                            : fmt::format("+-{:.0f} %", percent);
  return {std::move(name), value_text(value.value) + std::string(unit), error,
          std::string(name_of(value.origin)), origin_text(value.origin, value.from)};
}

// One extension's clock with the fewest and the most cores at work; all points are in the machine's file.
void add_clocks(Rows& rows, const std::string& prefix, const CoreGroup& group) {
  std::map<Extension, std::pair<const ClockPoint*, const ClockPoint*>> ends;
  for (const ClockPoint& point : group.clock) {
    auto& [first, last] = ends.try_emplace(point.extension, &point, &point).first->second;
    if (point.active_cores < first->active_cores) first = &point;
    if (point.active_cores > last->active_cores) last = &point;
  }
  for (const auto& [extension, range] : ends) {
    const std::string name = fmt::format("{}clock {}", prefix, name_of(extension));
    if (range.first == range.second) {
      rows.push_back(row(name, range.first->clock));
      continue;
    }
    for (const ClockPoint* point : {range.first, range.second}) {
      rows.push_back(row(fmt::format("{}, {}", name, counted(point->active_cores, "core")), point->clock));
    }
  }
}

void add_group(Rows& rows, const std::string& prefix, const CoreGroup& group) {
  add_clocks(rows, prefix, group);
  for (const Peak& peak : group.peaks) {
    rows.push_back(row(fmt::format("{}{} {}", prefix, name_of(peak.type), name_of(peak.extension)),
                       peak.flop_per_cycle, " flop/cycle"));
  }
  if (group.smt == 1) return;
  rows.push_back(row(prefix + "SMT gain, compute", group.smt_gain_compute, " x"));
  rows.push_back(row(prefix + "SMT gain, memory", group.smt_gain_memory, " x"));
}

Rows capacity_rows(const Machine& machine) {
  Rows rows{{"what", "value", "error", "origin", "from"}};
  for (const CoreGroup& group : machine.groups) {
    add_group(rows, machine.groups.size() == 1 ? "" : printable(group.name) + " ", group);
  }
  for (const CacheLevel& cache : machine.caches) {
    const std::string name = fmt::format("L{} ", cache.level);
    rows.push_back(row(name + "size", cache.size));
    rows.push_back(row(name + "bandwidth, core", cache.bandwidth_per_core));
    if (cache.bandwidth_per_instance)
      rows.push_back(row(name + "bandwidth, all", *cache.bandwidth_per_instance));
    if (cache.peer_bandwidth) rows.push_back(row(name + "bandwidth, peer's", *cache.peer_bandwidth));
    rows.push_back(row(name + "latency", cache.latency));
  }
  const Memory& memory = machine.memory;
  rows.push_back(row("memory bandwidth, core", memory.core_bandwidth));
  rows.push_back(row("memory bandwidth", memory.bandwidth));
  if (memory.cluster_bandwidth) rows.push_back(row("memory bandwidth, L3 group", *memory.cluster_bandwidth));
  rows.push_back(row("saturation shape", memory.saturation_shape));
  rows.push_back(row("memory latency", memory.latency));
  rows.push_back(row("page fault", memory.page_fault));
  if (memory.capacity) rows.push_back(row("memory capacity", *memory.capacity));
  if (machine.link) {
    rows.push_back(row("link bandwidth", machine.link->bandwidth));
    rows.push_back(row("link latency", machine.link->latency));
  }
  rows.push_back(row("barrier", machine.threads.barrier));
  rows.push_back(row("barrier, per doubling", machine.threads.barrier_per_doubling));
  rows.push_back(row("wake-up", machine.threads.wake_up));
  rows.push_back(row("time slice", machine.threads.time_slice));
  for (const LibraryKernel& kernel : machine.kernels) {
    rows.push_back(row(fmt::format("{} {} {}", printable(kernel.library), corecast::name_of(kernel.kernel),
                                   corecast::name_of(kernel.type)),
                       kernel.efficiency, " of peak"));
  }
  return rows;
}

// --- the grant ---

std::string quota_text(const Grant& grant) {
  if (!grant.quota_cpus) return "none";
  const std::string text =
      fmt::format("{:.4g} CPU{}", *grant.quota_cpus, *grant.quota_cpus == 1.0 ? "" : "s");
  return grant.quota_period ? text + ", in periods of " + to_short_text(*grant.quota_period) : text;
}

std::string pids_text(const Grant& grant) {
  const std::string used = grant.pids_used ? fmt::format(", {} in use", *grant.pids_used) : "";
  return (grant.pids_limit ? fmt::format("{} at most", *grant.pids_limit) : "no limit") + used;
}

Rows grant_rows(const Grant& grant) {
  const std::vector<int> usable = grant.usable();
  Rows rows{{"CPUs on line", cpu_list_text(grant.online)},
            {"affinity mask", cpu_list_text(grant.affinity)},
            {"cpuset", grant.cpuset ? cpu_list_text(*grant.cpuset) : "no restriction"},
            {"CPU quota", quota_text(grant)}};
  if (!grant.quota_file.empty()) rows.push_back({"quota set by", printable(grant.quota_file)});
  rows.push_back({"processes", pids_text(grant)});
  rows.push_back({"usable", fmt::format("{} on {}: {}", counted(static_cast<long long>(usable.size()), "CPU"),
                                        counted(grant.usable_cores, "core"), cpu_list_text(usable))});
  rows.push_back({"threads", fmt::format("{} at most, {} with a core each", grant.cpus(), grant.cores())});
  return rows;
}

std::string heading(const Machine& machine) {
  const std::string name = printable(machine.name);
  return machine.description.empty() ? name : name + ": " + printable(machine.description);
}

}  // namespace

std::string describe(const Machine& machine, const Grant* grant, int width) {
  width = std::max(width, 40);
  Lines lines{clipped(heading(machine), width)};
  lines.push_back(clipped(
      fmt::format("family {}, {}, {}, {}", printable(machine.family), counted(machine.sockets, "socket"),
                  counted(machine.cores(), "core"), counted(machine.logical_cpus(), "logical CPU")),
      width));
  if (machine.calibration) {
    lines.push_back(clipped(fmt::format("calibrated {}: {} rows, {}", printable(machine.calibration->date),
                                        machine.calibration->rows, printable(machine.calibration->source)),
                            width));
  }
  lines.emplace_back();
  append(lines, drawn(machine, layers_of(machine), 0, machine.sockets, width));
  lines.emplace_back();
  append(lines, aligned(capacity_rows(machine), width));
  if (grant != nullptr) {
    lines.emplace_back();
    lines.emplace_back("granted by the operating system");
    for (const std::string& line : aligned(grant_rows(*grant), width - 2)) lines.push_back("  " + line);
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace corecast::hwmodels
