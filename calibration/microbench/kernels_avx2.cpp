// 256 bits with fused multiply-add. Flags: -mavx2 -mfma.
#include <immintrin.h>

#include "calibration/microbench/peak_kernel.hpp"
#include "calibration/microbench/stream_kernels.hpp"

namespace corecast::calibration::microbench {
namespace {

struct Avx2 {
  using Floats = __m256;
  using Words = __m256i;
  static constexpr size_t kLanes = 8;
  static Floats load(const float* p) { return _mm256_load_ps(p); }
  static Words load_words(const float* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }
  static void store(float* p, Floats v) { _mm256_store_ps(p, v); }
  static void stream(float* p, Floats v) { _mm256_stream_ps(p, v); }
  static void drain() { _mm_sfence(); }
  static Floats spread(float value) { return _mm256_set1_ps(value); }
  static Floats multiply(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
  static Floats multiply_add(Floats b, Floats s, Floats c) { return _mm256_fmadd_ps(s, c, b); }
  static Words no_words() { return _mm256_setzero_si256(); }
  static Words add_words(Words a, Words b) { return _mm256_add_epi32(a, b); }
  static uint32_t sum_words(Words v) {
    __m128i a = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    a = _mm_add_epi32(a, _mm_shuffle_epi32(a, 0x4E));
    a = _mm_add_epi32(a, _mm_shuffle_epi32(a, 0xB1));
    return static_cast<uint32_t>(_mm_cvtsi128_si32(a));
  }
};

struct Avx2Peak {
  using Accumulator = __m256;
  using Factor = __m256;
  static constexpr double kFlop = 16.0;
  static Accumulator load(const void* p, int i) {
    return _mm256_load_ps(static_cast<const float*>(p) + 8 * i);
  }
  static Factor load_factor(const void* p, int i) { return load(p, i); }
  static void store(void* p, int i, Accumulator a) { _mm256_store_ps(static_cast<float*>(p) + 8 * i, a); }
  static Accumulator add_product(Accumulator a, Factor x, Factor y) { return _mm256_fmadd_ps(x, y, a); }
  static void keep(Accumulator& a) { __asm__ volatile("" : "+x"(a)); }
};

}  // namespace

const PeakKernel kAvx2Peak = peak_kernel<Avx2Peak>(true);
const StreamKernels kAvx2Streams = stream_kernels<Avx2>();

}  // namespace corecast::calibration::microbench
