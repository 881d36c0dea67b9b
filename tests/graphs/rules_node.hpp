// Nodes from one line of text, so that a test of a work rule reads like the operator.
//
//   node("Conv", "1x3x224x224, w 64x3x7x7 -> 1x64x112x112", {{"group", 1}})
//
//   tensors   = inputs "->" outputs               each a list with ","; either may be empty
//   tensor    = "-" | { flag } shape              "-" is one left out
//   flag      = "w" (a constant) | data type (default fp32)
//   shape     = sizes with "x" | "scalar" | "?" (unknown) | "=" values with "/" (a constant int64 vector)
//
// A size "B" stands for the batch. Inputs are named i0, i1, ..., outputs o0, ...; a tensor "@k" is input k again.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "graphs/work_rules.hpp"

namespace corecast::test {

using Attributes = std::map<std::string, graphs::Attribute>;

// Domain before a colon: "com.microsoft:FusedConv". Without attributes that say otherwise the operator set is 17.
[[nodiscard]] graphs::NodeView node(std::string_view type, std::string_view tensors,
                                    Attributes attributes = {}, std::int64_t batch = 1);

[[nodiscard]] inline graphs::Operator rule(std::string_view type, std::string_view tensors,
                                           Attributes attributes = {}, std::int64_t batch = 1) {
  return graphs::operator_of(node(type, tensors, std::move(attributes), batch));
}

[[nodiscard]] inline double flop(const graphs::Operator& op) {
  return op.work.flops.value();
}

// Whole numbers and lists of them, without the type's name at every use.
[[nodiscard]] inline graphs::Attribute whole(std::int64_t value) {
  return value;
}
[[nodiscard]] inline graphs::Attribute list(std::vector<std::int64_t> values) {
  return values;
}
[[nodiscard]] inline graphs::Attribute text(std::string value) {
  return value;
}

}  // namespace corecast::test
