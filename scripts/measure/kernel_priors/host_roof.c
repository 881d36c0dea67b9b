// Roofs of one core, the best of many passes: multiply-adds in registers, and reads over buffers of growing size. The figures of
// HOST in roofline.py. Build: gcc -O3 -funroll-all-loops -mavx512f host_roof.c -o host_roof
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile float sink;  // keeps the work from being removed

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double multiply_adds(int rounds) {
  __m512 x[16];
  for (int i = 0; i < 16; ++i) x[i] = _mm512_set1_ps(1e-3f * (float)i);
  const __m512 factor = _mm512_set1_ps(0.999f);
  const double start = now();
  for (int r = 0; r < rounds; ++r) {
    for (int i = 0; i < 16; ++i) x[i] = _mm512_fmadd_ps(x[i], factor, factor);
  }
  const double time = now() - start;
  for (int i = 1; i < 16; ++i) x[0] = _mm512_add_ps(x[0], x[i]);
  sink = _mm512_reduce_add_ps(x[0]);
  return time;
}

static double read_all(const float* a, size_t n) {
  __m512 sum[4] = {_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps()};
  const double start = now();
  for (size_t i = 0; i < n; i += 64) {
    for (size_t j = 0; j < 4; ++j) sum[j] = _mm512_add_ps(sum[j], _mm512_load_ps(a + i + 16 * j));
  }
  const double time = now() - start;
  sink = _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(sum[0], sum[1]), _mm512_add_ps(sum[2], sum[3])));
  return time;
}

int main(void) {
  enum { kRounds = 20000 };
  double best = 1e9;
  for (int r = 0; r < 200; ++r) {
    const double time = multiply_adds(kRounds);
    if (time < best) best = time;
  }
  printf("fp32 multiply-adds: %.1f GFLOP/s\n", 16.0 * 32.0 * kRounds / best / 1e9);
  for (size_t kib = 16; kib <= 256 * 1024; kib *= 2) {
    const size_t n = kib * 256;
    float* a = aligned_alloc(4096, n * sizeof(float));
    if (a == NULL) return 1;
    memset(a, 0, n * sizeof(float));
    const int passes = kib < 2048 ? 3000 : kib < 65536 ? 200 : 20;
    best = 1e9;
    for (int r = 0; r < passes; ++r) {
      const double time = read_all(a, n);
      if (time < best) best = time;
    }
    printf("%7zu KiB read: %.1f GB/s\n", kib, (double)(n * sizeof(float)) / best / 1e9);
    free(a);
  }
  return 0;
}
