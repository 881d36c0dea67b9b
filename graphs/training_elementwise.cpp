// Gradients of elementwise operators. Equations: training.hpp.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "graphs/rules/rules.hpp"
#include "graphs/training_backward.hpp"

namespace corecast::graphs::training {
namespace {

using rules::kDivide;
using rules::kErf;
using rules::kExp;
using rules::kSigmoid;
using rules::kTangent;
using rules::kTanh;

// dx = f'(x) dy: flop per element, and which of the forward pass's tensors f' is taken from.
enum class From { x, y, none };
struct Activation {
  std::string_view type;
  double flop;
  From from;
};

constexpr std::array kActivations{
    Activation{"Abs", 1, From::x},
    Activation{"Cast", 1, From::none},
    Activation{"Clip", 2, From::x},
    Activation{"Cos", rules::kSine + 2, From::x},
    Activation{"Elu", 3, From::y},  // y + alpha where y < 0
    Activation{"Erf", kExp + 3, From::x},
    Activation{"Exp", 1, From::y},
    Activation{"FastGelu", kTanh + 12, From::x},
    Activation{"Gelu", kErf + kExp + 6, From::x},  // Phi(x) + x phi(x)
    Activation{"HardSigmoid", 2, From::y},
    Activation{"HardSwish", 4, From::x},
    Activation{"LeakyRelu", rules::kLeakyRelu, From::x},
    Activation{"Log", kDivide, From::x},
    Activation{"Neg", 1, From::none},
    Activation{"QuickGelu", kSigmoid + 5, From::x},
    Activation{"Reciprocal", 3, From::y},  // -y^2
    Activation{"Relu", 1, From::y},
    Activation{"Sigmoid", 3, From::y},  // y (1 - y)
    Activation{"Sin", rules::kSine + 1, From::x},
    Activation{"Softplus", kSigmoid + 1, From::x},
    Activation{"Sqrt", kDivide + 1, From::y},      // 1 / 2y
    Activation{"Swish", kSigmoid + 5, From::x},    // s + y (1 - s)
    Activation{"Tan", 3, From::y},                 // 1 + y^2
    Activation{"Tanh", 3, From::y},                // 1 - y^2
    Activation{"Softsign", kDivide + 2, From::x},  // 1 / (1 + |x|)^2
    Activation{"Atan", kDivide + 2, From::x},      // 1 / (1 + x^2)
    Activation{"Sinh", kTangent + 1, From::x},
};

bool same_size(const Step& step, std::size_t i) {
  return step.input(i).elements() == step.results();
}

// `flop` per element of the result, and one more where it is summed to a broadcast input.
Gradient& sized(Gradient& gradient, const Step& step, std::size_t input, double flop) {
  gradient.flops((flop + (same_size(step, input) ? 0.0 : 1.0)) * step.results());
  if (!same_size(step, input)) {
    const auto count = static_cast<std::int64_t>(step.input(input).elements());
    gradient.units(std::max(count, rules::chunk_units(static_cast<std::int64_t>(step.results()))));
  }
  return gradient.to(input);
}

Gradient operand(Backward& backward, const Step& step, std::size_t input) {
  return {backward, step, part(step, input), gradient_type(step, input),
          same_size(step, input) ? KernelClass::elementwise : KernelClass::reduce};
}

}  // namespace

std::string gradient_type(const Step& step, std::size_t input) {
  return step.node.type + (step.is_learned(input) ? "GradWeights" : "Grad");
}

std::string_view part(const Step& step, std::size_t input) {
  return step.is_learned(input) ? "weights" : "data";
}

bool activation_gradient(Backward& backward, const Step& step) {
  const auto found = std::find_if(kActivations.begin(), kActivations.end(),
                                  [&](const Activation& row) { return row.type == step.node.type; });
  if (found == kActivations.end()) return false;
  const Activation& row = *found;
  Gradient gradient(backward, step, "data", step.node.type + "Grad", KernelClass::elementwise);
  gradient.dy();
  if (row.from == From::x) gradient.x(0);
  if (row.from == From::y) gradient.y();
  gradient.flops(row.flop * step.results()).to(0).add();
  return true;
}

void binary_gradients(Backward& backward, const Step& step) {
  const std::string& type = step.node.type;
  const bool square = step.input(0).name == step.input(1).name;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!step.wants(i)) continue;
    if (type == "Sub" && i == 0) {
      pass_on(backward, step, i);
      continue;
    }
    Gradient gradient = operand(backward, step, i);
    gradient.dy();
    double flop = 1.0;  // Sub: the sign; Mul: the other factor
    if (type == "Mul") {
      gradient.x(1 - i);
      if (square) flop = 2.0;
    } else if (type == "Div") {
      gradient.x(1);
      flop = kDivide;  // dy / b, and -dy y / b
      if (i == 1) {
        gradient.y();
        flop += 2.0;
      }
    } else if (type == "Pow") {
      // p x^(p - 1) dy, and y log x dy: a power of its own each.
      gradient.x(0).x(1);
      if (i == 1) gradient.y();
      flop =
          i == 0 ? step.forward.work.flops.value() / std::max(1.0, step.results()) + 2.0 : rules::kLog + 2.0;
    }
    sized(gradient, step, i, flop).add();
  }
}

void sum_gradients(Backward& backward, const Step& step) {
  for (std::size_t i = 0; i < step.node.inputs.size(); ++i) {
    if (step.input(i).absent) continue;
    const bool again = std::any_of(step.data.begin(), step.data.end(), [&](std::size_t j) {
      return j < i && step.input(j).name == step.input(i).name;
    });
    if (step.wants(i) || again) pass_on(backward, step, i);
  }
}

void where_gradients(Backward& backward, const Step& step) {
  for (std::size_t i = 1; i < 3; ++i) {
    if (!step.wants(i)) continue;
    Gradient gradient = operand(backward, step, i);
    gradient.dy().x(0);
    sized(gradient, step, i, 1.0).add();
  }
}

void dropout_gradient(Backward& backward, const Step& step) {
  Gradient(backward, step, "data", "DropoutGrad", KernelClass::elementwise)
      .dy()
      .saved(Bytes(step.results()))  // the mask
      .flops(2.0 * step.results())
      .to(0)
      .add();
}

void pass_on(Backward& backward, const Step& step, std::size_t input) {
  if (step.input(input).elements() == step.results()) {
    backward.deliver(step, input, step.dy.front());
    return;
  }
  const bool learned = step.is_learned(input);
  Gradient gradient(backward, step, learned ? "bias" : "data", learned ? "BiasGrad" : step.node.type + "Grad",
                    KernelClass::reduce);
  gradient.dy();
  sized(gradient, step, input, 0.0).add();
}

}  // namespace corecast::graphs::training
