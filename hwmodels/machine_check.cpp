// The invariants of a Machine, in one place: every reader and changer calls check().
#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "hwmodels/machine.hpp"

namespace corecast::hwmodels {
namespace {

constexpr std::int64_t kMostCpus =
    1'048'576;  // larger counts are a slip of the pen, and would exhaust memory
constexpr int kMostSmt = 8;
constexpr double kMostRelativeError = 10.0;
// Half of one thread alone is what two threads leave that thrash each other's caches; less is no SMT anybody sold.
constexpr double kLeastSmtGain = 0.5;
// A library may beat a peak or a bandwidth that was measured a little low; more is a slip.
constexpr double kMostEfficiency = 1.25;
constexpr double kMostMemoryEfficiency = 2.0;
// B(n) of two equal roofs is 2^(-1/s) of them: below 0.1 less than a thousandth, which no memory is.
constexpr double kLeastShape = 0.1;
constexpr double kMostShape = 1e9;
constexpr double kLeastSmoothing = 1.0;
constexpr double kMostSmoothing = 1000.0;

class Checker {
 public:
  explicit Checker(std::string place) : place_(std::move(place)) {}

  [[noreturn]] void refuse(const std::string& field, const std::string& found, const std::string& wanted,
                           std::string hint = {}) const {
    const std::string where = place_.empty() ? field : place_ + ": " + field;
    throw InputError(where, fmt::format("is {}, must be {}", found, wanted), std::move(hint));
  }

  void count(const std::string& field, int value, int low, int high) const {
    if (value >= low && value <= high) return;
    refuse(field, std::to_string(value), fmt::format("a whole number from {} to {}", low, high));
  }

  template <typename Q>
  void positive(const std::string& field, const Value<Q>& value) const {
    finite(field, value);
    if (!(raw(value.value) > 0.0)) refuse(field, text(value.value), "greater than zero");
  }

  template <typename Q>
  void not_negative(const std::string& field, const Value<Q>& value) const {
    finite(field, value);
    if (!(raw(value.value) >= 0.0)) refuse(field, text(value.value), "zero or more");
  }

  // Above `low` and not above `high`; `low` itself only where it is not zero.
  void between(const std::string& field, const Value<double>& value, double low, double high) const {
    positive(field, value);
    if (value.value >= low && value.value <= high) return;
    refuse(field, text(value.value), fmt::format("from {} to {}", low, high));
  }

 private:
  static double raw(double value) { return value; }
  template <typename Q>
  static double raw(const Q& value) {
    return value.value();
  }
  static std::string text(double value) { return fmt::format("{}", value); }
  template <typename Q>
  static std::string text(const Q& value) {
    return to_text(value);
  }

  template <typename Q>
  void finite(const std::string& field, const Value<Q>& value) const {
    if (!std::isfinite(raw(value.value)))
      refuse(field, fmt::format("{}", raw(value.value)), "a finite number");
    if (value.relative_error >= 0.0 && value.relative_error <= kMostRelativeError) return;
    refuse(field, fmt::format("given with a relative error of {}", value.relative_error),
           fmt::format("given with one from 0 to {}", kMostRelativeError));
  }

  std::string place_;
};

void check_clock(const Checker& checker, const std::string& prefix, const CoreGroup& group) {
  if (group.clock.empty()) checker.refuse(prefix + "clock", "empty", "one clock point or more");
  std::set<std::pair<Extension, int>> seen;
  for (std::size_t i = 0; i < group.clock.size(); ++i) {
    const ClockPoint& point = group.clock[i];
    const std::string field = fmt::format("{}clock[{}]", prefix, i);
    // A table may be longer than the cores that a grant or a what-if leaves, but not absurd.
    checker.count(field + ".active_cores", point.active_cores, 1, static_cast<int>(kMostCpus));
    checker.positive(field + ".clock", point.clock);
    if (!seen.insert({point.extension, point.active_cores}).second) {
      checker.refuse(field,
                     fmt::format("a second point for {} at {} active cores", name_of(point.extension),
                                 point.active_cores),
                     "the only one");
    }
  }
}

void check_peaks(const Checker& checker, const std::string& prefix, const CoreGroup& group) {
  std::set<std::pair<DataType, Extension>> seen;
  bool has_fp32 = false;
  for (std::size_t i = 0; i < group.peaks.size(); ++i) {
    const Peak& peak = group.peaks[i];
    const std::string field = fmt::format("{}peak[{}]", prefix, i);
    checker.positive(field + ".flop_per_cycle", peak.flop_per_cycle);
    has_fp32 = has_fp32 || peak.type == DataType::fp32;
    if (!seen.insert({peak.type, peak.extension}).second) {
      checker.refuse(field,
                     fmt::format("a second peak for {} with {}", name_of(peak.type), name_of(peak.extension)),
                     "the only one");
    }
  }
  if (!has_fp32) checker.refuse(prefix + "peak", "without an fp32 entry", "given for fp32 at least");
}

void check_gain(const Checker& checker, const std::string& field, const Value<double>& gain, int smt) {
  checker.positive(field, gain);
  const double least = smt == 1 ? 1.0 : kLeastSmtGain;
  if (gain.value >= least && gain.value <= smt) return;
  checker.refuse(field, fmt::format("{}", gain.value),
                 fmt::format("from {} to {}, the hardware threads of a core", least, smt));
}

void check_topology(const Checker& checker, const Machine& machine) {
  checker.count("topology.sockets", machine.sockets, 1, static_cast<int>(kMostCpus));
  checker.count("topology.domains_per_socket", machine.domains_per_socket, 1, static_cast<int>(kMostCpus));
  if (machine.groups.empty()) checker.refuse("groups", "empty", "one group of cores or more");
  std::int64_t cores = 0;
  std::int64_t cpus = 0;
  for (const CoreGroup& group : machine.groups) {
    const std::string prefix =
        machine.groups.size() == 1 ? "topology." : fmt::format("groups.{}.", group.name);
    checker.count(prefix + "cores_per_socket", group.cores_per_socket, 1, static_cast<int>(kMostCpus));
    checker.count(prefix + "smt", group.smt, 1, kMostSmt);
    cores += group.cores_per_socket;
    cpus += std::int64_t{group.cores_per_socket} * group.smt;
  }
  if (cpus * machine.sockets > kMostCpus) {
    checker.refuse("topology", fmt::format("of {} logical CPUs", cpus * machine.sockets),
                   fmt::format("of {} at most", kMostCpus));
  }
  if (machine.domains_per_socket > cores) {
    checker.refuse("topology.domains_per_socket", std::to_string(machine.domains_per_socket),
                   fmt::format("at most the {} cores of a socket", cores),
                   "a domain without cores cannot be used");
  }
}

void check_groups(const Checker& checker, const Machine& machine) {
  std::set<std::string> names;
  for (const CoreGroup& group : machine.groups) {
    const std::string prefix =
        machine.groups.size() == 1 ? std::string{} : fmt::format("groups.{}.", group.name);
    if (group.name.empty() || !names.insert(group.name).second) {
      checker.refuse("groups", fmt::format("with a group named {}", quote(group.name)),
                     "of groups with names of their own");
    }
    check_clock(checker, prefix, group);
    check_peaks(checker, prefix, group);
    check_gain(checker, prefix + "smt_gain.compute", group.smt_gain_compute, group.smt);
    check_gain(checker, prefix + "smt_gain.memory", group.smt_gain_memory, group.smt);
  }
}

void check_caches(const Checker& checker, const Machine& machine) {
  int previous = 0;
  for (const CacheLevel& cache : machine.caches) {
    const std::string prefix = fmt::format("caches.l{}.", cache.level);
    checker.count(fmt::format("caches.l{}", cache.level), cache.level, 1, 4);
    if (cache.level <= previous) {
      checker.refuse(fmt::format("caches.l{}", cache.level), fmt::format("listed after l{}", previous),
                     "listed before it: levels ascend");
    }
    previous = cache.level;
    checker.count(prefix + "shared_by_cores", cache.shared_by_cores, 0, static_cast<int>(kMostCpus));
    checker.positive(prefix + "size", cache.size);
    checker.positive(prefix + "bandwidth_per_core", cache.bandwidth_per_core);
    if (cache.bandwidth_per_instance) {
      checker.positive(prefix + "bandwidth_per_instance", *cache.bandwidth_per_instance);
    }
    if (cache.peer_bandwidth) checker.positive(prefix + "peer_bandwidth", *cache.peer_bandwidth);
    checker.not_negative(prefix + "latency", cache.latency);
  }
}

void check_memory(const Checker& checker, const Memory& memory) {
  checker.positive("memory.core_bandwidth", memory.core_bandwidth);
  checker.positive("memory.bandwidth", memory.bandwidth);
  checker.between("memory.saturation_shape", memory.saturation_shape, kLeastShape, kMostShape);
  checker.not_negative("memory.latency", memory.latency);
  checker.not_negative("memory.page_fault", memory.page_fault);
  if (memory.capacity) checker.positive("memory.capacity", *memory.capacity);
  if (memory.cluster_bandwidth) checker.positive("memory.cluster_bandwidth", *memory.cluster_bandwidth);
}

void check_kernels(const Checker& checker, const Machine& machine) {
  std::set<std::tuple<std::string, KernelClass, DataType>> seen;
  for (const LibraryKernel& kernel : machine.kernels) {
    const std::string field = fmt::format("kernels.{}.{}.{}", kernel.library,
                                          corecast::name_of(kernel.kernel), corecast::name_of(kernel.type));
    if (kernel.library.empty() || !seen.insert({kernel.library, kernel.kernel, kernel.type}).second) {
      checker.refuse(field, "given twice or without a library", "the only one");
    }
    checker.between(field + ".efficiency", kernel.efficiency, 0.0, kMostEfficiency);
    checker.between(field + ".memory_efficiency", kernel.memory_efficiency, 0.0, kMostMemoryEfficiency);
    checker.between(field + ".smoothing", kernel.smoothing, kLeastSmoothing, kMostSmoothing);
    checker.not_negative(field + ".m_half", kernel.m_half);
    checker.not_negative(field + ".n_half", kernel.n_half);
    checker.not_negative(field + ".k_half", kernel.k_half);
  }
}

}  // namespace

void check(const Machine& machine, const std::string& place) {
  const Checker checker(place);
  if (machine.name.empty()) checker.refuse("name", "empty", "a name");
  check_topology(checker, machine);
  check_groups(checker, machine);
  check_caches(checker, machine);
  check_memory(checker, machine.memory);
  if (machine.link) {
    checker.positive("link.bandwidth", machine.link->bandwidth);
    checker.not_negative("link.latency", machine.link->latency);
  } else if (machine.sockets > 1) {
    checker.refuse("link", "missing", fmt::format("given for {} sockets", machine.sockets));
  }
  checker.not_negative("threads.barrier", machine.threads.barrier);
  checker.not_negative("threads.barrier_per_doubling", machine.threads.barrier_per_doubling);
  checker.not_negative("threads.wake_up", machine.threads.wake_up);
  checker.positive("threads.time_slice", machine.threads.time_slice);
  check_kernels(checker, machine);
}

}  // namespace corecast::hwmodels
