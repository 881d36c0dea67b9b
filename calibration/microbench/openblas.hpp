// Matrix products of OpenBLAS (cblas_sgemm), loaded at run time.
//
// Row-major C (m x n) = A (m x k) times B (k x n), alpha 1, beta 0. Each call packs A and B itself: BLAS
// knows no weights that were brought into its layout beforehand. Holds for the builds with threads of its own
// and with OpenMP.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibration/microbench/dynamic_library.hpp"
#include "calibration/microbench/kernel_shapes.hpp"
#include "calibration/microbench/library_call.hpp"
#include "calibration/microbench/openmp.hpp"

namespace corecast::calibration::microbench {

class OpenBlas {
 public:
  OpenBlas();

  [[nodiscard]] const std::string& missing() const { return missing_; }  // empty: ready
  [[nodiscard]] std::string version() const;                             // as the library describes itself
  [[nodiscard]] std::string core() const;  // whose kernels it dispatches: "SkylakeX"

  // Threads of the next calls, thread i on cpus[i]; thread 0, the caller, is left alone. Why not, or empty.
  // not_pinned(): the workers run where the system puts them.
  [[nodiscard]] std::string use(const std::vector<int>& cpus);
  [[nodiscard]] bool not_pinned() const { return not_pinned_; }

  [[nodiscard]] LibraryCall prepare(const Problem& problem) const;

 private:
  [[nodiscard]] bool pin_workers(const std::vector<int>& cpus) const;

  using Sgemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                     const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
  DynamicLibrary library_;
  std::string missing_;
  std::optional<OpenMpThreads> openmp_;
  Sgemm* sgemm_ = nullptr;
  void (*set_num_threads_)(int) = nullptr;
  int (*get_num_threads_)() = nullptr;
  char* (*get_config_)() = nullptr;
  char* (*get_corename_)() = nullptr;
  // From 0.3.21; number `threads - 1` is the caller.
  int (*set_affinity_)(int number, std::size_t bytes, void* mask) = nullptr;
  bool not_pinned_ = false;
};

}  // namespace corecast::calibration::microbench
