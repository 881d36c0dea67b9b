#include "sim/traffic.hpp"

#include <algorithm>
#include <cmath>

namespace corecast::sim {
namespace {

// Bytes split over the levels by the share that each holds of the footprint.
Traffic split(Bytes bytes, double private_share, double shared_share) {
  Traffic traffic;
  traffic.from_private = bytes * private_share;
  traffic.from_shared = bytes * std::max(0.0, shared_share - private_share);
  traffic.from_memory = bytes * (1.0 - std::max(private_share, shared_share));
  return traffic;
}

// Instances of a shared cache that the cores of one socket touch when they are filled one after the other.
double instances_touched(const hwmodels::CacheLevel& cache, int cores) {
  if (cache.shared_by_cores == 0) return 1.0;
  return std::ceil(static_cast<double>(cores) / cache.shared_by_cores);
}

}  // namespace

CacheView cache_view(const hwmodels::Machine& machine, const ThreadPlacement& placement) {
  CacheView view;
  for (const auto& cache : machine.caches) {
    if (cache.shared_by_cores == 1) {
      const BytesPerSecond peer = cache.peer_bandwidth ? cache.peer_bandwidth->value : BytesPerSecond{};
      if (view.first_size == Bytes{}) {
        view.first_size = cache.size.value;
        view.peer_first = peer;
      }
      view.peer_rest = peer;
      view.private_size = cache.size.value;
      view.private_bandwidth = cache.bandwidth_per_core.value;
      continue;
    }
    if (&cache != &machine.caches.back())
      continue;  // a middle level shared by a few cores: left to the last one
    for (const auto& share : placement.sockets) {
      const double instances = instances_touched(cache, share.active_cores);
      const double own = static_cast<double>(share.cores) / std::max(share.active_cores, 1);
      view.shared_size += cache.size.value * (instances * own);
      BytesPerSecond bandwidth = cache.bandwidth_per_core.value * static_cast<double>(share.cores);
      if (cache.bandwidth_per_instance) {
        bandwidth = std::min(bandwidth, cache.bandwidth_per_instance->value * (instances * own));
      }
      view.shared_bandwidth += bandwidth;
    }
    view.shared_bandwidth_per_core = cache.bandwidth_per_core.value;
  }
  return view;
}

double hit_share(Bytes capacity, Bytes footprint) {
  return footprint > capacity ? capacity / footprint : 1.0;
}

Traffic weight_traffic(const graphs::Work& work, Bytes all_weights, const CacheView& caches, int cores) {
  const Bytes private_size = caches.private_size * static_cast<double>(cores);
  const auto from = [&](Bytes bytes, Bytes footprint) {
    return split(bytes, hit_share(private_size, footprint),
                 hit_share(private_size + caches.shared_size, footprint));
  };
  const Traffic first = from(work.weights_read, std::max(work.weights_read, all_weights));
  const Traffic again =
      from(work.weights_per_step * static_cast<double>(work.steps - 1), work.weights_per_step);
  return {.from_private = first.from_private + again.from_private,
          .from_shared = first.from_shared + again.from_shared,
          .from_memory = first.from_memory + again.from_memory};
}

namespace {

// (T - 1) / T, of what is shared between cores at all.
double peer_share(const Team& team) {
  const double mixed = team.reading > 1 ? 1.0 : team.written_apart;
  return mixed * (team.cores - 1) / team.cores;
}

// What an operator reads and writes, or all that it touches.
Bytes footprint_of(const graphs::Work& work) {
  return std::max(work.activations_read + work.written, work.working_set);
}

}  // namespace

Traffic activation_traffic(const graphs::Work& work, const CacheView& caches, const Team& team,
                           Bytes kept_outputs) {
  const bool kept = kept_outputs > Bytes{};
  const Bytes bytes = work.activations_read + (kept ? Bytes{} : work.written);
  const Bytes footprint = footprint_of(work);
  const double peers = peer_share(team);
  // Without peers, one core's caches hold what it keeps; with them, all of them do.
  const Bytes held = caches.private_size * (peers > 0.0 ? static_cast<double>(team.cores) : 1.0);
  const Bytes together =
      caches.private_size * static_cast<double>(std::max(team.reading, peers > 0.0 ? team.cores : 1)) +
      caches.shared_size;
  Traffic traffic = split(bytes, hit_share(held, footprint), hit_share(together, footprint));
  traffic.from_peers = traffic.from_private * peers;
  traffic.from_private -= traffic.from_peers;
  if (kept) {
    const Bytes own = caches.private_size * static_cast<double>(team.reading);
    const Traffic writes = split(work.written * 2.0, hit_share(own, kept_outputs),
                                 hit_share(own + caches.shared_size, kept_outputs));
    traffic.from_private += writes.from_private;
    traffic.from_shared += writes.from_shared;
    traffic.from_memory += writes.from_memory;
  }
  return traffic;
}

Seconds peer_time(const Traffic& traffic, const graphs::Work& work, const CacheView& caches,
                  const Team& team) {
  if (!(traffic.from_peers > Bytes{})) return {};
  const double cores = std::max(team.reading, 1);
  const double first = hit_share(caches.first_size, footprint_of(work) / static_cast<double>(team.cores));
  const auto or_shared = [&](BytesPerSecond rate) {
    if (rate > BytesPerSecond{}) return rate;
    return caches.shared_bandwidth_per_core > BytesPerSecond{} ? caches.shared_bandwidth_per_core
                                                               : caches.private_bandwidth;
  };
  const Bytes each = traffic.from_peers / cores;
  Seconds time{};
  if (first > 0.0) time += each * first / or_shared(caches.peer_first);
  if (first < 1.0) time += each * (1.0 - first) / or_shared(caches.peer_rest);
  return time;
}

}  // namespace corecast::sim
