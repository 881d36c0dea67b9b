// Rates of a matrix product through a library's own entry point, in a plain loop: what cross_check.mjs compares with.
// Usage: gemm_loop N SECONDS; prints one Gflop/s a call. Built with -DWITH_BLAS -lopenblas or with -ldnnl.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef WITH_BLAS
#include <cblas.h>
#else
#include <dnnl.h>
#endif

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  const int n = atoi(argv[1]);
  const double seconds = atof(argv[2]);
  const size_t count = (size_t)n * (size_t)n;
  float* a = aligned_alloc(64, count * sizeof(float));
  float* b = aligned_alloc(64, count * sizeof(float));
  float* c = aligned_alloc(64, count * sizeof(float));
  for (size_t i = 0; i < count; ++i) {
    a[i] = (float)(i % 7) * 0.25f;
    b[i] = (float)(i % 5) * 0.5f - 1.0f;
    c[i] = 0.0f;
  }
  const double begin = now();
  for (int call = 0; call < 3 || now() - begin < seconds; ++call) {
    const double start = now();
#ifdef WITH_BLAS
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, a, n, b, n, 0.0f, c, n);
#else
    dnnl_sgemm('N', 'N', n, n, n, 1.0f, a, n, b, n, 0.0f, c, n);
#endif
    if (call > 0) printf("%.2f\n", 2.0 * n * n * n / (now() - start) * 1e-9);
  }
  return c[count - 1] == -12345.0f;  // the products are used
}
