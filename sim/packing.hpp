// What a product pays for bringing its weights into the order that its kernel reads them in, in every call:
//
//   t_pack   = c Q_w / (n f)                      each of n threads packs the columns it works on
//   t_serial = c_odd Q_w / f                      n odd, n > 1 and m >= m_odd; else 0
//
// c, c_odd cycles per byte, Q_w bytes of weights, f clock of a core [1/s], m rows of the product; times in s.
// Libraries that take plain matrices (MKL and OpenBLAS below PyTorch's linear) pack them; those that keep weights in an
// order of their own (oneDNN after a first call, onnxruntime) do not, and c = 0.
//
// The second line describes what is seen, not what was read in a library: BERT-base in PyTorch 1.12 (MKL) on two kinds of
// Xeon needs the same 45 ms (22 ms on the other) more for every odd number of threads from 3 to 17, whatever the number, and whatever
// the batch from 8 (136 rows) to 128; with 68 rows and fewer it does not. That is one pass over all weights by
// one thread. Leaves out: why a library would do that, and kernels that choose by other sizes.
// Source of the figures: measurements of github msr-fiddle/packrat (arXiv 2311.18174).
#pragma once

#include "base/quantity.hpp"
#include "graphs/graph.hpp"
#include "sim/runtime.hpp"

namespace corecast::sim {

struct Packing {
  Seconds parallel{};  // t_pack
  Seconds serial{};    // t_serial
};

// Nothing for what is no product. `clock` in cycles per second.
[[nodiscard]] Packing packing(const graphs::Operator& op, const KernelModel& kernel, double clock,
                              int threads);

}  // namespace corecast::sim
