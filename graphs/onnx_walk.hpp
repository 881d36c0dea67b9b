// From the nodes of a model, one after the other, to operators with their work.
#pragma once

#include <onnx/onnx_pb.h>

#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "graphs/graph.hpp"
#include "graphs/onnx_shapes.hpp"

namespace corecast::graphs::importing {

using TensorIndex = std::size_t;
inline constexpr TensorIndex kAbsent = std::numeric_limits<TensorIndex>::max();

// An operator that will be in the graph, and the tensors that tie it to others.
struct Found {
  Operator op;
  std::vector<TensorIndex> reads;  // computed by another operator or given as input; each once
  std::vector<TensorIndex> writes;
  std::vector<TensorIndex> weights;  // constants that count as parameters
};

// Something to tell the user, collected by kind: how often, and where first.
struct Remark {
  std::size_t count = 0;
  std::string first;
};
using Remarks = std::map<std::pair<std::string, std::string>, Remark>;  // by code and subject

// What walking one graph (or branch, or body) gave.
struct Section {
  std::vector<Found> found;
  std::vector<TensorIndex> outputs;
  Remarks remarks;

  void remark(const std::string& code, const std::string& subject, const std::string& where,
              std::size_t count = 1);
  void append(Section other);  // its operators and remarks; outputs stay
};

// Names seen from inside one graph; subgraphs see those of the graphs around them.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_map<std::string_view, TensorIndex> names;

  [[nodiscard]] std::optional<TensorIndex> find(std::string_view name) const;
};

// With ImportOptions::strict: stops the import wherever it is found, also in a branch that might not be
// taken.
class NoWorkRule : public InputError {
 public:
  using InputError::InputError;
};

// What holds for all nodes of one graph.
struct Frame {
  Scope scope;
  std::map<std::string, std::int64_t> opsets;  // by domain
  std::unordered_map<std::string_view, const ::onnx::TypeProto*>
      declared;        // what the file says of its tensors
  std::string prefix;  // before operator names
};

// What holds for the whole import.
struct Context {
  bool strict = false;
  std::optional<Rebatch> rebatch;
  std::map<std::string, std::int64_t> dimensions;
  std::map<std::pair<std::string, std::string>, const ::onnx::FunctionProto*>
      functions;  // by domain and name
  std::deque<Tensor> tensors;
  std::deque<google::protobuf::RepeatedPtrField<::onnx::NodeProto>>
      bodies;  // of called functions, attributes filled in
  std::size_t visited = 0;
  int depth = 0;

  TensorIndex add(Tensor tensor);
};

using Nodes = google::protobuf::RepeatedPtrField<::onnx::NodeProto>;

// Indices of the nodes whose results are used, each after those that it reads from. InputError for names that
// nobody produces or two produce, and for cycles.
struct Order {
  std::vector<int> nodes;
  std::size_t unused = 0;
};
[[nodiscard]] Order order_of(const Nodes& nodes, const std::vector<std::string_view>& outputs,
                             const Scope& scope);

// The node's own name, made printable, or its type and index.
[[nodiscard]] std::string name_of(const ::onnx::NodeProto& node, int index);

// Adds the graph's initialisers and declarations to the frame.
void enter_graph(Context& context, Frame& frame, const ::onnx::GraphProto& graph);
// Inputs must be in the frame's scope already.
[[nodiscard]] Section walk_nodes(Context& context, Frame& frame, const Nodes& nodes,
                                 const std::vector<std::string_view>& outputs);
[[nodiscard]] std::vector<std::string_view> output_names(const ::onnx::GraphProto& graph);

// Operators that hold graphs, and calls of the model's own functions: walked, their operators added to the
// section, their results to the frame's scope. False for all other nodes.
[[nodiscard]] bool walk_control(Context& context, Frame& frame, const ::onnx::NodeProto& node,
                                const std::string& name, std::int64_t opset, Section& section);

[[nodiscard]] TensorIndex resolve(const Frame& frame, const std::string& name);

}  // namespace corecast::graphs::importing
