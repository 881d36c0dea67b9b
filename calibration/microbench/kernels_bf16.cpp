// bf16 dot products of pairs, sums in fp32, 512 bits. Flags: -mavx512f -mavx512bf16.
#include <immintrin.h>

#include "calibration/microbench/peak_kernel.hpp"

namespace corecast::calibration::microbench {
namespace {

struct Bf16Peak {
  using Accumulator = __m512;
  using Factor = __m512bh;
  static constexpr double kFlop = 64.0;
  static Accumulator load(const void* p, int i) {
    return _mm512_load_ps(static_cast<const float*>(p) + 16 * i);
  }
  static Factor load_factor(const void* p, int i) { return static_cast<const Factor*>(p)[i]; }
  static void store(void* p, int i, Accumulator a) { _mm512_store_ps(static_cast<float*>(p) + 16 * i, a); }
  static Accumulator add_product(Accumulator a, Factor x, Factor y) { return _mm512_dpbf16_ps(a, x, y); }
  static void keep(Accumulator& a) { __asm__ volatile("" : "+v"(a)); }
};

}  // namespace

const PeakKernel kBf16Peak = peak_kernel<Bf16Peak>(true);

}  // namespace corecast::calibration::microbench
