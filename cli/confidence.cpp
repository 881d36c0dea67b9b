#include "cli/confidence.hpp"

#include <fmt/format.h>

#include <numeric>

#include "cli/words.hpp"

namespace corecast::cli {
namespace {

using hwmodels::Origin;

constexpr double kTied = 0.02;  // a measurement does not tell settings apart that are closer

class Counter {
 public:
  template <typename Q>
  void add(const hwmodels::Value<Q>& value) {
    ++result_.counts[static_cast<std::size_t>(value.origin)];
  }
  template <typename Q>
  void add(const std::optional<hwmodels::Value<Q>>& value) {
    if (value) add(*value);
  }
  [[nodiscard]] OriginCounts result() const { return result_; }

 private:
  OriginCounts result_;
};

std::string priors_of(const OriginCounts& counts, const char* whose) {
  return fmt::format("{} of {} {} values", counts.of(Origin::prior), counts.all(), whose);
}

std::string statement(const Confidence& c, const hwmodels::Machine& machine, std::size_t shown) {
  std::string text;
  if (c.calibrated) {
    text = "All values are measured, fitted, detected or from datasheets.";
  } else {
    text = fmt::format(
        "{}: {}{} are priors, not measurements. {}",
        machine.calibration ? "Calibrated in part" : "Not calibrated",
        !machine.calibration || c.machine.of(Origin::prior) > 0 ? priors_of(c.machine, "machine") + " and "
                                                                : "",
        priors_of(c.runtime, "runtime"),
        c.profiled > 0 ? fmt::format("The profile measured {}: the rest decides how they scale.",
                                     counted(c.profiled, "operator"))
                       : "Trust the order of settings more than their times.");
  }
  if (c.within_2_percent > 1) {
    text +=
        fmt::format(" {} of the {} settings shown are within 2 % of the best: take the one that suits you.",
                    c.within_2_percent, shown);
  }
  return text;
}

}  // namespace

int OriginCounts::all() const {
  return std::accumulate(counts.begin(), counts.end(), 0);
}

OriginCounts origins_of(const hwmodels::Machine& machine) {
  Counter counter;
  for (const auto& group : machine.groups) {
    for (const auto& point : group.clock) counter.add(point.clock);
    for (const auto& peak : group.peaks) counter.add(peak.flop_per_cycle);
    if (group.smt > 1) {
      counter.add(group.smt_gain_compute);
      counter.add(group.smt_gain_memory);
    }
  }
  for (const auto& cache : machine.caches) {
    counter.add(cache.size);
    counter.add(cache.bandwidth_per_core);
    counter.add(cache.bandwidth_per_instance);
    counter.add(cache.peer_bandwidth);
    counter.add(cache.latency);
  }
  const auto& memory = machine.memory;
  counter.add(memory.core_bandwidth);
  counter.add(memory.bandwidth);
  counter.add(memory.cluster_bandwidth);
  counter.add(memory.saturation_shape);
  counter.add(memory.latency);
  counter.add(memory.page_fault);
  counter.add(memory.capacity);
  if (machine.link) {
    counter.add(machine.link->bandwidth);
    counter.add(machine.link->latency);
  }
  counter.add(machine.threads.barrier);
  counter.add(machine.threads.barrier_per_doubling);
  counter.add(machine.threads.wake_up);
  counter.add(machine.threads.time_slice);
  return counter.result();
}

OriginCounts origins_of(const sim::Runtime& runtime) {
  Counter counter;
  const auto add_kernel = [&](const sim::KernelModel& kernel) {
    counter.add(kernel.efficiency);
    counter.add(kernel.memory_efficiency);
  };
  for (const auto& [kernel_class, kernel] : runtime.kernels) {
    const auto measured = runtime.library_kernels.find({kernel_class, DataType::fp32});
    add_kernel(measured == runtime.library_kernels.end() ? kernel : measured->second);
  }
  for (const auto& [type, kernel] : runtime.operators) add_kernel(kernel);
  counter.add(runtime.dispatch);
  counter.add(runtime.fork);
  counter.add(runtime.fork_per_thread);
  counter.add(runtime.hand_over);
  counter.add(runtime.smoothing);
  return counter.result();
}

Confidence confidence_of(const hwmodels::Machine& machine, const sim::Runtime& runtime,
                         const std::vector<sim::Candidate>& ranking) {
  Confidence c;
  c.machine = origins_of(machine);
  c.runtime = origins_of(runtime);
  c.profiled = static_cast<int>(runtime.operator_factors.size());
  c.calibrated = c.machine.of(Origin::prior) == 0 && c.runtime.of(Origin::prior) == 0;
  const sim::Forecast& best = ranking.front().forecast;
  if (best.latency > Seconds(0.0)) c.interval = best.high / best.latency - 1.0;
  c.within_2_percent = 0;
  for (const sim::Candidate& candidate : ranking) c.within_2_percent += candidate.loss <= kTied ? 1 : 0;
  c.text = statement(c, machine, ranking.size());
  return c;
}

}  // namespace corecast::cli
