// Time of one kernel alone on a set of cores: the roofline with load imbalance, shape efficiency and cache levels.
//
//   q(n)  = ceil(U / n) n / U                   imbalance of U whole units over n threads, >= 1
//   t_c   = W q(n) / (n P eta)                  compute roof, P = clock x flop per cycle of a core
//   t_m   = sum over levels l of Q_l / B_l(n)   each byte crosses the levels between it and the core
//   t(n)  = (t_c^p + t_m^p)^(1/p)               p -> infinity is the plain roofline, max(t_c, t_m)
//   eta   = eta_inf  m/(m + m_half)  n/(n + n_half)  k/(k + k_half)
//   B(n)  = ( (n b1)^-s + B_sat^-s )^(-1/s)     memory bandwidth of n cores of one socket
//
// W work [flop], U units, n threads, P [flop/s], eta efficiency in (0, 1], Q_l bytes that come from level l [B],
// b1 bandwidth of one core [B/s], B_sat of the socket [B/s], s > 0 shape, p >= 1 smoothing; times in s.
// Holds for kernels whose parallel part streams through its data once. Leaves out: prefetch warm-up, TLB
// misses, page faults (a runtime's term), and who else is on the machine (sim). Source: Williams et al., CACM
// 52(4), 2009. B(n) is our form of a saturating roof: it fits the read curves of eight published machines (likwid
// bandwidth over cores) within 0.8 to 2.4 % rms with s from 3.4 to 5.8. All are templates on Rep so that the fit
// and the simulator share them.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/quantity.hpp"

namespace corecast::hwmodels {

// ceil(U / n) n / U, in [1, n]. n and units at least 1.
[[nodiscard]] double imbalance(std::int64_t units, int n_threads);

// (a^p + b^p)^(1/p), safe for zeros and large p: max(a, b) (1 + (min/max)^p)^(1/p).
template <typename Rep>
[[nodiscard]] SecondsOf<Rep> smooth_maximum(const SecondsOf<Rep>& a, const SecondsOf<Rep>& b, const Rep& p) {
  using std::pow;
  const auto& larger = a < b ? b : a;
  const auto& smaller = a < b ? a : b;
  // Without a smaller part there is nothing to smooth, and the derivative of 0^p would not be finite.
  if (!(smaller.value() > Rep(0.0))) return larger;
  return SecondsOf<Rep>(larger.value() *
                        pow(Rep(1.0) + pow(smaller.value() / larger.value(), p), Rep(1.0) / p));
}

// x / (x + x_half): half of the efficiency is reached at x_half.
template <typename Rep>
[[nodiscard]] Rep shape_factor(double x, const Rep& x_half) {
  return Rep(x) / (Rep(x) + x_half);
}

// B(n); n may be fractional (a core that streams part of the time), and zero.
template <typename Rep>
[[nodiscard]] BytesPerSecondOf<Rep> saturating_bandwidth(const Rep& n, const BytesPerSecondOf<Rep>& one_core,
                                                         const BytesPerSecondOf<Rep>& saturated,
                                                         const Rep& shape) {
  using std::pow;
  const BytesPerSecondOf<Rep> linear{n * one_core.value()};
  const auto& smaller = linear < saturated ? linear : saturated;
  const auto& larger = linear < saturated ? saturated : linear;
  if (!(smaller.value() > Rep(0.0))) return smaller;
  // Scaled so that no power leaves the range: the ratio is at most 1.
  const Rep ratio = smaller.value() / larger.value();
  return BytesPerSecondOf<Rep>(smaller.value() * pow(Rep(1.0) + pow(ratio, shape), Rep(-1.0) / shape));
}

template <typename Rep>
struct KernelParameters {
  FlopsPerSecondOf<Rep> peak_per_core{};  // P at the clock of this vector width and number of active cores
  Rep efficiency = Rep(1.0);              // eta, shape factors included
  SecondsOf<Rep> memory_time{};           // t_m at n threads
  Rep smoothing = Rep(8.0);               // p
};

// t(n) without dispatch, fork and join.
template <typename Rep>
[[nodiscard]] SecondsOf<Rep> kernel_time(Flops work, std::int64_t units, int n_threads,
                                         const KernelParameters<Rep>& k) {
  const SecondsOf<Rep> compute{Rep(work.value() * imbalance(units, n_threads)) /
                               (Rep(n_threads) * k.peak_per_core.value() * k.efficiency)};
  return smooth_maximum(compute, k.memory_time, k.smoothing);
}

}  // namespace corecast::hwmodels
