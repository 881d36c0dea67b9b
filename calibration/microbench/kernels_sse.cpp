// Baseline x86-64: 128 bits, multiplication and addition apart. Compiled without extra flags.
#include <immintrin.h>

#include "calibration/microbench/peak_kernel.hpp"
#include "calibration/microbench/stream_kernels.hpp"

namespace corecast::calibration::microbench {
namespace {

struct Sse {
  using Floats = __m128;
  using Words = __m128i;
  static constexpr size_t kLanes = 4;
  static Floats load(const float* p) { return _mm_load_ps(p); }
  static Words load_words(const float* p) { return _mm_load_si128(reinterpret_cast<const __m128i*>(p)); }
  static void store(float* p, Floats v) { _mm_store_ps(p, v); }
  static void stream(float* p, Floats v) { _mm_stream_ps(p, v); }
  static void drain() { _mm_sfence(); }
  static Floats spread(float value) { return _mm_set1_ps(value); }
  static Floats multiply(Floats a, Floats b) { return _mm_mul_ps(a, b); }
  static Floats multiply_add(Floats b, Floats s, Floats c) { return _mm_add_ps(b, _mm_mul_ps(s, c)); }
  static Words no_words() { return _mm_setzero_si128(); }
  static Words add_words(Words a, Words b) { return _mm_add_epi32(a, b); }
  static uint32_t sum_words(Words a) {
    a = _mm_add_epi32(a, _mm_shuffle_epi32(a, 0x4E));
    a = _mm_add_epi32(a, _mm_shuffle_epi32(a, 0xB1));
    return static_cast<uint32_t>(_mm_cvtsi128_si32(a));
  }
};

struct SsePeak {
  using Accumulator = __m128;
  using Factor = __m128;
  static constexpr double kFlop = 8.0;
  static Accumulator load(const void* p, int i) { return _mm_load_ps(static_cast<const float*>(p) + 4 * i); }
  static Factor load_factor(const void* p, int i) { return load(p, i); }
  static void store(void* p, int i, Accumulator a) { _mm_store_ps(static_cast<float*>(p) + 4 * i, a); }
  static Accumulator add_product(Accumulator a, Factor x, Factor y) {
    // All accumulators take the same product: without this the compiler would compute it once.
    __asm__ volatile("" : "+x"(x));
    return _mm_add_ps(a, _mm_mul_ps(x, y));
  }
  static void keep(Accumulator& a) { __asm__ volatile("" : "+x"(a)); }
};

}  // namespace

const PeakKernel kSsePeak = peak_kernel<SsePeak>(false);
const StreamKernels kSseStreams = stream_kernels<Sse>();

}  // namespace corecast::calibration::microbench
