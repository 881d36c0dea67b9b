// Forecast: what one setting gives on one machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graphs/graph.hpp"
#include "hwmodels/machine.hpp"
#include "sim/plan.hpp"
#include "sim/runtime.hpp"
#include "sim/setting.hpp"
#include "sim/timeline.hpp"

namespace corecast::sim {

// The machine and what may be used of it. For a machine that is not this host, everything.
struct Target {
  hwmodels::Machine machine;
  std::optional<double> quota_cpus;       // CPUs' worth of time, of a cgroup quota
  std::optional<long long> thread_limit;  // threads that can still be created (pids.max)

  // CPUs that a setting should fill at the most: logical CPUs, or the quota's whole CPUs when it is smaller
  // (at least 1).
  [[nodiscard]] int cpus() const;
  [[nodiscard]] int physical_cores() const;  // min(cores, cpus())
};

struct Forecast {
  Seconds latency{};  // of one batch on one instance, the mean over many runs
  // About 90 %: 1.645 standard errors, propagated in first order; under a quota that is used up also from a run without
  // a pause to one with a whole pause more than the mean.
  Seconds low{}, high{};
  double throughput_per_s = 0.0;  // samples per second of all instances: instances x batch / latency
  TimeShare share;
  std::string bound_by;  // "compute", "memory", "cache", "overhead", "serial": where most of the time goes
};

class Seats;  // placement.hpp

// A stable code and a sentence, for warnings and advice.
struct Message {
  std::string code;
  std::string text;
  friend bool operator==(const Message&, const Message&) = default;
};

// The graph as the runtime runs it: its fusions applied. Do this once per model.
[[nodiscard]] graphs::Graph prepare(const graphs::Graph& graph, const Runtime& runtime);

// Throws InputError when the setting cannot be had: less than one thread, more threads than the limit allows
// (`--intra`, `--inter`, `--instances` are named), inter-op in sequential mode is ignored and not an error.
[[nodiscard]] Plan make_plan(const graphs::Graph& prepared, const Target& target, const Runtime& runtime,
                             const Setting& setting);

// The same, with the machine's CPU orders made once for many plans.
[[nodiscard]] Plan make_plan(const graphs::Graph& prepared, const Target& target, const Runtime& runtime,
                             const Setting& setting, const Seats& seats);

struct Evaluation {
  Plan plan;
  Timeline timeline;
  Forecast forecast;
};
[[nodiscard]] Evaluation evaluate(const graphs::Graph& prepared, const Target& target, const Runtime& runtime,
                                  const Setting& setting);

// The same for a plan that is made already.
[[nodiscard]] Evaluation evaluate_plan(const graphs::Graph& prepared, const Target& target,
                                       const Runtime& runtime, const Setting& setting, Plan plan);

// What the user should know about asking for this setting, e.g. "ORT_INTEROP_NOOP", "OVERSUBSCRIBED".
[[nodiscard]] std::vector<Message> setting_warnings(const Target& target, const Runtime& runtime,
                                                    const Setting& setting);

// Operators that one instance runs at once.
[[nodiscard]] int operators_at_once(const Runtime& runtime, const Setting& setting);
// Threads of one instance that can compute at the same time: a caller for each operator at once, and the workers they
// share, slots + intra_op - 1; with teams of their own slots x intra_op. A caller that only waits for the others is not among them. This is the count that reports speak of.
[[nodiscard]] int computing_threads(const Runtime& runtime, const Setting& setting);
[[nodiscard]] int computing_threads(const Runtime& runtime, int slots, int intra_op);
// The inverse: the most operators at once, or threads on one, that keep to `threads` computing ones; may be 0.
[[nodiscard]] int most_slots(const Runtime& runtime, int threads, int intra_op);
[[nodiscard]] int most_intra_op(const Runtime& runtime, int threads, int slots);

// The number of threads a setting creates, all instances, callers included. Only limits on creation ask for it.
[[nodiscard]] int threads_of(const Runtime& runtime, const Setting& setting);

// The setting the runtime really runs: parallel becomes sequential where inter-op does nothing, inter_op 1 in
// sequential mode, no SMT where no two threads share a core. Two settings that are equal after this are equal.
[[nodiscard]] Setting effective(const Target& target, const Runtime& runtime, const Setting& setting);

}  // namespace corecast::sim
