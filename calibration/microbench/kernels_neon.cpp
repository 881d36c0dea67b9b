// AArch64, 128 bits. Compiled without extra flags.
#include <arm_neon.h>

#include "calibration/microbench/peak_kernel.hpp"
#include "calibration/microbench/stream_kernels.hpp"

namespace corecast::calibration::microbench {
namespace {

struct Neon {
  using Floats = float32x4_t;
  using Words = uint32x4_t;
  static constexpr size_t kLanes = 4;
  static Floats load(const float* p) { return vld1q_f32(p); }
  static Words load_words(const float* p) { return vreinterpretq_u32_f32(vld1q_f32(p)); }
  static void store(float* p, Floats v) { vst1q_f32(p, v); }
  // Non-temporal stores come in pairs: two halves of a register make one.
  static void stream(float* p, Floats v) {
    __asm__ volatile("stnp %d0, %d1, [%2]" ::"w"(vget_low_f32(v)), "w"(vget_high_f32(v)), "r"(p) : "memory");
  }
  static void drain() { __asm__ volatile("dmb ishst" ::: "memory"); }
  static Floats spread(float value) { return vdupq_n_f32(value); }
  static Floats multiply(Floats a, Floats b) { return vmulq_f32(a, b); }
  static Floats multiply_add(Floats b, Floats s, Floats c) { return vfmaq_f32(b, s, c); }
  static Words no_words() { return vdupq_n_u32(0); }
  static Words add_words(Words a, Words b) { return vaddq_u32(a, b); }
  static uint32_t sum_words(Words a) { return vaddvq_u32(a); }
};

struct NeonPeak {
  using Accumulator = float32x4_t;
  using Factor = float32x4_t;
  static constexpr double kFlop = 8.0;
  static Accumulator load(const void* p, int i) { return vld1q_f32(static_cast<const float*>(p) + 4 * i); }
  static Factor load_factor(const void* p, int i) { return load(p, i); }
  static void store(void* p, int i, Accumulator a) { vst1q_f32(static_cast<float*>(p) + 4 * i, a); }
  static Accumulator add_product(Accumulator a, Factor x, Factor y) { return vfmaq_f32(a, x, y); }
  static void keep(Accumulator& a) { __asm__ volatile("" : "+w"(a)); }
};

}  // namespace

const PeakKernel kNeonPeak = peak_kernel<NeonPeak>(true);
const StreamKernels kNeonStreams = stream_kernels<Neon>();

}  // namespace corecast::calibration::microbench
