// Advice: what is wrong with the setting that a user has. Every piece compares the forecast of that setting with the same
// setting in which one thing is changed (spinning off, fewer threads, one socket, more instances, ...), and says what
// to set in the framework's own names (knobs.hpp).
//
//   gain = r(better) / r(current) - 1      r samples per second of all instances; with the same instances and batch
//                                          that is latency(current) / latency(better) - 1
//
// What is told: what gains more than kPays, plateaus (fewer threads within kAsFast), and hard facts (knobs that are
// ignored, quotas, more threads than CPUs), whose gain may be 0. As good as the forecast: what it leaves out, advice
// leaves out too.
//
// Codes (the cause in brackets)
//   OVERSUBSCRIBED            more threads than CPUs
//   QUOTA_BELOW_THREADS       more threads than the cgroup's quota pays for;  CGROUP: a quota holds here
//   SHARED_CORES              some cores run two threads although SMT is not asked for
//   SMT_HURTS, SMT_HELPS      one thread a core is faster; both hardware threads of every core are
//   INTRA_SMALL               fewer threads are faster: operators are too small for so many (TOO_SMALL_FOR_THREADS), or
//                             fewer use up the memory (SATURATED)
//   FEWER_THREADS_AS_FAST     fewer threads are within kAsFast
//   MORE_THREADS              cores lie idle that would make a request faster
//   SATURATED                 memory bandwidth is used up: half of the threads or instances get as much
//   INTER_OP_IGNORED          the runtime does not use what is asked;  ORT_INTEROP_NOOP: onnxruntime 1.14 and later
//   INTEROP_UNUSED            inter-op threads in sequential mode
//   USE_SEQUENTIAL, USE_PARALLEL          the other mode is faster
//   DAG_WIDTH                 more inter-op threads than the graph has branches
//   DISABLE_SPIN (SPINNING_STEALS)        spinning threads take time from those that compute; without the cause: they
//                             gain next to nothing, and hold CPUs while idle
//   TAIL_SPIN                 idle instances spin on the CPUs of the busy one
//   ONE_SOCKET (CROSS_SOCKET) one instance over several sockets is slower than on one
//   PLACEMENT                 the other placement is faster
//   MEMORY_POLICY             interleaved pages are faster than first touch, or the reverse
//   AFFINITY_TRAP (PINNING_STACKS)        all instances bound to the same CPUs
//   MORE_INSTANCES (INSTANCES_BETTER)     several instances serve more
//   TF_MKL_DEFAULT            TensorFlow's default pools with a team of threads for each
//   ALLOCATOR                 page faults of fresh outputs
//   CPUSET, VERSION_DEFAULT   fewer CPUs are granted than the framework's default thread count sees
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graphs/graph.hpp"
#include "sim/forecast.hpp"
#include "sim/search.hpp"

namespace corecast::sim {

inline constexpr double kPays = 0.03;    // least gain that is told of
inline constexpr double kAsFast = 0.02;  // settings this near are as good

struct Advice {
  std::string code;   // stable: what to do, or what holds
  std::string cause;  // stable, may be empty: what is wrong, where that has a code of its own
  std::string text;   // the reason in numbers, and the remedy in the framework's names
  double gain = 0.0;  // of `better`; 0 where there is none
  std::optional<Setting> better;
  friend bool operator==(const Advice&, const Advice&) = default;
};

struct AdviceOptions {
  // latency: what serves more requests at the price of each one's time comes after the rest.
  Objective objective = Objective::latency;
  // CPUs that are on line, granted or not, where a mask or cpuset leaves fewer than these; 0: the target's.
  int online_cpus = 0;
};

// By gain, facts last; the same list every time. `graph` is the model as imported (its width), `prepared` what the
// runtime runs. InputError where `current` itself cannot be had.
[[nodiscard]] std::vector<Advice> advise(const graphs::Graph& graph, const graphs::Graph& prepared,
                                         const Target& target, const Runtime& runtime, const Setting& current,
                                         const AdviceOptions& options = {});

// What the framework does when nothing is set: of baselines.hpp the rule "framework_default", for OpenVINO its latency
// hint.
[[nodiscard]] Setting default_setting(const graphs::Graph& graph, const Target& target,
                                      const Runtime& runtime);

}  // namespace corecast::sim
