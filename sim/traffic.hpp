// Traffic: from which level of the memory system an operator's bytes come.
//
//   hit(C, F)  = min(1, C / F)                    share of a footprint F that a cache of C bytes still holds
//   weights:     footprint = all weights of the model: they come round again one inference later;
//                what each of s steps reads again, s - 1 times: footprint = those weights alone
//   activations: footprint = what the operator itself touches: its producer has just written its input
//
// An access is served by the first level that holds it; what L2 and the last level do not hold comes from memory.
// The private caches of n cores count together for weights, as each core keeps its own part. With several threads
// an operator's input was mostly written by other cores, so it comes from the shared level at the best.
// Holds for inference in steady state. Leaves out: replacement policies, conflicts, prefetch, and what operators
// that run at the same time evict. Source: reuse distance, Mattson et al., IBM Systems Journal 9(2), 1970.
#pragma once

#include "base/quantity.hpp"
#include "graphs/graph.hpp"
#include "hwmodels/machine.hpp"
#include "sim/placement.hpp"

namespace corecast::sim {

// Capacity and bandwidth of the caches as one instance sees them.
struct CacheView {
  Bytes private_size{};  // per core: the largest level that belongs to one core (L2, or L1 without L2)
  BytesPerSecond private_bandwidth{};  // per core
  Bytes shared_size{};  // of all last-level instances the threads touch, the instance's share; 0: none
  BytesPerSecond shared_bandwidth{};  // of all cores in use together
};

struct Traffic {
  Bytes from_private{};
  Bytes from_shared{};
  Bytes from_memory{};
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

[[nodiscard]] CacheView cache_view(const hwmodels::Machine& machine, const ThreadPlacement& placement);

// hit(C, F); 1 for an empty footprint.
[[nodiscard]] double hit_share(Bytes capacity, Bytes footprint);

[[nodiscard]] Traffic weight_traffic(const graphs::Work& work, Bytes all_weights, const CacheView& caches,
                                     int cores);
[[nodiscard]] Traffic activation_traffic(const graphs::Work& work, const CacheView& caches, int cores);

}  // namespace corecast::sim
