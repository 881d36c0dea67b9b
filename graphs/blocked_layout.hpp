// Layouts of images inside a runtime: some operators keep channels in blocks, so tensors are reordered on the way between
// them and those that read and write the plain layout. The reorders become operators of the prepared graph, as the
// runtime's own optimiser makes them nodes.
//
//   blocked    an operator of `operators` with an image as its result, whose channels fill whole blocks where it has
//              groups (channels of a group in and out; of a depthwise convolution or a pool, channels)
//   following  takes the layout of what it reads, when all of that is blocked
//   plain      everything else, the model's inputs and its outputs
//
// One "Reorder" for each plain tensor that blocked operators read, and for each blocked tensor that plain ones read: its
// bytes read and written once, class `transpose`. A convolution of fewer channels than a block reads
// the plain layout by itself.
// Leaves out: reorders of weights (done once, before the run), and padding of channels up to whole blocks.
// Source: onnxruntime/core/optimizer/nchwc_transformer.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/graph.hpp"

namespace corecast::graphs {

struct BlockedLayout {
  std::int64_t channels = 0;           // in a block; 0: the runtime has no such layout
  std::vector<std::string> operators;  // ONNX types; a fused "Conv+Relu" counts as "Conv"
  std::vector<std::string> following;
  friend bool operator==(const BlockedLayout&, const BlockedLayout&) = default;
};

// `graph` with its reorders; the same graph where there are none. InputError when it has a cycle.
[[nodiscard]] Graph with_reorders(Graph graph, const BlockedLayout& layout);

}  // namespace corecast::graphs
