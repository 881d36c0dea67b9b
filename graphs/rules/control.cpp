// Control flow: the bodies are graphs of their own, counted by whoever has them. The operator itself does
// nothing.
#include <array>

#include "graphs/rules/rules.hpp"

namespace corecast::graphs::rules {
namespace {

Operator control(const NodeView& node) {
  Operator op = nothing(node);
  op.kernel = KernelClass::control;
  return op;
}

constexpr std::array kRules{
    Entry{kOnnx, "If", control},
    Entry{kOnnx, "Loop", control},
    Entry{kOnnx, "Scan", control},
    Entry{kOnnx, "SequenceMap", control},
    Entry{kMicrosoft, "BeamSearch", control},
    Entry{kMicrosoft, "GreedySearch", control},
    Entry{kMicrosoft, "Sampling", control},
    Entry{kMicrosoft, "WhisperBeamSearch", control},
};

}  // namespace

std::span<const Entry> control_rules() {
  return kRules;
}

}  // namespace corecast::graphs::rules
