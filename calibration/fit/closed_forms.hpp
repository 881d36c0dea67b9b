// What a microbenchmark's row measures as a function of the machine's parameters; with kernel_time.hpp, all
// closed forms of the fit. Templates on the scalar: predicted() calls them with double, the fit with Jet.
//
// A team splits its work evenly and is done with its slowest thread, so its rate is that of the most crowded
// part times the threads: B = n min over parts d of B_d / n_d. (Published bandwidth over cores of a socket
// with two NUMA domains rises linearly beyond the first domain's cores, with the slope that its saturation
// left: this form, and not the sum.)
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "hwmodels/kernel_time.hpp"

namespace corecast::calibration {

// Memory bandwidth [B/s] of a team.
//
//   x_d = B(k; g b1, B_cluster, s) / k   a core of the fullest cluster of a domain could draw; k cores there;
//                                        without a cluster limit g b1
//   B_d = B(n_d; x_d, B_sat / D, s)      n_d cores of a domain, D domains per socket; B of kernel_time.hpp
//   B   = n min over domains d of B_d / n_d
//
// b1 one core [B/s], g SMT gain with all hardware threads of a core, else 1. A domain is shared fairly by
// cores, not by clusters (Zen 2, four and two cores of a die: the six draw alike). Leaves out that the last
// threads of an uneven team have the domain to themselves.
template <typename T>
struct MemoryParameters {
  T one_core, saturated, shape;
  std::optional<T> cluster;
  T gain = T(1.0);
};

template <typename T>
[[nodiscard]] T team_memory_bandwidth(const std::vector<std::vector<int>>& domains, int domains_per_socket,
                                      const MemoryParameters<T>& p) {
  const BytesPerSecondOf<T> one(p.one_core * p.gain);
  const BytesPerSecondOf<T> domain_limit(p.saturated / T(static_cast<double>(domains_per_socket)));
  T slowest(std::numeric_limits<double>::infinity());
  int cores = 0;
  for (const std::vector<int>& clusters : domains) {
    const int here = std::accumulate(clusters.begin(), clusters.end(), 0);
    cores += here;
    BytesPerSecondOf<T> of_core = one;
    if (p.cluster) {
      const T k(static_cast<double>(*std::max_element(clusters.begin(), clusters.end())));
      of_core = hwmodels::saturating_bandwidth(k, one, BytesPerSecondOf<T>(*p.cluster), p.shape) / k;
    }
    const T n(static_cast<double>(here));
    const T each = hwmodels::saturating_bandwidth(n, of_core, domain_limit, p.shape).value() / n;
    if (each < slowest) slowest = each;
  }
  return slowest * T(static_cast<double>(cores));
}

// One direction of the link, or the far memory where that is less [B/s]. A core keeps as many lines in flight
// as at home, so it draws b1 L_local / L_remote; n cores.
template <typename T>
[[nodiscard]] T remote_bandwidth(int cores, int domains_per_socket, const MemoryParameters<T>& p,
                                 const T& link, const T& local_latency, const T& remote_latency) {
  const T farther = local_latency < remote_latency ? local_latency / remote_latency : T(1.0);
  const BytesPerSecondOf<T> one(p.one_core * p.gain * farther);
  const T far = p.saturated / T(static_cast<double>(domains_per_socket));
  return hwmodels::saturating_bandwidth(T(static_cast<double>(cores)), one,
                                        BytesPerSecondOf<T>(link < far ? link : far), p.shape)
      .value();
}

// Bandwidth of k cores of the N that share a cache [B/s], b of one alone and B_N of all:
//
//   B(k) = k b (1 + (k^s - 1)/(N^s - 1) ((N b / B_N)^s - 1))^(-1/s)
//
// exactly b at k = 1 and B_N at k = N (which may be a little above N b, as noise has it); it is
// saturating_bandwidth with its limit expressed by B_N. s = 1 for a cache of the whole socket (each core adds
// a little waiting for all: Haswell's ring within 2 %, Skylake's mesh within 1 %), s = 6 for a cluster's
// (linear, then a limit: Zen 2). No machine value: published curves do not tell it more finely.
template <typename T>
[[nodiscard]] T shared_cache_bandwidth(int k, int sharers, double shape, const T& one_core,
                                       const T& all_cores) {
  using std::pow;
  const T linear = one_core * T(static_cast<double>(k));
  if (k == 1 || sharers == 1) return linear;
  const T excess = one_core * T(static_cast<double>(sharers)) / all_cores;
  const double part = (std::pow(k, shape) - 1.0) / (std::pow(sharers, shape) - 1.0);
  return linear * pow(T(1.0) + T(part) * (pow(excess, shape) - T(1.0)), -1.0 / shape);
}

// For one core to read what another has just written [s]: of c_1 + c_2 bytes, the c_1 that its L1 holds come at b_1, the
// others from its next private level at b_2 [B/s].
//
//   t = c_1 / b_1 + c_2 / b_2
//
// Leaves out the way between the two cores: of a mesh it is a mean, over two sockets it does not hold.
template <typename T>
[[nodiscard]] T peer_read_time(double in_first, double in_rest, const T& first, const T& rest) {
  return T(in_first) / first + T(in_rest) / rest;
}

// Barrier of spinning threads [s]: t = t_2 + d log2(n / 2), n at least 2.
template <typename T>
[[nodiscard]] T barrier_time(int threads, const T& two, const T& per_doubling) {
  return two + per_doubling * T(std::log2(threads / 2.0));
}

// The same with m = ceil(threads / CPUs) threads on a CPU. The last one to arrive goes on to the next
// barrier, and the m - 1 others of its CPU arrive there after it has spun for its slice and they, one after
// the other, for theirs:
//
//   t = t_barrier(CPUs) + (m - 1) slice
//
// Holds for threads that spin and never yield. Leaves out that the slices of several CPUs are not in step
// (longer) and that a scheduler may move a waiting thread to another CPU.
template <typename T>
[[nodiscard]] T oversubscribed_barrier(int threads, int cpus, const T& two, const T& per_doubling,
                                       const T& slice) {
  const int waiting = (threads + cpus - 1) / cpus - 1;
  const T alone = cpus < 2 ? T(0.0) : barrier_time(cpus, two, per_doubling);
  return alone + slice * T(static_cast<double>(waiting));
}

}  // namespace corecast::calibration
