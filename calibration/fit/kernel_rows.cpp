// Rows of group kernels: kernel_time of hwmodels with the machine's clocks and bandwidths as they are then
// known.
//
//   t = t_fork(n) + kernel_time(W, n units, n threads)
//     P     clock x flop per cycle, x SMT gain over its ways with several threads per core
//     eta   eta_inf m/(m + m_half) n/(n + n_half) k/(k + k_half), where the row says m, n, k
//     t_m   bytes / (bandwidth of n cores in the level that holds the working set) / memory efficiency
//     t_fork  fork_factor.LIBRARY.CLASS.TYPE barriers of the machine for n > 1
//
// The library is taken to split its work evenly (units = threads): what it does not is part of its
// efficiency. A published curve gives flop/s of the whole team: W over that is t.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "calibration/fit/closed_forms.hpp"
#include "calibration/fit/levels.hpp"
#include "calibration/fit/machine_values.hpp"
#include "calibration/fit/row_model.hpp"

namespace corecast::calibration {
namespace {

using hwmodels::Machine;

struct KernelWork {
  double m = 0.0, n = 0.0, k = 0.0;  // 0: not a matrix product
  Flops flops{};
  Bytes bytes{};
};

KernelWork work_of(const Row& row) {
  KernelWork work;
  const auto length = [&](const char* key) {
    const auto found = row.shape.find(key);
    return found == row.shape.end() ? 0.0 : static_cast<double>(found->second);
  };
  if (length("m") > 0.0 && length("n") > 0.0 && length("k") > 0.0) {
    work.m = length("m");
    work.n = length("n");
    work.k = length("k");
  }
  work.flops = row.flop;
  work.bytes = row.bytes;
  if (work.m > 0.0 && !(work.flops > Flops(0.0))) work.flops = Flops(2.0 * work.m * work.n * work.k);
  if (work.m > 0.0 && !(work.bytes > Bytes(0.0))) {
    const double elements = work.m * work.k + work.k * work.n + work.m * work.n;
    work.bytes = Bytes(elements * bytes_per_element(row.type.value_or(DataType::fp32)));
  }
  return work;
}

FlopsPerSecond peak_per_thread(const Machine& machine, const Row& row, const Layout& layout) {
  const auto& group = machine.groups.front();
  const DataType type = row.type.value_or(DataType::fp32);
  auto choice = hwmodels::peak_for(group, type);
  if (row.extension) {
    for (const auto& peak : group.peaks) {
      if (peak.type == type && peak.extension == *row.extension)
        choice = {peak.extension, peak.flop_per_cycle.value};
    }
  }
  const double clock = hwmodels::clock_at(group, choice.extension, layout.most_of_a_socket()).value();
  const double sharing = row.threads_per_core > 1 ? group.smt_gain_compute.value / row.threads_per_core : 1.0;
  return FlopsPerSecond(clock * choice.flop_per_cycle * sharing);
}

double bandwidth_at(const Machine& machine, const Layout& layout, LevelIndex level) {
  if (level < machine.caches.size()) {
    const auto& cache = machine.caches[level];
    double rate = cache.bandwidth_per_core.value.value() * layout.cores;
    if (cache.bandwidth_per_instance) {
      const auto instances = cores_per_instance(machine, layout, cache);
      rate =
          std::min(rate, cache.bandwidth_per_instance->value.value() * static_cast<double>(instances.size()));
    }
    return rate;
  }
  const auto& memory = machine.memory;
  MemoryParameters<double> values{memory.core_bandwidth.value.value(), memory.bandwidth.value.value(),
                                  memory.saturation_shape.value, std::nullopt, 1.0};
  if (memory.cluster_bandwidth) values.cluster = memory.cluster_bandwidth->value.value();
  return team_memory_bandwidth(layout.domains, layout.domains_per_socket, values);
}

}  // namespace

std::optional<RowModel> kernel_row_model(const Machine& machine, const Row& row) {
  const auto kernel = kernel_class_named(row.kernel);
  if (!kernel || row.library.empty()) return std::nullopt;
  if (row.unit != Unit::seconds && row.unit != Unit::flop_per_second) return std::nullopt;
  const KernelWork work = work_of(row);
  const bool computes = work.flops > Flops(0.0);
  const bool streams = work.bytes > Bytes(0.0);
  if ((!computes && !streams) || (row.unit == Unit::flop_per_second && !computes)) return std::nullopt;

  const Layout layout = layout_of(machine, row);
  const Bytes set = row.working_set > Bytes(0.0) ? row.working_set : work.bytes;
  const Seconds memory =
      streams
          ? work.bytes / BytesPerSecond(bandwidth_at(machine, layout, level_holding(machine, layout, set)))
          : Seconds(0.0);
  const FlopsPerSecond peak = peak_per_thread(machine, row, layout);
  const int threads = row.threads;
  const auto& costs = machine.threads;
  const double fork = threads > 1 ? barrier_time(threads, costs.barrier.value.value(),
                                                 costs.barrier_per_doubling.value.value())
                                  : 0.0;
  const std::string library = library_key(row.library);
  const auto path = [&](const char* key) {
    return kernel_path(library, *kernel, row.type.value_or(DataType::fp32), key);
  };
  std::vector<std::string> paths{path("efficiency"), path("memory_efficiency"), path("smoothing")};
  const bool matrix = work.m > 0.0;
  const bool forks = threads > 1;
  if (matrix) {
    for (const char* key : {"m_half", "n_half", "k_half"}) paths.push_back(path(key));
  }
  if (forks) paths.push_back(fork_factor_path(library, *kernel, row.type.value_or(DataType::fp32)));
  const bool rate = row.unit == Unit::flop_per_second;
  return make_row_model(fmt::format("kernels {} {}", library, row.kernel), std::move(paths),
                        [=]<typename T>(std::span<const T> p) {
                          hwmodels::KernelParameters<T> k;
                          k.peak_per_core = FlopsPerSecondOf<T>(T(peak.value()));
                          k.efficiency = p[0];
                          if (matrix) {
                            k.efficiency = k.efficiency * hwmodels::shape_factor(work.m, p[3]) *
                                           hwmodels::shape_factor(work.n, p[4]) *
                                           hwmodels::shape_factor(work.k, p[5]);
                          }
                          k.memory_time = SecondsOf<T>(T(memory.value()) / p[1]);
                          k.smoothing = p[2];
                          T time = hwmodels::kernel_time(work.flops, threads, threads, k).value();
                          if (forks) time += p.back() * T(fork);
                          return rate ? T(work.flops.value()) / time : time;
                        });
}

}  // namespace corecast::calibration
