// The body of PeakKernel::run, once for all instruction sets. Included by kernels_*.cpp only.
//
// `P` is a type of an anonymous namespace, so that each file has its own instance. It provides Accumulator, Factor, kFlop
// (of one instruction), load, load_factor, store, and
//   add_product(a, x, y)   a + x y
//   keep(a)                an empty volatile asm that claims to change a: no round can be removed, merged or reordered
#pragma once

#include "calibration/microbench/kernel_functions.hpp"

namespace corecast::calibration::microbench {

inline constexpr int kPeakAccumulators = 12;  // with three factors and a temporary: 16 registers

template <typename P>
void multiply_add(const void* start, const void* factors, void* result, int64_t rounds) {
  using A = typename P::Accumulator;
  const auto x0 = P::load_factor(factors, 0);
  const auto x1 = P::load_factor(factors, 1);
  const auto y = P::load_factor(factors, 2);
  A a0 = P::load(start, 0), a1 = P::load(start, 1), a2 = P::load(start, 2), a3 = P::load(start, 3);
  A a4 = P::load(start, 4), a5 = P::load(start, 5), a6 = P::load(start, 6), a7 = P::load(start, 7);
  A a8 = P::load(start, 8), a9 = P::load(start, 9), a10 = P::load(start, 10), a11 = P::load(start, 11);
  // Named one by one, for an array would live in memory at -O2.
  const auto half_round = [&](auto x) __attribute__((always_inline)) {
    a0 = P::add_product(a0, x, y);
    a1 = P::add_product(a1, x, y);
    a2 = P::add_product(a2, x, y);
    a3 = P::add_product(a3, x, y);
    a4 = P::add_product(a4, x, y);
    a5 = P::add_product(a5, x, y);
    a6 = P::add_product(a6, x, y);
    a7 = P::add_product(a7, x, y);
    a8 = P::add_product(a8, x, y);
    a9 = P::add_product(a9, x, y);
    a10 = P::add_product(a10, x, y);
    a11 = P::add_product(a11, x, y);
    P::keep(a0);
  };
  for (int64_t round = 0; round < rounds; ++round) {
    half_round(x0);
    half_round(x1);
  }
  P::store(result, 0, a0), P::store(result, 1, a1), P::store(result, 2, a2), P::store(result, 3, a3);
  P::store(result, 4, a4), P::store(result, 5, a5), P::store(result, 6, a6), P::store(result, 7, a7);
  P::store(result, 8, a8), P::store(result, 9, a9), P::store(result, 10, a10), P::store(result, 11, a11);
}

template <typename P>
constexpr PeakKernel peak_kernel(bool fused) {
  return {.run = &multiply_add<P>,
          .flop_per_round = 2.0 * kPeakAccumulators * P::kFlop,
          .accumulators = kPeakAccumulators,
          .accumulator_bytes = sizeof(typename P::Accumulator),
          .factor_bytes = sizeof(typename P::Factor),
          .fused = fused};
}

}  // namespace corecast::calibration::microbench
