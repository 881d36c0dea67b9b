// OpenVINO's zero-run rule for the CPU plugin: streams and threads per stream from the model's pressure on L2.
//
//   bytes(op)  = activations in + out of matrix products and of convolutions with a 1x1 window
//                (larger windows count as compute-bound and are skipped)
//   tolerance  = min over those of L2 per core / bytes;  threshold = 0.5 / isa_factor
//   threads    = 1 when tolerance > threshold (2 with SMT siblings), 2 when > 0.5,
//                else by memory: 4, 5 or 3 as they divide the cores of a NUMA domain
// Source: openvinotoolkit/openvino, src/plugins/intel_cpu/src/cpu_streams_calculation.cpp and
// src/inference/dev_api/openvino/runtime/performance_heuristics.hpp, as of 2025.
#pragma once

#include "graphs/graph.hpp"
#include "sim/search.hpp"

namespace corecast::sim {

struct Streams {
  int streams = 1;
  int threads_per_stream = 1;
  friend bool operator==(const Streams&, const Streams&) = default;
};

[[nodiscard]] Streams openvino_streams(const graphs::Graph& graph, const Target& target, Objective objective);

}  // namespace corecast::sim
