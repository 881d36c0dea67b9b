// The inner loops that are compiled once per instruction set, as plain function pointers.
//
// The files that implement them (kernels_*.cpp) are compiled with flags for instructions that the running CPU may lack.
// So they include this header and intrinsics only: an inline function of the standard library that one of them
// instantiated could be the copy that the linker keeps for the whole program. For the same reason the tables are
// constants, initialised without running code.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace corecast::calibration::microbench {

// Multiply-add without memory traffic. One round is, for every accumulator vector A_i of `accumulators`,
//
//   A_i <- A_i + x_0 y,  then  A_i <- A_i + x_1 y            (lane by lane; dot products of 2 or 4 for bf16 and int8)
//
// Accumulators do not depend on each other, enough of them to cover the latency of the unit (two FMA pipes of 4 or 5
// cycles: 10). With x_1 near -x_0 sums stay bounded while their bits keep changing.
//   start    accumulators x accumulator_bytes, aligned to 64
//   factors  x_0, x_1, y of factor_bytes each, aligned to 64
//   result   as start
struct PeakKernel {
  void (*run)(const void* start, const void* factors, void* result, int64_t rounds) = nullptr;
  double flop_per_round = 0.0;  // 1 multiply-add = 2 flop
  int accumulators = 0;
  size_t accumulator_bytes = 0;
  size_t factor_bytes = 0;
  bool fused = true;  // one rounding per multiply-add (fp32 alone has a choice)
};

// Streams over arrays of n floats, `passes` times; arrays aligned to 64 bytes, n a multiple of 16. In bytes per element
// (what the program asks for; line fetches before a plain store are not counted): read 4, write 4, copy 8, triad 12,
// update 8. `nt`: with stores that go past the caches, where the instruction set has them.
struct StreamKernels {
  uint32_t (*read)(const float* a, size_t n, int64_t passes) = nullptr;  // sum of all words, modulo 2^32
  void (*write)(float* a, float value, size_t n, int64_t passes) = nullptr;
  void (*write_nt)(float* a, float value, size_t n, int64_t passes) = nullptr;
  void (*copy)(float* a, const float* b, size_t n, int64_t passes) = nullptr;
  void (*copy_nt)(float* a, const float* b, size_t n, int64_t passes) = nullptr;
  // a = b + s c
  void (*triad)(float* a, const float* b, const float* c, float s, size_t n, int64_t passes) = nullptr;
  void (*triad_nt)(float* a, const float* b, const float* c, float s, size_t n, int64_t passes) = nullptr;
  void (*update)(float* a, float s, size_t n, int64_t passes) = nullptr;  // a = s a
};

#if defined(__x86_64__)
extern const PeakKernel kSsePeak, kAvx2Peak, kAvx512Peak;  // fp32
extern const PeakKernel kVnniPeak, kAvxVnniPeak;           // int8: 512 and 256 bits wide
extern const PeakKernel kBf16Peak;
extern const PeakKernel kAmxInt8Peak, kAmxBf16Peak;
extern const StreamKernels kSseStreams, kAvx2Streams, kAvx512Streams;
#elif defined(__aarch64__)
extern const PeakKernel kNeonPeak;
extern const PeakKernel kNeonDotPeak;  // int8
extern const PeakKernel kNeonBf16Peak;
extern const StreamKernels kNeonStreams;
#endif

}  // namespace corecast::calibration::microbench
