// Gradients of everything but products and elementwise operators: one row or one short function for each operator. Equations: training.hpp.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "graphs/rules/rules.hpp"
#include "graphs/training_backward.hpp"

namespace corecast::graphs::training {
namespace {

constexpr double kBatchNormalizationSums = 5;  // x^ 2, sum of dy 1, sum of dy x^ 2
constexpr double kBatchNormalizationData = 6;  // x^ 2, the bracket 3, scale 1
constexpr double kLayerNormalization = 13;     // x^ 2, dy s 1, two sums 3, the bracket 3, scale 1, ds 2, db 1
constexpr double kSoftmax = 4;                 // sum of y dy 2, subtract 1, multiply 1

// Reads dy and nothing else, from which the rest is copied or summed.
void pass(Backward& backward, const Step& step, KernelClass kernel, double flop_per_result) {
  for (const std::size_t i : step.data) {
    Gradient(backward, step, "data", step.node.type + "Grad", kernel)
        .dy()
        .flops(flop_per_result * step.input(i).elements())
        .to(i)
        .add();
  }
}

void reshape(Backward& backward, const Step& step) {
  pass_on(backward, step, 0);
}

void max_pool(Backward& backward, const Step& step) {
  Gradient(backward, step, "data", step.node.type + "Grad", KernelClass::pool)
      .dy()
      .x(0)
      .y()
      .flops(step.forward.work.flops.value() + step.results())
      .to(0)
      .units(step.forward.work.units)
      .shaped(step.forward)
      .working_set(step.forward.work.working_set)
      .add();
}

void average_pool(Backward& backward, const Step& step) {
  Gradient(backward, step, "data", step.node.type + "Grad", KernelClass::pool)
      .dy()
      .flops(step.forward.work.flops.value())
      .to(0)
      .units(step.forward.work.units)
      .shaped(step.forward)
      .working_set(step.forward.work.working_set)
      .add();
}

// Sums first, then the data: one operator, for the data's gradient needs both sums.
void batch_normalization(Backward& backward, const Step& step) {
  const bool data = step.wants(0);
  Gradient gradient(backward, step, data ? "data" : "weights",
                    data ? "BatchNormalizationGrad" : "BatchNormalizationGradWeights",
                    KernelClass::normalization);
  gradient.dy(data ? 2.0 : 1.0).x(0, data ? 2.0 : 1.0);
  for (std::size_t i = 0; i < step.node.inputs.size(); ++i) {
    if (step.wants(i)) gradient.to(i);
  }
  if (data) gradient.x(1);  // the scale
  gradient
      .flops((kBatchNormalizationSums + (data ? kBatchNormalizationData : 0.0)) * step.input(0).elements())
      .units(step.forward.work.units)
      .add();
}

void row_normalization(Backward& backward, const Step& step, double flop, bool from_x, bool from_y) {
  Gradient gradient(backward, step, step.data.empty() ? "weights" : "data",
                    step.node.type + (step.data.empty() ? "GradWeights" : "Grad"), step.forward.kernel);
  gradient.dy();
  if (from_x) gradient.x(0);
  if (from_y) gradient.y();
  for (std::size_t i = 0; i < step.node.inputs.size(); ++i) {
    if (i == 1) gradient.x(i);  // the scale
    if (step.wants(i)) gradient.to(i);
  }
  gradient.flops(flop)
      .units(step.forward.work.units)
      .working_set(step.forward.work.working_set * 1.5)  // two rows are read and one is written
      .add();
}

void layer_normalization(Backward& backward, const Step& step) {
  row_normalization(backward, step, kLayerNormalization * step.input(0).elements(), true, false);
}

void local_response(Backward& backward, const Step& step) {
  row_normalization(backward, step, 2.0 * step.forward.work.flops.value(), true, true);
}

void softmax(Backward& backward, const Step& step) {
  row_normalization(backward, step, kSoftmax * step.results(), false, true);
}

// Each input's gradient is its slice of dy.
void concat(Backward& backward, const Step& step) {
  for (std::size_t i = 0; i < step.node.inputs.size(); ++i) {
    if (step.input(i).absent) continue;
    const bool again = std::any_of(step.data.begin(), step.data.end(), [&](std::size_t j) {
      return j < i && step.input(j).name == step.input(i).name;
    });
    if (!step.wants(i) && !again) continue;
    const double share = step.input(i).elements() / std::max(1.0, step.results());
    Gradient(backward, step, part(step, i), gradient_type(step, i), KernelClass::transpose)
        .dy(share)
        .to(i)
        .add();
  }
}

void copy(Backward& backward, const Step& step) {
  pass(backward, step, KernelClass::transpose, 0.0);
}

void spread_sum(Backward& backward, const Step& step) {
  pass(backward, step, KernelClass::reduce, 0.0);
}

void spread_mean(Backward& backward, const Step& step) {
  pass(backward, step, KernelClass::reduce, 1.0);
}

// Of a learned table only the rows looked up; of activations all of them, zeros where nothing was taken.
void gather(Backward& backward, const Step& step) {
  const auto lookups = static_cast<std::int64_t>(step.input(1).elements());
  Gradient gradient(backward, step, part(step, 0), gradient_type(step, 0), KernelClass::gather);
  gradient.dy().x(1).flops(step.results()).units(lookups);
  if (step.is_learned(0)) {
    gradient.to_rows(0, std::min(step.results(), step.input(0).elements()));
  } else {
    gradient.to(0);
  }
  gradient.add();
}

struct Rule {
  std::string_view type;
  void (*gradients)(Backward& backward, const Step& step);
  std::size_t
      inputs;  // the rule knows the gradients of the first of them; any other asks for the approximation
};

constexpr std::size_t kAll = 1'000'000;

constexpr std::array kRules{
    Rule{"Add", sum_gradients, kAll},
    Rule{"AveragePool", average_pool, 1},
    Rule{"BatchNormalization", batch_normalization, 3},
    Rule{"Concat", concat, kAll},
    Rule{"Conv", conv_gradients, 3},
    Rule{"ConvTranspose", conv_gradients, 3},
    Rule{"Div", binary_gradients, 2},
    Rule{"Dropout", dropout_gradient, 1},
    Rule{"Flatten", reshape, 1},
    Rule{"GRU", recurrent_gradients, kAll},
    Rule{"Gather", gather, 1},
    Rule{"Gemm", gemm_gradients, 3},
    Rule{"GlobalAveragePool", average_pool, 1},
    Rule{"GlobalMaxPool", max_pool, 1},
    Rule{"Identity", reshape, 1},
    Rule{"LRN", local_response, 1},
    Rule{"LSTM", recurrent_gradients, kAll},
    Rule{"LayerNormalization", layer_normalization, 3},
    Rule{"MatMul", matmul_gradients, 2},
    Rule{"MaxPool", max_pool, 1},
    Rule{"Mul", binary_gradients, 2},
    Rule{"Pad", copy, 1},
    Rule{"Pow", binary_gradients, 2},
    Rule{"RNN", recurrent_gradients, kAll},
    Rule{"ReduceMean", spread_mean, 1},
    Rule{"ReduceSum", spread_sum, 1},
    Rule{"Reshape", reshape, 1},
    Rule{"Slice", copy, 1},
    Rule{"Softmax", softmax, 1},
    Rule{"Squeeze", reshape, 1},
    Rule{"Sub", binary_gradients, 2},
    Rule{"Sum", sum_gradients, kAll},
    Rule{"Transpose", copy, 1},
    Rule{"Unsqueeze", reshape, 1},
    Rule{"Where", where_gradients, 3},
};

// Piecewise constant, or no number at all comes out.
constexpr std::array<std::string_view, 22> kConstant{
    "And",     "ArgMax",  "ArgMin",         "BitShift", "Ceil",  "Equal", "EyeLike",
    "Floor",   "Greater", "GreaterOrEqual", "IsInf",    "IsNaN", "Less",  "LessOrEqual",
    "NonZero", "Not",     "OneHot",         "Or",       "Round", "Shape", "Sign",
    "Size"};

bool within(const Step& step, std::size_t inputs) {
  const auto known = [&](std::size_t i) { return i < inputs; };
  return std::all_of(step.data.begin(), step.data.end(), known) &&
         std::all_of(step.learned.begin(), step.learned.end(), known);
}

}  // namespace

void approximate_gradient(Backward& backward, const Step& step) {
  backward.approximated(step);
  Gradient gradient(backward, step, step.data.empty() ? "weights" : "data",
                    step.node.type + (step.data.empty() ? "GradWeights" : "Grad"), step.forward.kernel);
  gradient.dy();
  for (std::size_t i = 0; i < step.node.inputs.size(); ++i) {
    if (!step.input(i).absent) gradient.x(i);
    if (step.wants(i)) gradient.to(i);
  }
  if (step.forward.matrix) gradient.product(*step.forward.matrix);
  gradient.flops(2.0 * step.forward.work.flops.value())
      .units(step.forward.work.units)
      .shaped(step.forward)
      .working_set(step.forward.work.working_set)
      .add();
}

bool differentiable(const NodeView& node) {
  return std::find(kConstant.begin(), kConstant.end(), node.type) == kConstant.end();
}

void add_gradients(Backward& backward, const Step& step) {
  if (step.dy.size() == 1) {
    for (const Rule& rule : kRules) {
      if (rule.type == step.node.type && within(step, rule.inputs)) return rule.gradients(backward, step);
    }
    if (step.learned.empty() && within(step, 1) && activation_gradient(backward, step)) return;
  }
  approximate_gradient(backward, step);
}

}  // namespace corecast::graphs::training
