// Work rules: operator + shapes -> Work, one short function per operator, one table.
//
// Seen through a small view so that the ONNX import and the built-in models share the rules and tests can fake it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graphs/graph.hpp"

namespace corecast::graphs {

struct TensorView {
  std::string name;
  DataType type = DataType::unknown;
  std::optional<std::vector<std::int64_t>> shape;  // all dimensions known and >= 0, or nothing
  bool constant = false;                           // a weight or another value known before the run
  std::optional<std::vector<std::int64_t>>
      integers;         // its values, for small integer constants (axes, pads, shapes)
  bool absent = false;  // an optional input left out

  [[nodiscard]] double elements() const;  // 1 for a scalar, 0 when the shape is unknown
  [[nodiscard]] Bytes bytes() const;
};

using Attribute =
    std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>>;

struct NodeView {
  std::string name;
  std::string type;
  std::string domain;  // "" for the ONNX standard operators, "com.microsoft", ...
  std::int64_t opset = 0;
  std::vector<TensorView> inputs;
  std::vector<TensorView> outputs;
  std::map<std::string, Attribute> attributes;

  [[nodiscard]] std::int64_t whole(std::string_view attribute, std::int64_t otherwise) const;
  [[nodiscard]] double number(std::string_view attribute, double otherwise) const;
  [[nodiscard]] std::string text(std::string_view attribute, std::string_view otherwise) const;
  [[nodiscard]] std::vector<std::int64_t> wholes(std::string_view attribute) const;  // empty when absent
  [[nodiscard]] const TensorView* input(std::size_t i) const;                        // nullptr when left out
  [[nodiscard]] const TensorView* output(std::size_t i) const;
};

// The operator with kernel class, work, matrix, window, output shape. `parameters` is left to the caller, who knows
// which weights are shared. InputError on shapes that contradict the operator (rank, channels, negative or overflowing
// sizes, a needed input left out); the message names the node.
// understood = false means one of two things, which has_work_rule tells apart:
//   no rule for the operator          a memory pass over the tensors of known shape, class `other`
//   a rule, but a shape it needs is unknown    no work, class `other`
// An operator whose results hold no element (a dimension of size 0) does no work. Flop conventions: rules/costs.hpp;
// units: rules/rules.hpp. Where a shape is data dependent (NonZero, NonMaxSuppression) the rule takes its upper bound.
[[nodiscard]] Operator operator_of(const NodeView& node);

[[nodiscard]] bool has_work_rule(std::string_view domain, std::string_view type);
// All operators with a rule, "Conv", "com.microsoft:FusedConv", ..., sorted.
[[nodiscard]] std::vector<std::string> work_rule_names();

}  // namespace corecast::graphs
