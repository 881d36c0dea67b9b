// One node that holds graphs or calls a function, while it is walked.
#pragma once

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "graphs/onnx_walk.hpp"

namespace corecast::graphs::importing {

struct Call {
  Context& context;
  Frame& frame;
  const ::onnx::NodeProto& node;
  const std::string& name;
  std::int64_t opset;

  [[nodiscard]] std::string place() const {
    return fmt::format("node {} ({})", quote(name), quote(node.op_type()));
  }
  // Index of input i, or kAbsent.
  [[nodiscard]] TensorIndex input(int i) const {
    return i >= node.input_size() || node.input(i).empty() ? kAbsent : resolve(frame, node.input(i));
  }
  [[nodiscard]] const Tensor* tensor(int i) const {
    const TensorIndex index = input(i);
    return index == kAbsent ? nullptr : &context.tensors[index];
  }
};

// The frame of a graph inside the node: it sees the names around the node.
[[nodiscard]] Frame inner_frame(const Call& call, const std::string& label);
[[nodiscard]] const ::onnx::GraphProto& graph_of(const Call& call, std::string_view attribute);
// Gives the node's results to the names that stand for them outside.
void bind_outputs(const Call& call, const std::vector<TensorIndex>& results, Section& section);

// Bodies as one operator each, of class control.
void walk_loop(const Call& call, Section& section);
void walk_scan(const Call& call, Section& section);

}  // namespace corecast::graphs::importing
