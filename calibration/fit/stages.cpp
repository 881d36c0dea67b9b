#include "calibration/fit/stages.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "base/error.hpp"
#include "calibration/fit/layout.hpp"
#include "calibration/fit/machine_values.hpp"
#include "calibration/fit/row_model.hpp"

namespace corecast::calibration {
namespace {

using hwmodels::Machine;
using hwmodels::Origin;

// Rows for each parameter of a kernel; with fewer, the last of kKernelParameters stay at neutral.
constexpr std::size_t kRowsPerParameter = 4;
constexpr std::array<std::string_view, 6> kKernelParameters{
    "efficiency", "memory_efficiency", "k_half", "n_half", "m_half", "smoothing"};

template <typename Wanted>
Stage stage_of(std::string name, const Measurements& measurements, const Wanted& wanted) {
  Stage stage;
  stage.name = std::move(name);
  for (std::size_t i = 0; i < measurements.rows.size(); ++i) {
    const Row& row = measurements.rows[i];
    if (!row.samples.empty() && wanted(row)) stage.rows.push_back(i);
  }
  return stage;
}

using KernelKey = std::tuple<std::string, KernelClass, DataType>;

std::optional<KernelKey> key_of(const Row& row) {
  const auto kernel = kernel_class_named(row.kernel);
  if (row.group != Group::kernels || !kernel || row.library.empty()) return std::nullopt;
  return KernelKey{library_key(row.library), *kernel, row.type.value_or(DataType::fp32)};
}

bool has_kernel(const Machine& machine, const KernelKey& key) {
  return std::any_of(machine.kernels.begin(), machine.kernels.end(), [&](const auto& kernel) {
    return KernelKey{kernel.library, kernel.kernel, kernel.type} == key;
  });
}

// The largest values that rows show directly: where a saturating curve is best begun.
void start_memory(Stage& stage, const Measurements& measurements, const Machine& machine) {
  const auto raise = [&](const std::string& path, double value) {
    double& start = stage.starts[path];
    start = std::max(start, value);
  };
  for (const std::size_t i : stage.rows) {
    const Row& row = measurements.rows[i];
    if (row.kernel != "read" || row.placement == Placement::remote) continue;
    const auto model = memory_row_model(machine, row);
    if (!model || model->paths.size() < 3) continue;
    const Layout layout = layout_of(machine, row);
    const double rate = median(row.samples);
    raise("memory.core_bandwidth", rate / row.cores);
    raise("memory.bandwidth", rate / static_cast<double>(layout.domains.size()) * machine.domains_per_socket);
    if (machine.memory.cluster_bandwidth) {
      raise("memory.cluster_bandwidth", rate / static_cast<double>(layout.clusters.size()));
    }
  }
}

// Rows of many cores only show one number: what limits them. That is the memory, not its cores, when even the
// least row's cores draw more than their domains have.
void rank_memory(Stage& stage, const Measurements& measurements, const Machine& machine) {
  constexpr int kAboveBandwidth = 2;
  const double domain = machine.memory.bandwidth.value.value() / machine.domains_per_socket;
  bool saturated = false;
  for (const std::size_t i : stage.rows) {
    const Row& row = measurements.rows[i];
    if (row.group != Group::bandwidth || row.kernel == "first_touch") continue;
    const auto domains = static_cast<double>(layout_of(machine, row).domains.size());
    if (row.cores * machine.memory.core_bandwidth.value.value() < domains * domain) return;
    saturated = true;
  }
  if (saturated) stage.ranks["memory.core_bandwidth"] = kAboveBandwidth;
}

bool is_memory_row(const Machine& machine, const Row& row) {
  if (row.group != Group::bandwidth && row.group != Group::latency) return false;
  return !cache_row_model(machine, row);
}

// Core counts at which a kernel's two factors, of one core and saturated, are told from the curve itself.
constexpr std::size_t kCountsOfACurve = 4;

// Kernels other than reads whose rows say too little: their factors would be held at what is usual, and what they are off
// it would pass for bandwidth.
std::set<std::string> weak_streams(const Measurements& measurements, const Machine& machine) {
  std::map<std::string, std::set<int>> counts;
  for (const Row& row : measurements.rows) {
    if (row.group == Group::bandwidth && is_memory_row(machine, row)) counts[row.kernel].insert(row.cores);
  }
  std::set<std::string> weak;
  for (const auto& [kernel, cores] : counts) {
    const bool of_its_own = kernel == "read" || kernel == "first_touch";
    if (!of_its_own && cores.size() < kCountsOfACurve) weak.insert(kernel);
  }
  return weak;
}

}  // namespace

void prepare_machine(const Measurements& measurements, Machine& machine) {
  for (hwmodels::CacheLevel& cache : machine.caches) {
    const int all = sharers(machine, cache);
    if (all == 1 || cache.bandwidth_per_instance) continue;
    cache.bandwidth_per_instance =
        hwmodels::Value<BytesPerSecond>{cache.bandwidth_per_core.value * static_cast<double>(all), 0.3,
                                        Origin::prior, "as much as its cores draw"};
  }
  for (const Row& row : measurements.rows) {
    const auto key = key_of(row);
    if (!key || has_kernel(machine, *key)) continue;
    hwmodels::LibraryKernel kernel;
    std::tie(kernel.library, kernel.kernel, kernel.type) = *key;
    machine.kernels.push_back(kernel);
  }
  std::stable_sort(machine.kernels.begin(), machine.kernels.end(), hwmodels::comes_before);
}

Stage peak_stage(const Measurements& measurements) {
  return stage_of("peak", measurements, [](const Row& row) { return row.group == Group::peak; });
}

Stage cache_stage(const Measurements& measurements, const Machine& machine) {
  return stage_of("caches", measurements, [&](const Row& row) {
    return (row.group == Group::bandwidth || row.group == Group::latency) && cache_row_model(machine, row);
  });
}

Stage memory_stage(const Measurements& measurements, const Machine& machine) {
  const std::set<std::string> weak = weak_streams(measurements, machine);
  Stage stage = stage_of("memory", measurements, [&](const Row& row) {
    return is_memory_row(machine, row) && !weak.contains(row.kernel);
  });
  start_memory(stage, measurements, machine);
  rank_memory(stage, measurements, machine);
  return stage;
}

Stage stream_stage(const Measurements& measurements, const Machine& machine) {
  const std::set<std::string> weak = weak_streams(measurements, machine);
  Stage stage = stage_of("streams", measurements, [&](const Row& row) {
    return is_memory_row(machine, row) && weak.contains(row.kernel);
  });
  stage.machine_known = true;
  return stage;
}

Stage thread_stage(const Measurements& measurements) {
  return stage_of("threads", measurements, [](const Row& row) { return row.group == Group::threads; });
}

std::vector<Stage> kernel_stages(const Measurements& measurements, const Machine& machine) {
  std::set<KernelKey> keys;
  for (const Row& row : measurements.rows) {
    if (const auto key = key_of(row)) keys.insert(*key);
  }
  std::vector<Stage> stages;
  for (const KernelKey& key : keys) {
    const auto& [library, kernel, type] = key;
    const std::string name =
        fmt::format("kernels {} {} {}", library, corecast::name_of(kernel), corecast::name_of(type));
    Stage stage = stage_of(name, measurements, [&](const Row& row) {
      return key_of(row) == key && kernel_row_model(machine, row).has_value();
    });
    const std::size_t most = std::max<std::size_t>(1, stage.rows.size() / kRowsPerParameter);
    for (std::size_t i = most; i < kKernelParameters.size(); ++i) {
      stage.hold[kernel_path(library, kernel, type, std::string(kKernelParameters[i]))] =
          fmt::format("{} rows are too few for it", stage.rows.size());
    }
    stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace corecast::calibration
