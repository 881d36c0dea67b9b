// Kernels of oneDNN 2 (C interface), loaded at run time; its header is needed to compile alone. Without the
// header missing() says so.
//
// Forward inference, fp32; matrix products also bf16 and int8 (unsigned by signed into int32). oneDNN chooses
// the memory format of every tensor that a framework with blocked layouts lets it choose: images and weights.
// Tensors come in row order into matrix products; of batched ones (attention) both operands do, since neither
// is a constant there. Bringing the data into those formats is not part of a call. No bias and no fused
// operation.
// Leaves out: oneDNN 3, whose interface differs; dilation; Winograd (direct convolution is asked for).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "calibration/microbench/kernel_shapes.hpp"
#include "calibration/microbench/library_call.hpp"

namespace corecast::calibration::microbench {

class OneDnn {
 public:
  OneDnn();
  ~OneDnn();
  OneDnn(const OneDnn&) = delete;
  OneDnn& operator=(const OneDnn&) = delete;

  [[nodiscard]] const std::string& missing() const { return missing_; }  // empty: ready
  [[nodiscard]] std::string version() const;                             // "2.6.3, up to avx512_core_bf16"

  // Threads of the kernels prepared and called from now on by the calling thread, thread i on cpus[i]; thread
  // 0, the caller, is left alone. Why not, or empty.
  [[nodiscard]] std::string use(const std::vector<int>& cpus);
  [[nodiscard]] bool not_pinned() const { return not_pinned_; }

  // The call is for the thread count in use, and must not outlive this object.
  [[nodiscard]] LibraryCall prepare(const Problem& problem) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string missing_;
  bool not_pinned_ = false;
};

}  // namespace corecast::calibration::microbench
