// AArch64 int8 dot products of four (SDOT): signed x and y. Flags: -march=armv8.2-a+dotprod.
#include <arm_neon.h>

#include "calibration/microbench/peak_kernel.hpp"

namespace corecast::calibration::microbench {
namespace {

struct NeonDotPeak {
  using Accumulator = int32x4_t;
  using Factor = int8x16_t;
  static constexpr double kFlop = 32.0;
  static Accumulator load(const void* p, int i) { return vld1q_s32(static_cast<const int32_t*>(p) + 4 * i); }
  static Factor load_factor(const void* p, int i) { return vld1q_s8(static_cast<const int8_t*>(p) + 16 * i); }
  static void store(void* p, int i, Accumulator a) { vst1q_s32(static_cast<int32_t*>(p) + 4 * i, a); }
  static Accumulator add_product(Accumulator a, Factor x, Factor y) { return vdotq_s32(a, x, y); }
  static void keep(Accumulator& a) { __asm__ volatile("" : "+w"(a)); }
};

}  // namespace

const PeakKernel kNeonDotPeak = peak_kernel<NeonDotPeak>(true);

}  // namespace corecast::calibration::microbench
