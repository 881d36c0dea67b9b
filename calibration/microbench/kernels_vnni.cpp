// int8 dot products, 512 bits: unsigned x, signed y, sums of four products in 32 bits. Flags: -mavx512f -mavx512vnni.
#include <immintrin.h>

#include "calibration/microbench/peak_kernel.hpp"

namespace corecast::calibration::microbench {
namespace {

struct VnniPeak {
  using Accumulator = __m512i;
  using Factor = __m512i;
  static constexpr double kFlop = 128.0;
  static Accumulator load(const void* p, int i) {
    return _mm512_load_si512(static_cast<const char*>(p) + 64 * i);
  }
  static Factor load_factor(const void* p, int i) { return load(p, i); }
  static void store(void* p, int i, Accumulator a) { _mm512_store_si512(static_cast<char*>(p) + 64 * i, a); }
  static Accumulator add_product(Accumulator a, Factor x, Factor y) { return _mm512_dpbusd_epi32(a, x, y); }
  static void keep(Accumulator& a) { __asm__ volatile("" : "+v"(a)); }
};

}  // namespace

const PeakKernel kVnniPeak = peak_kernel<VnniPeak>(true);

}  // namespace corecast::calibration::microbench
