// No work at run time: the tensor's bytes stay where they are, or the value is known before the run (then it
// is folded) unless what it is made of is computed in the run: then it is a fill.
#include <array>

#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

Operator reshape(const NodeView& node) {
  (void)input(node, 0);
  return nothing(node);
}

// Inference: the identity. In training mode it draws a mask.
Operator dropout(const NodeView& node) {
  (void)input(node, 0);
  return nothing(node);
}

Operator constant_of_shape(const NodeView& node) {
  (void)input(node, 0);
  return fill_unless_constant(node, kFree);
}

// Its input says the shape only.
Operator eye_like(const NodeView& node) {
  (void)input(node, 0);
  return fill(node, kFree);
}

Operator range(const NodeView& node) {
  (void)input(node, 2);
  return fill_unless_constant(node, kSimple);
}

constexpr std::array kRules{
    Entry{kOnnx, "Constant", nothing},
    Entry{kOnnx, "ConstantOfShape", constant_of_shape},
    Entry{kOnnx, "Dropout", dropout},
    Entry{kOnnx, "EyeLike", eye_like},
    Entry{kOnnx, "Flatten", reshape},
    Entry{kOnnx, "Identity", reshape},
    Entry{kOnnx, "Optional", nothing},
    Entry{kOnnx, "OptionalGetElement", nothing},
    Entry{kOnnx, "OptionalHasElement", nothing},
    Entry{kOnnx, "Range", range},
    Entry{kOnnx, "Reshape", reshape},
    Entry{kOnnx, "SequenceAt", nothing},
    Entry{kOnnx, "SequenceConstruct", nothing},
    Entry{kOnnx, "SequenceEmpty", nothing},
    Entry{kOnnx, "SequenceErase", nothing},
    Entry{kOnnx, "SequenceInsert", nothing},
    Entry{kOnnx, "SequenceLength", nothing},
    Entry{kOnnx, "Shape", reshape},
    Entry{kOnnx, "Size", reshape},
    Entry{kOnnx, "Squeeze", reshape},
    Entry{kOnnx, "Unsqueeze", reshape},
    Entry{kMicrosoft, "ExpandDims", reshape},
    Entry{kMicrosoft, "Range", range},
};

}  // namespace

std::span<const Entry> shape_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
