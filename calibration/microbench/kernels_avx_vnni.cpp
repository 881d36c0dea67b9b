// int8 dot products, 256 bits, for CPUs without AVX-512: unsigned x, signed y. Flags: -mavx2 -mavxvnni.
#include <immintrin.h>

#include "calibration/microbench/peak_kernel.hpp"

namespace corecast::calibration::microbench {
namespace {

struct AvxVnniPeak {
  using Accumulator = __m256i;
  using Factor = __m256i;
  static constexpr double kFlop = 64.0;
  static Accumulator load(const void* p, int i) {
    return _mm256_load_si256(static_cast<const __m256i*>(p) + i);
  }
  static Factor load_factor(const void* p, int i) { return load(p, i); }
  static void store(void* p, int i, Accumulator a) { _mm256_store_si256(static_cast<__m256i*>(p) + i, a); }
  static Accumulator add_product(Accumulator a, Factor x, Factor y) {
    return _mm256_dpbusd_avx_epi32(a, x, y);
  }
  static void keep(Accumulator& a) { __asm__ volatile("" : "+x"(a)); }
};

}  // namespace

const PeakKernel kAvxVnniPeak = peak_kernel<AvxVnniPeak>(true);

}  // namespace corecast::calibration::microbench
