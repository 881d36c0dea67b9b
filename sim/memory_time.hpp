// t_m: what the bytes of an operator's parallel part take, by the levels they come from (traffic.hpp).
//
//   t_m = ( Q_p / (c b_p) + t_peers + Q_s / B_s + max_s( Q_ms / B_s(n), Q_link / B_link ) ) / eta_m
//
//   p private cache, s shared cache, ms memory of socket s; t_peers of traffic.hpp; eta_m = memory_efficiency / f, f a
//   profile's factor of the operator
//
// Weights lie on socket 0, where the loading thread touched them first; activations lie where the threads are; interleaved
// memory spreads both over all sockets in use. Leaves out: what moves while nobody computes, write-backs of what others evict.
//
// Of other instances' N cores a share rho streams at a time, not in step: about a normal number x of them, mean N rho,
// variance N rho (1 - rho). B_s(n) is of the mean time per byte, by three points of Gauss-Hermite.
#pragma once

#include <vector>

#include "graphs/graph.hpp"
#include "sim/plan_context.hpp"

namespace corecast::sim {

// Bandwidth of `cores` cores of the socket, the instance's share where others stream there too.
[[nodiscard]] BytesPerSecond socket_bandwidth(const hwmodels::Machine& machine, double cores,
                                              const SocketShare& share, double rho);

struct MemoryTime {
  Seconds total{};
  Seconds main_memory{};  // share of `total` in main memory and links
  std::vector<Draw> draws;
};

// used: of the cores in the placement, 0 to 1. written_apart: share of the input that several cores have written (Team).
[[nodiscard]] MemoryTime memory_time(const PlanContext& context, const graphs::Operator& op,
                                     const KernelModel& kernel, double factor, double used,
                                     double written_apart);

}  // namespace corecast::sim
