// A problem in oneDNN's terms: its primitive, and the tensors that go in and come out.
#pragma once

#include <vector>

#include "calibration/microbench/kernel_shapes.hpp"
#include "calibration/microbench/onednn_api.hpp"

namespace corecast::calibration::microbench::onednn {

struct Tensor {
  int argument = 0;              // DNNL_ARG_SRC, ...
  dnnl_memory_desc_t plain{};    // row order, fp32: how inputs are made and results are read
  dnnl_memory_desc_t blocked{};  // type and format that the primitive works on
};

struct Plan {
  PrimitiveDesc primitive;
  std::vector<Tensor> inputs;  // number i is filled with input_values(i, ...)
  Tensor output;
};

// Throws Refusal.
[[nodiscard]] Plan plan(const Session& session, const Problem& problem);

}  // namespace corecast::calibration::microbench::onednn
