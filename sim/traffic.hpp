// Traffic: from which level of the memory system an operator's bytes come.
//
//   hit(C, F)  = min(1, C / F)                    share of a footprint F that a cache of C bytes still holds
//   weights:     footprint = all weights of the model: they come round again one inference later;
//                what each of s steps reads again, s - 1 times: footprint = those weights alone
//   activations: footprint = what the operator itself touches: its producer has just written its input
//
// An access is served by the first level that holds it; what L2 and the last level do not hold comes from memory.
// The private caches of n cores count together: each core keeps its own part of the weights, and of the activations
// what it has written. Of the latter a core finds 1 / n in its own caches; the rest its peers have just written:
//
//   peers(W, P, T) = (T - 1) / T  where T cores wrote them (a share W of what is read), or T cores read them (P = T)
//   t_peer(c)      = c ( h / b_1 + (1 - h) / b_2 ),  h = hit(C_1, F / T)
//     c    bytes that one core reads of its peers          b_1, b_2  peer bandwidth of L1 and L2 (B/s, one core)
//     C_1  bytes of L1                                     F / T     what each core has written
//
// Where no buffer is used twice within a call (outputs A in all), a write goes to lines last touched one call ago:
//
//   written: twice its bytes, fetched and written back, with footprint A
//
// Holds for inference in steady state. Leaves out: replacement policies, conflicts, prefetch, what operators
// that run at the same time evict, and parts that stay with their core from one operator to the next.
// Sources: reuse distance, Mattson et al., IBM Systems Journal 9(2), 1970; cost of modified lines of another core,
// Molka et al., ICPP 2015 (Haswell-EP) and calibrate's kernel `peer_read`.
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
  Bytes first_size{};                  // per core: C_1, of the smallest private level
  BytesPerSecond peer_first{};         // per core: b_1; 0: as the shared level, without one as its own
  BytesPerSecond peer_rest{};          // per core: b_2; 0: the same
  Bytes shared_size{};  // of all last-level instances the threads touch, the instance's share; 0: none
  BytesPerSecond shared_bandwidth{};  // of all cores in use together
  BytesPerSecond shared_bandwidth_per_core{};
};

struct Traffic {
  Bytes from_private{};
  Bytes from_peers{};  // private caches of the other cores
  Bytes from_shared{};
  Bytes from_memory{};
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

[[nodiscard]] CacheView cache_view(const hwmodels::Machine& machine, const ThreadPlacement& placement);

// hit(C, F); 1 for an empty footprint.
[[nodiscard]] double hit_share(Bytes capacity, Bytes footprint);

[[nodiscard]] Traffic weight_traffic(const graphs::Work& work, Bytes all_weights, const CacheView& caches,
                                     int cores);

// Who touched an operator's activations before and does now.
struct Team {
  int cores = 1;               // T: of the instance
  int reading = 1;             // cores that work on this operator
  double written_apart = 1.0;  // W: share of its input that T cores have written, 0..1
};
// kept_outputs: A; zero where buffers are used again at once.
[[nodiscard]] Traffic activation_traffic(const graphs::Work& work, const CacheView& caches, const Team& team,
                                         Bytes kept_outputs = {});

// t_peer of `traffic` on the cores that read.
[[nodiscard]] Seconds peer_time(const Traffic& traffic, const graphs::Work& work, const CacheView& caches,
                                const Team& team);

}  // namespace corecast::sim
