// Partition: how a runtime cuts one operator into parts for T threads.
//
//   whole     1 part
//   nchwc     U = images groups ceil(C_out/groups / (f b)) H_out  (conv; f blocks of b channels in a unit)
//             U = ceil(images channels / b) H_out                  (pooling, depthwise)
//             always forked over T threads; load of the busiest = ceil(U/T) / U
//   gemm      parts = min( floor(m n k / g) + 1, cap, T ); along the longer of n (in columns of c) and m;
//             a batch of B products: B ceil(parts/B) items over T threads; of a recurrent operator those of one step
//   elements  cycles = a bytes + flop; below a threshold 1 part, else min( T, floor(cycles / block) ) threads
//   rows      parts = min( T, rows, floor(elements / r) + 1 )
//   grain     1 part for up to `grain` elements; else the whole team is forked, of which min( T, ceil(elements / grain) )
//             get equal blocks                                                         (PyTorch's at::parallel_for)
//   team      T parts, whatever the size; load of the busiest = ceil(U/T) / U           (llama.cpp)
//
// Holds for onnxruntime's MLAS and thread pool on x86-64 servers, versions read between 2021 and 2026:
// onnxruntime/core/mlas/lib/{sgemm,snchwc,convolve,compute}.cpp, core/common/threadpool.cc, and Eigen's
// TensorCostModel; PyTorch's aten/src/ATen/ParallelOpenMP.h; oneDNN's convolutions are cut as nchwc, one filter block a
// unit. Leaves out: hybrid CPUs (four times finer), im2col's serial part, work stealing between
// unequal parts.
#pragma once

#include <cstdint>

#include "graphs/graph.hpp"
#include "sim/runtime.hpp"

namespace corecast::sim {

struct Parts {
  int threads = 1;  // that get work or are forked
  // Work of the busiest thread over the mean of all `threads`: q of the kernel's compute roof, >= 1.
  double imbalance = 1.0;
  friend bool operator==(const Parts&, const Parts&) = default;
};

// channel_block: channels in one block of the blocked layout, 16 with 512-bit vectors, else 8.
[[nodiscard]] Parts partition(const graphs::Operator& op, const KernelModel& kernel, const Cutting& cutting,
                              int channel_block, int threads);

}  // namespace corecast::sim
