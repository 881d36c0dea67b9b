// 512 bits. Flags: -mavx512f.
#include <immintrin.h>

#include "calibration/microbench/peak_kernel.hpp"
#include "calibration/microbench/stream_kernels.hpp"

namespace corecast::calibration::microbench {
namespace {

struct Avx512 {
  using Floats = __m512;
  using Words = __m512i;
  static constexpr size_t kLanes = 16;
  static Floats load(const float* p) { return _mm512_load_ps(p); }
  static Words load_words(const float* p) { return _mm512_load_si512(p); }
  static void store(float* p, Floats v) { _mm512_store_ps(p, v); }
  static void stream(float* p, Floats v) { _mm512_stream_ps(p, v); }
  static void drain() { _mm_sfence(); }
  static Floats spread(float value) { return _mm512_set1_ps(value); }
  static Floats multiply(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
  static Floats multiply_add(Floats b, Floats s, Floats c) { return _mm512_fmadd_ps(s, c, b); }
  static Words no_words() { return _mm512_setzero_si512(); }
  static Words add_words(Words a, Words b) { return _mm512_add_epi32(a, b); }
  static uint32_t sum_words(Words v) {
    alignas(64) uint32_t lanes[16];
    _mm512_store_si512(lanes, v);
    uint32_t sum = 0;
    for (const uint32_t lane : lanes) sum += lane;
    return sum;
  }
};

struct Avx512Peak {
  using Accumulator = __m512;
  using Factor = __m512;
  static constexpr double kFlop = 32.0;
  static Accumulator load(const void* p, int i) {
    return _mm512_load_ps(static_cast<const float*>(p) + 16 * i);
  }
  static Factor load_factor(const void* p, int i) { return load(p, i); }
  static void store(void* p, int i, Accumulator a) { _mm512_store_ps(static_cast<float*>(p) + 16 * i, a); }
  static Accumulator add_product(Accumulator a, Factor x, Factor y) { return _mm512_fmadd_ps(x, y, a); }
  static void keep(Accumulator& a) { __asm__ volatile("" : "+v"(a)); }
};

}  // namespace

const PeakKernel kAvx512Peak = peak_kernel<Avx512Peak>(true);
const StreamKernels kAvx512Streams = stream_kernels<Avx512>();

}  // namespace corecast::calibration::microbench
