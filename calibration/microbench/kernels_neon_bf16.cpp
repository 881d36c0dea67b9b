// AArch64 bf16 matrix products (BFMMLA): 2 x 4 times 4 x 2 into 2 x 2 in fp32. Flags: -march=armv8.2-a+bf16.
#include <arm_neon.h>

#include "calibration/microbench/peak_kernel.hpp"

namespace corecast::calibration::microbench {
namespace {

struct NeonBf16Peak {
  using Accumulator = float32x4_t;
  using Factor = bfloat16x8_t;
  static constexpr double kFlop = 32.0;
  static Accumulator load(const void* p, int i) { return vld1q_f32(static_cast<const float*>(p) + 4 * i); }
  static Factor load_factor(const void* p, int i) { return static_cast<const Factor*>(p)[i]; }
  static void store(void* p, int i, Accumulator a) { vst1q_f32(static_cast<float*>(p) + 4 * i, a); }
  static Accumulator add_product(Accumulator a, Factor x, Factor y) { return vbfmmlaq_f32(a, x, y); }
  static void keep(Accumulator& a) { __asm__ volatile("" : "+w"(a)); }
};

}  // namespace

const PeakKernel kNeonBf16Peak = peak_kernel<NeonBf16Peak>(true);

}  // namespace corecast::calibration::microbench
