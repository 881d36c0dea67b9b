#include "calibration/microbench/openblas.hpp"

#include <fmt/format.h>

#include <limits>

#include "calibration/microbench/thread_mask.hpp"

namespace corecast::calibration::microbench {
namespace {

constexpr int kRowMajor = 101;  // of the C interface to BLAS
constexpr int kNoTranspose = 111;

struct Matrices {
  std::vector<float> a, b, c;
};

bool fits(const Product& p) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  return p.m <= most && p.n <= most && p.k <= most;
}

}  // namespace

OpenBlas::OpenBlas() : library_({"libopenblas.so.0", "libopenblasp.so.0"}) {
  if (!library_.loaded()) {
    missing_ = fmt::format("{} (Debian package libopenblas0)", library_.error());
    return;
  }
  if (!library_.find("cblas_sgemm", sgemm_) || !library_.find("openblas_set_num_threads", set_num_threads_) ||
      !library_.find("openblas_get_num_threads", get_num_threads_)) {
    missing_ = fmt::format("{} lacks cblas_sgemm or its thread settings", library_.name());
    return;
  }
  (void)library_.find("openblas_get_config", get_config_);
  (void)library_.find("openblas_get_corename", get_corename_);
  (void)library_.find("openblas_setaffinity", set_affinity_);
  constexpr int kOpenMpBuild = 2;
  int (*parallel)() = nullptr;
  if (library_.find("openblas_get_parallel", parallel) && parallel() == kOpenMpBuild) {
    openmp_ = OpenMpThreads::of(library_);
  }
}

std::string OpenBlas::version() const {
  return get_config_ != nullptr ? get_config_() : library_.name();
}

std::string OpenBlas::core() const {
  return get_corename_ != nullptr ? get_corename_() : "";
}

bool OpenBlas::pin_workers(const std::vector<int>& cpus) const {
  if (cpus.size() < 2) return true;
  if (openmp_) return openmp_->use(cpus);
  if (set_affinity_ == nullptr) return false;
  for (std::size_t worker = 0; worker + 1 < cpus.size(); ++worker) {
    CpuMask mask({cpus[worker + 1]});
    if (set_affinity_(static_cast<int>(worker), mask.bytes(), mask.get()) != 0) return false;
  }
  return true;
}

std::string OpenBlas::use(const std::vector<int>& cpus) {
  const auto threads = static_cast<int>(cpus.size());
  set_num_threads_(threads);
  if (get_num_threads_() != threads) {
    return fmt::format("OpenBLAS allows {} threads here, not {}", get_num_threads_(), threads);
  }
  not_pinned_ = !pin_workers(cpus);
  return {};
}

LibraryCall OpenBlas::prepare(const Problem& problem) const {
  const Product p = problem.product;
  LibraryCall call;
  if (problem.function != Function::matmul || problem.type != DataType::fp32 || p.batch != 1 || !fits(p)) {
    call.refused = "not a single fp32 matrix product";
    return call;
  }
  const auto matrices = std::make_shared<Matrices>();
  matrices->a = input_values(0, p.m * p.k, DataType::fp32);
  matrices->b = input_values(1, p.k * p.n, DataType::fp32);
  matrices->c.resize(static_cast<std::size_t>(p.m * p.n));
  const auto m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  Sgemm* const sgemm = sgemm_;
  call.implementation = core();
  call.run = [=] {
    sgemm(kRowMajor, kNoTranspose, kNoTranspose, m, n, k, 1.0F, matrices->a.data(), k, matrices->b.data(), n,
          0.0F, matrices->c.data(), n);
  };
  call.result = [=] { return matrices->c; };
  return call;
}

}  // namespace corecast::calibration::microbench
