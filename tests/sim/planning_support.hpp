// A small runtime with round numbers: efficiency 1 everywhere, no costs, a sharp roofline.
#pragma once

#include "base/kernel_class.hpp"
#include "sim/runtime.hpp"

namespace corecast::test {

inline sim::Runtime plain_runtime() {
  sim::Runtime runtime;
  runtime.name = "plain";
  runtime.framework = "onnxruntime";
  for (std::size_t i = 0; i < kKernelClassNames.size(); ++i) {
    sim::KernelModel kernel;
    kernel.cut = sim::Cut::rows;
    kernel.efficiency.value = 1.0;
    kernel.memory_efficiency.value = 1.0;
    runtime.kernels[static_cast<KernelClass>(i)] = kernel;
  }
  runtime.kernels[KernelClass::gemm].cut = sim::Cut::gemm;
  runtime.cutting.row_elements_per_part = 1.0;
  runtime.smoothing.value = 1e3;  // as good as max(t_c, t_m)
  return runtime;
}

}  // namespace corecast::test
