// What the gradient rules share. Internal to graphs/: users see training.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/graph.hpp"
#include "graphs/written_model.hpp"

namespace corecast::graphs::training {

// A gradient and the operator that wrote it.
struct Flow {
  OpIndex producer;
  Bytes bytes{};
};

// A forward operator whose result has a gradient.
struct Step {
  const NodeView& node;
  OpIndex index;
  Operator forward;
  std::vector<Flow> dy;              // of its results that have one
  std::vector<std::size_t> data;     // inputs that want a gradient, each tensor once
  std::vector<std::size_t> learned;  // inputs that are learned weights

  [[nodiscard]] bool is_learned(std::size_t i) const;
  [[nodiscard]] bool wants(std::size_t i) const;  // a gradient, as data or as learned weight
  [[nodiscard]] const TensorView& input(std::size_t i) const { return node.inputs[i]; }
  [[nodiscard]] double results() const;  // elements of the first output
};

// The constants among the inputs whose elements add up to `parameters`; the earliest such set.
[[nodiscard]] std::vector<std::size_t> learned_inputs(const NodeView& node, std::int64_t parameters);

class Backward {
 public:
  explicit Backward(const WrittenModel& model);
  [[nodiscard]] Graph run() &&;

  // `input` of the step has the gradient `flow`, or a share of it: the tensor's other readers have theirs.
  void deliver(const Step& step, std::size_t input, const Flow& flow);
  // Of a table of which only some elements have a gradient.
  void deliver_rows(const Step& step, std::size_t input, const Flow& flow, double elements);

  // Adds an operator behind those whose results it reads. A number goes behind the name when it is taken.
  OpIndex add(Operator op, const std::vector<Flow>& reads);
  [[nodiscard]] std::optional<OpIndex> producer(const TensorView& tensor) const;
  void approximated(const Step& step) { approximate_.insert(step.node.type); }

 private:
  struct WeightGradients {
    std::map<std::size_t, Flow> flows;  // by input
    std::optional<double> touched;      // elements, of a sparse gradient
  };

  void mark();
  void adapt_forward(const NodeView& node, Operator& op) const;
  void start(const TensorView& output);
  void step_back(std::size_t node);
  [[nodiscard]] std::optional<Flow> gradient_of(const TensorView& tensor);
  void update(const Step& step);
  void note_approximations();

  const WrittenModel& model_;
  Graph graph_;
  std::map<std::string, OpIndex> producers_;
  std::vector<std::vector<std::size_t>> learned_;  // by node
  std::set<std::string> wanted_;                   // tensors behind a learned weight
  std::map<std::string, std::vector<Flow>> gradients_;
  WeightGradients weight_gradients_;  // of the step at hand
  std::set<std::string> approximate_;
  std::set<std::string> frozen_;
};

// One gradient operator in the making.
//   Gradient(backward, step, "data", "ReluGrad", KernelClass::elementwise).dy().y().flops(n).to(0).add();
class Gradient {
 public:
  Gradient(Backward& backward, const Step& step, std::string_view part, std::string type, KernelClass kernel);

  // What it reads.
  Gradient& dy(double times = 1.0);
  Gradient& x(std::size_t input, double times = 1.0);
  Gradient& y();
  Gradient& saved(Bytes bytes);  // a further result of the forward operator
  // What it writes: the gradient of an input.
  Gradient& to(std::size_t input);
  Gradient& to_rows(std::size_t input, double elements);
  // Work. Units are chunks of the results where none are given.
  Gradient& flops(double flops);
  Gradient& units(std::int64_t units);
  Gradient& shaped(const Operator& like);  // window, steps and serial fraction of another operator
  Gradient& product(const MatrixShape& matrix);
  Gradient& working_set(Bytes bytes);

  OpIndex add();

 private:
  struct Target {
    std::size_t input;
    Bytes bytes{};
    std::optional<double> rows;
  };
  Gradient& writes(std::size_t input, Bytes bytes, std::optional<double> rows);
  Backward& backward_;
  const Step& step_;
  Operator op_;
  std::vector<Flow> reads_;
  std::vector<Target> targets_;
  double written_ = 0.0;  // elements
  bool has_units_ = false;
};

// The gradients of one operator: a rule of its own where there is one, else the approximation.
void add_gradients(Backward& backward, const Step& step);
[[nodiscard]] bool differentiable(const NodeView& node);

// training_products.cpp
void conv_gradients(Backward& backward, const Step& step);
void matmul_gradients(Backward& backward, const Step& step);
void gemm_gradients(Backward& backward, const Step& step);
void recurrent_gradients(Backward& backward, const Step& step);
[[nodiscard]] Bytes saved_gates(const NodeView& node);

// training_elementwise.cpp
[[nodiscard]] bool activation_gradient(Backward& backward, const Step& step);  // false: not in its table
void binary_gradients(Backward& backward, const Step& step);
void sum_gradients(Backward& backward, const Step& step);
void where_gradients(Backward& backward, const Step& step);
void dropout_gradient(Backward& backward, const Step& step);
// dy as it is, or summed to the shape of the input where it was broadcast.
void pass_on(Backward& backward, const Step& step, std::size_t input);
// "ReluGrad", "MulGradWeights"; "data", "weights".
[[nodiscard]] std::string gradient_type(const Step& step, std::size_t input);
[[nodiscard]] std::string_view part(const Step& step, std::size_t input);

// training_rules.cpp
void approximate_gradient(Backward& backward, const Step& step);

// Flop of one element of batch statistics: mean 1, variance 3 (rules/costs.hpp).
inline constexpr int kStatistics = 4;

}  // namespace corecast::graphs::training
