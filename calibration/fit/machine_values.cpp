#include "calibration/fit/machine_values.hpp"

#include <type_traits>
#include <utility>

#include "base/error.hpp"

namespace corecast::calibration {
namespace {

using hwmodels::Machine;
using hwmodels::Value;

template <typename Q>
constexpr const char* unit_of() {
  if constexpr (std::is_same_v<Q, Seconds>) return "s";
  if constexpr (std::is_same_v<Q, Bytes>) return "B";
  if constexpr (std::is_same_v<Q, Hertz>) return "Hz";
  if constexpr (std::is_same_v<Q, BytesPerSecond>) return "B/s";
  return "";
}

template <typename Q>
double number(const Q& quantity) {
  if constexpr (std::is_same_v<Q, double>) {
    return quantity;
  } else {
    return quantity.value();
  }
}

// Calls visit(path, Value<Q>&) on all values; M is Machine or const Machine.
template <typename M, typename Visit>
void visit_caches(M& machine, const Visit& visit) {
  for (auto& cache : machine.caches) {
    visit(cache_path(cache.level, "size"), cache.size);
    visit(cache_path(cache.level, "bandwidth_per_core"), cache.bandwidth_per_core);
    if (cache.bandwidth_per_instance) {
      visit(cache_path(cache.level, "bandwidth_per_instance"), *cache.bandwidth_per_instance);
    }
    if (cache.peer_bandwidth) visit(cache_path(cache.level, "peer_bandwidth"), *cache.peer_bandwidth);
    visit(cache_path(cache.level, "latency"), cache.latency);
  }
}

template <typename M, typename Visit>
void visit_memory(M& machine, const Visit& visit) {
  auto& memory = machine.memory;
  visit("memory.core_bandwidth", memory.core_bandwidth);
  visit("memory.bandwidth", memory.bandwidth);
  if (memory.cluster_bandwidth) visit("memory.cluster_bandwidth", *memory.cluster_bandwidth);
  visit("memory.saturation_shape", memory.saturation_shape);
  visit("memory.latency", memory.latency);
  visit("memory.page_fault", memory.page_fault);
  if (memory.capacity) visit("memory.capacity", *memory.capacity);
  if (machine.link) {
    visit("link.bandwidth", machine.link->bandwidth);
    visit("link.latency", machine.link->latency);
  }
}

template <typename M, typename Visit>
void visit_values(M& machine, const Visit& visit) {
  auto& group = machine.groups.front();
  for (auto& point : group.clock) visit(clock_path(point.extension, point.active_cores), point.clock);
  for (auto& peak : group.peaks) {
    visit(fmt::format("peak.{}.{}", corecast::name_of(peak.type), name_of(peak.extension)),
          peak.flop_per_cycle);
  }
  visit("smt_gain.compute", group.smt_gain_compute);
  visit("smt_gain.memory", group.smt_gain_memory);
  visit_caches(machine, visit);
  visit_memory(machine, visit);
  auto& threads = machine.threads;
  visit("threads.barrier", threads.barrier);
  visit("threads.barrier_per_doubling", threads.barrier_per_doubling);
  visit("threads.wake_up", threads.wake_up);
  visit("threads.time_slice", threads.time_slice);
  for (auto& kernel : machine.kernels) {
    const auto path = [&](const char* key) {
      return kernel_path(kernel.library, kernel.kernel, kernel.type, key);
    };
    visit(path("efficiency"), kernel.efficiency);
    visit(path("memory_efficiency"), kernel.memory_efficiency);
    visit(path("k_half"), kernel.k_half);
    visit(path("n_half"), kernel.n_half);
    visit(path("m_half"), kernel.m_half);
    visit(path("smoothing"), kernel.smoothing);
  }
}

}  // namespace

std::vector<MachineValue> values_of(const Machine& machine) {
  std::vector<MachineValue> values;
  visit_values(machine, [&]<typename Q>(const std::string& path, const Value<Q>& value) {
    values.push_back(
        {path, unit_of<Q>(), number(value.value), value.relative_error, value.origin, value.from});
  });
  return values;
}

MachineIndex::MachineIndex(const Machine& machine) {
  for (MachineValue& value : values_of(machine)) {
    std::string path = value.path;
    by_path_.insert_or_assign(std::move(path), std::move(value));
  }
}

const MachineValue* MachineIndex::find(const std::string& path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &found->second;
}

const MachineValue& MachineIndex::at(const std::string& path) const {
  const MachineValue* found = find(path);
  CORECAST_CHECK(found != nullptr, "no value {}", path);
  return *found;
}

void store(Machine& machine, const MachineValue& stored) {
  bool found = false;
  visit_values(machine, [&]<typename Q>(const std::string& path, Value<Q>& value) {
    if (path != stored.path) return;
    value = Value<Q>{Q(stored.value), stored.relative_error, stored.origin, stored.from};
    found = true;
  });
  CORECAST_CHECK(found, "no value {}", stored.path);
}

std::string clock_path(hwmodels::Extension extension, int active_cores) {
  return fmt::format("clock.{}.{}", name_of(extension), active_cores);
}

std::string cache_path(int level, const std::string& key) {
  return fmt::format("caches.l{}.{}", level, key);
}

std::string library_key(const std::string& library) {
  std::string key = library.substr(0, library.find(' '));
  for (char& letter : key) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return key;
}

std::string kernel_path(const std::string& library, KernelClass kernel, DataType type,
                        const std::string& key) {
  return fmt::format("kernels.{}.{}.{}.{}", library, corecast::name_of(kernel), corecast::name_of(type), key);
}

std::string fork_factor_path(const std::string& library, KernelClass kernel, DataType type) {
  return fmt::format("fork_factor.{}.{}.{}", library, corecast::name_of(kernel), corecast::name_of(type));
}

}  // namespace corecast::calibration
