// The operator DAG of one model, in one batch size.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/index.hpp"
#include "base/kernel_class.hpp"
#include "graphs/work.hpp"

namespace corecast::graphs {

struct Operator {
  std::string name;  // unique in the graph
  std::string type;  // ONNX operator type, e.g. "Conv"; "Conv+Relu" after fusion
  KernelClass kernel = KernelClass::other;
  Work work;
  std::int64_t parameters =
      0;  // weight elements that belong to this operator (shared ones: at the first user)
  std::optional<MatrixShape> matrix;       // of gemm, conv*, recurrent
  std::vector<std::int64_t> window;        // of convolutions and pools: kernel sizes, e.g. {3, 3}
  std::vector<std::int64_t> output_shape;  // of the first output; empty for a scalar or unknown
  bool understood = true;                  // false: no rule, counted as a memory pass

  friend bool operator==(const Operator&, const Operator&) = default;
};

struct Edge {
  Bytes bytes{};  // of the tensor(s) that flow along it; 0 for a pure order constraint
  friend bool operator==(const Edge&, const Edge&) = default;
};

// Something the import could not do exactly. `code` is stable ("unknown-operator", "dynamic-shape", ...).
struct Note {
  std::string code;
  std::string text;
  friend bool operator==(const Note&, const Note&) = default;
};

struct Connection {
  OpIndex from;
  OpIndex to;
  Bytes bytes{};
  friend bool operator==(const Connection&, const Connection&) = default;
};

struct Topology;  // topology.hpp

class Graph {
 public:
  Graph();
  ~Graph();
  Graph(const Graph& other);
  Graph& operator=(const Graph& other);
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&& other) noexcept;

  std::string name;
  std::int64_t batch = 1;
  std::int64_t inputs = 1;  // tensors that a call hands over
  std::vector<Note> notes;

  OpIndex add(Operator op);                             // InputError on a repeated name
  void connect(OpIndex from, OpIndex to, Bytes bytes);  // parallel edges are merged, bytes added

  [[nodiscard]] std::size_t size() const { return operators_.size(); }
  [[nodiscard]] const Operator& op(OpIndex i) const { return operators_[i.value()]; }
  // Leave its name alone: `find` knows the old one.
  [[nodiscard]] Operator& op(OpIndex i) { return operators_[i.value()]; }
  [[nodiscard]] const Topology& topology() const { return *topology_; }
  [[nodiscard]] std::vector<OpIndex> predecessors(OpIndex i) const;  // ascending
  [[nodiscard]] std::vector<OpIndex> successors(OpIndex i) const;    // ascending
  [[nodiscard]] std::vector<Connection> connections() const;         // ascending by from, then to
  [[nodiscard]] std::optional<OpIndex> find(std::string_view op_name) const;

  // Kahn's order: of the operators whose predecessors are all placed, the one of the lowest index comes next.
  // InputError naming the operators of a cycle when there is one.
  [[nodiscard]] std::vector<OpIndex> topological_order() const;

  [[nodiscard]] Flops total_flops() const;
  [[nodiscard]] std::int64_t total_parameters() const;
  [[nodiscard]] Bytes total_traffic() const;

  // Same names, operators in the same order, connections, batch, inputs and notes.
  friend bool operator==(const Graph& a, const Graph& b);

 private:
  std::vector<Operator> operators_;
  std::unique_ptr<Topology> topology_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

}  // namespace corecast::graphs
