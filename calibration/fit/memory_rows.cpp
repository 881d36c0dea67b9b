// Rows of the groups bandwidth and latency whose working set lies in main memory, at home or at another
// socket.
//
//   read         team_memory_bandwidth, remote_bandwidth of closed_forms.hpp
//   other        the same curve with b1 times bandwidth_factor.KERNEL.one_core, and B_sat, B_cluster times
//                bandwidth_factor.KERNEL: one core and a full socket have different limits
//   first_touch  memory.page_fault, one thread
//   chase        memory.latency, link.latency
#include "calibration/fit/closed_forms.hpp"
#include "calibration/fit/levels.hpp"
#include "calibration/fit/machine_values.hpp"
#include "calibration/fit/row_model.hpp"

namespace corecast::calibration {
namespace {

using hwmodels::Machine;

RowModel one_value(std::string group, std::string path) {
  return make_row_model(std::move(group), {std::move(path)},
                        []<typename T>(std::span<const T> p) { return p[0]; });
}

// Where a row's values stand among its paths; 0 = it has none (the first path is never optional).
struct Places {
  std::size_t cluster = 0, gain = 0, factor = 0, factor_one = 0, link = 0;
};

template <typename T>
MemoryParameters<T> parameters(std::span<const T> p, const Places& at) {
  MemoryParameters<T> values{p[0], p[1], p[2], std::nullopt, T(1.0)};
  if (at.cluster != 0) values.cluster = p[at.cluster];
  if (at.gain != 0) values.gain = p[at.gain];
  if (at.factor != 0) {
    values.saturated *= p[at.factor];
    if (values.cluster) *values.cluster *= p[at.factor];
    values.one_core *= p[at.factor_one];
  }
  return values;
}

// Between domains of one socket there is no link; without domains, another socket is meant.
bool crosses_sockets(const Machine& machine, const Row& row) {
  if (!machine.link || machine.sockets < 2) return false;
  if (!row.cpu_domain || !row.memory_domain) return true;
  return *row.cpu_domain / machine.domains_per_socket != *row.memory_domain / machine.domains_per_socket;
}

std::optional<RowModel> bandwidth_model(const Machine& machine, const Row& row, const Layout& layout) {
  const bool remote = row.placement == Placement::remote;
  if (remote && (!crosses_sockets(machine, row) || row.kernel != "read" || layout.sockets.size() > 1)) {
    return std::nullopt;
  }
  if (row.threads_per_core > 1 && row.threads_per_core != machine.groups.front().smt) return std::nullopt;
  std::vector<std::string> paths{"memory.core_bandwidth", "memory.bandwidth", "memory.saturation_shape"};
  Places at;
  const auto place = [&](const std::string& path) {
    paths.push_back(path);
    return paths.size() - 1;
  };
  if (machine.memory.cluster_bandwidth && !remote) at.cluster = place("memory.cluster_bandwidth");
  if (row.threads_per_core > 1) at.gain = place("smt_gain.memory");
  if (row.kernel != "read") {
    at.factor = place("bandwidth_factor." + row.kernel);
    at.factor_one = place("bandwidth_factor." + row.kernel + ".one_core");
  }
  if (!remote) {
    return make_row_model(
        "bandwidth memory " + row.kernel, std::move(paths), [at, layout]<typename T>(std::span<const T> p) {
          return team_memory_bandwidth(layout.domains, layout.domains_per_socket, parameters(p, at));
        });
  }
  at.link = place("link.bandwidth");
  place("memory.latency");
  place("link.latency");
  return make_row_model("bandwidth remote " + row.kernel, std::move(paths),
                        [at, layout]<typename T>(std::span<const T> p) {
                          return remote_bandwidth(layout.cores, layout.domains_per_socket, parameters(p, at),
                                                  p[at.link], p[at.link + 1], p[at.link + 2]);
                        });
}

}  // namespace

std::optional<RowModel> memory_row_model(const Machine& machine, const Row& row) {
  if (row.kernel == "first_touch") {
    if (row.threads != 1 || row.unit != Unit::seconds) return std::nullopt;
    return one_value("bandwidth first_touch", "memory.page_fault");
  }
  const Layout layout = layout_of(machine, row);
  if (level_well_inside(machine, layout, row.working_set) != machine.caches.size()) return std::nullopt;
  if (row.group == Group::latency) {
    if (row.kernel != "chase" || row.threads != 1 || row.unit != Unit::seconds) return std::nullopt;
    if (row.placement != Placement::remote) return one_value("latency memory chase", "memory.latency");
    if (!crosses_sockets(machine, row)) return std::nullopt;
    return one_value("latency remote chase", "link.latency");
  }
  if (row.unit != Unit::bytes_per_second) return std::nullopt;
  return bandwidth_model(machine, row, layout);
}

}  // namespace corecast::calibration
