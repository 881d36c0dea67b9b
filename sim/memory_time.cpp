#include "sim/memory_time.hpp"

#include <algorithm>
#include <cmath>

#include "hwmodels/kernel_time.hpp"

namespace corecast::sim {

BytesPerSecond socket_bandwidth(const hwmodels::Machine& machine, double cores, const SocketShare& share,
                                double rho) {
  const auto& memory = machine.memory;
  const double own = std::max(share.streaming_cores, 1e-9);
  const auto beside = [&](double others) {
    const double everyone = own + others;
    const double busy = std::min(everyone, cores * everyone / own);
    const BytesPerSecond all = hwmodels::saturating_bandwidth(
        busy, memory.core_bandwidth.value, memory.bandwidth.value, memory.saturation_shape.value);
    return all * (cores / std::max(busy, 1e-9));
  };
  const double others = std::max(0.0, share.all_streaming_cores - share.streaming_cores);
  const double spread = std::sqrt(3.0 * others * rho * (1.0 - rho));
  if (!(spread > 0.0)) return beside(others * rho);
  const double low = std::max(0.0, others * rho - spread), high = std::min(others, others * rho + spread);
  const Seconds per_byte = Bytes(1.0) / beside(others * rho) * (2.0 / 3.0) +
                           Bytes(1.0) / beside(low) * (1.0 / 6.0) + Bytes(1.0) / beside(high) * (1.0 / 6.0);
  return Bytes(1.0) / per_byte;
}

MemoryTime memory_time(const PlanContext& context, const graphs::Operator& op, const KernelModel& kernel,
                       double factor, double used, double written_apart) {
  const auto& sockets = context.placement.sockets;
  const double cores = cores_of(context.placement);
  const double busy_cores = std::max(1.0, cores * used);
  const int whole_cores = std::max(1, static_cast<int>(std::lround(busy_cores)));

  const Traffic weights = weight_traffic(op.work, context.all_weights, context.caches, whole_cores);
  CacheView shared = context.caches;
  shared.shared_size /= context.at_once;
  const Team team{static_cast<int>(cores), whole_cores, written_apart};
  const Traffic activations = activation_traffic(op.work, shared, team, context.kept_outputs);
  const double efficiency = kernel.memory_efficiency.value / factor;
  MemoryTime time;

  if (context.caches.private_bandwidth > BytesPerSecond(0.0)) {
    time.total +=
        (weights.from_private + activations.from_private) / (context.caches.private_bandwidth * busy_cores);
  }
  time.total += peer_time(activations, op.work, context.caches, team);
  if (context.caches.shared_bandwidth > BytesPerSecond(0.0)) {
    const double share = std::min(1.0, busy_cores / cores);
    const Bytes bytes = weights.from_shared + activations.from_shared;
    time.total += bytes / (context.caches.shared_bandwidth * share);
    if (bytes > Bytes(0.0)) time.draws.push_back({context.shared_cache, bytes.value()});
  }

  // Main memory: every socket serves the activations of its own threads, socket 0's memory all weights; interleaved, each
  // socket serves the same part of both.
  Seconds slowest{};
  const bool interleaved = context.setting.memory == MemoryPolicy::interleave;
  const double evenly = 1.0 / static_cast<double>(sockets.size());
  const double others = 1.0 - evenly;
  const Bytes remote_activations =
      (activations.from_memory + activations.from_shared + activations.from_peers) * others;
  for (std::size_t s = 0; s < sockets.size(); ++s) {
    const double activations_here =
        interleaved ? evenly : static_cast<double>(sockets[s].threads) / context.placement.threads;
    const double weights_here = interleaved ? evenly : s == 0 ? 1.0 : 0.0;
    const Bytes bytes = activations.from_memory * activations_here + weights.from_memory * weights_here;
    if (!(bytes > Bytes(0.0))) continue;
    const double streaming =
        std::max(sockets[s].streaming_cores * used, std::min(sockets[s].streaming_cores, 1.0));
    slowest =
        std::max(slowest, bytes / socket_bandwidth(context.machine, streaming, sockets[s], context.rho));
    time.draws.push_back({ResourceIndex(s), bytes.value()});
  }
  if (sockets.size() > 1 && context.machine.link) {
    const double away =
        interleaved ? others : 1.0 - static_cast<double>(sockets[0].threads) / context.placement.threads;
    const Bytes crossing = remote_activations + (weights.from_memory + weights.from_shared) * away;
    if (crossing > Bytes(0.0)) {
      slowest = std::max(slowest, crossing / context.machine.link->bandwidth.value);
      time.draws.push_back({context.link, crossing.value()});
    }
  }
  time.total += slowest;
  time.total /= efficiency;
  time.main_memory = slowest / efficiency;
  // What an efficiency above 1 says was not moved is not drawn.
  const double moved = std::min(1.0, factor) / std::max(1.0, kernel.memory_efficiency.value);
  for (Draw& draw : time.draws) draw.amount *= moved;
  return time;
}

}  // namespace corecast::sim
