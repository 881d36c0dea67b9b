#include "graphs/training.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"
#include "graphs/training_backward.hpp"

namespace corecast::graphs {
namespace training {
namespace {

constexpr double kMomentum = 4.0;      // flop per weight: mu v + dw, w - eta v
constexpr double kCrossEntropy = 2.0;  // behind the softmax: subtract the label, scale by 1 / batch

bool floating(const TensorView& tensor) {
  return tensor.type == DataType::fp32 || tensor.type == DataType::fp16 || tensor.type == DataType::bf16 ||
         tensor.type == DataType::fp64;
}

// A product with weights that get no gradient is worth a note; a mask or a scale is not.
bool is_product_with_constant(const NodeView& node, const Operator& op) {
  return op.matrix && std::any_of(node.inputs.begin(), node.inputs.end(),
                                  [](const TensorView& t) { return !t.absent && t.constant; });
}

}  // namespace

Backward::Backward(const WrittenModel& model) : model_(model), graph_(model.graph) {
  CORECAST_CHECK(model.nodes.size() == model.graph.size(), "{} nodes, {} operators", model.nodes.size(),
                 model.graph.size());
}

Graph Backward::run() && {
  mark();
  for (const TensorView& output : model_.outputs) start(output);
  for (std::size_t i = model_.nodes.size(); i-- > 0;) step_back(i);
  note_approximations();
  graph_.name += "_training";
  return std::move(graph_);
}

// From the inputs on: which weights are learned, and which tensors stand behind one.
void Backward::mark() {
  for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
    const NodeView& node = model_.nodes[i];
    const Operator& op = model_.graph.op(OpIndex(i));
    learned_.push_back(learned_inputs(node, op.parameters));
    adapt_forward(node, graph_.op(OpIndex(i)));
    const bool behind = std::any_of(node.inputs.begin(), node.inputs.end(),
                                    [&](const TensorView& t) { return wanted_.contains(t.name); });
    for (const TensorView& output : node.outputs) {
      if (output.absent) continue;
      producers_.insert_or_assign(output.name, OpIndex(i));
      if ((behind || !learned_[i].empty()) && differentiable(node) && floating(output)) {
        wanted_.insert(output.name);
      }
    }
    if (learned_[i].empty() && is_product_with_constant(node, op)) frozen_.insert(node.name);
  }
}

void Backward::adapt_forward(const NodeView& node, Operator& op) const {
  if (node.type == "BatchNormalization") {
    op.work.activations_read += node.inputs[0].bytes();
    op.work.flops += Flops(kStatistics * node.inputs[0].elements());
  } else if (node.type == "Dropout") {
    const double count = node.inputs[0].elements();
    op.kernel = KernelClass::elementwise;
    op.work.activations_read = node.inputs[0].bytes();
    op.work.written = node.outputs[0].bytes() + Bytes(count);
    op.work.flops = Flops(count * (rules::kRandom + 2.0));  // a number, keep or drop, scale
    op.work.units = rules::chunk_units(static_cast<std::int64_t>(count));
  } else if (op.kernel == KernelClass::recurrent) {
    op.work.written += saved_gates(node);
  }
}

// The loss and its gradient in one pass: softmax over the last dimension, against one label for each row.
void Backward::start(const TensorView& output) {
  if (!wanted_.contains(output.name)) return;
  const double count = output.elements();
  const double classes =
      output.shape->empty() ? 1.0 : std::max(1.0, static_cast<double>(output.shape->back()));
  const OpIndex from = producers_.at(output.name);
  Operator op;
  op.name = "loss/" + model_.nodes[from.value()].name;
  op.type = "SoftmaxCrossEntropyGrad";
  op.kernel = KernelClass::softmax;
  op.output_shape = *output.shape;
  op.work.compute_type = output.type;
  op.work.flops = Flops(count * (rules::kSoftmax + kCrossEntropy));
  op.work.activations_read = output.bytes() + Bytes(count / classes * bytes_per_element(DataType::int64));
  op.work.written = output.bytes();
  op.work.units = std::max<std::int64_t>(1, static_cast<std::int64_t>(count / classes));
  op.work.working_set = Bytes(2.0 * classes * bytes_per_element(output.type));
  const OpIndex loss = add(std::move(op), {{from, output.bytes()}});
  gradients_[output.name].push_back({loss, output.bytes()});
}

void Backward::step_back(std::size_t i) {
  const NodeView& node = model_.nodes[i];
  if (!differentiable(node)) return;
  Step step{node, OpIndex(i), graph_.op(OpIndex(i)), {}, {}, learned_[i]};
  std::set<std::string> seen;
  for (std::size_t input = 0; input < node.inputs.size(); ++input) {
    const TensorView& tensor = node.inputs[input];
    if (tensor.absent || !wanted_.contains(tensor.name)) continue;
    if (seen.insert(tensor.name).second) step.data.push_back(input);
  }
  if (step.data.empty() && step.learned.empty()) return;
  for (const TensorView& output : node.outputs) {
    if (output.absent) continue;
    if (const std::optional<Flow> flow = gradient_of(output)) step.dy.push_back(*flow);
  }
  if (step.dy.empty()) return;
  weight_gradients_ = {};
  add_gradients(*this, step);
  update(step);
}

// Summed as frameworks do: the first two, then one more at a time.
std::optional<Flow> Backward::gradient_of(const TensorView& tensor) {
  const auto found = gradients_.find(tensor.name);
  if (found == gradients_.end()) return std::nullopt;
  Flow sum = found->second.front();
  for (std::size_t i = 1; i < found->second.size(); ++i) {
    Operator op;
    op.name = "grad/" + model_.nodes[producers_.at(tensor.name).value()].name + "/sum";
    op.type = "GradSum";
    op.kernel = KernelClass::elementwise;
    op.output_shape = *tensor.shape;
    op.work.compute_type = tensor.type;
    op.work.flops = Flops(tensor.elements());
    op.work.activations_read = tensor.bytes() * 2.0;
    op.work.written = tensor.bytes();
    op.work.units = rules::chunk_units(static_cast<std::int64_t>(tensor.elements()));
    sum = {add(std::move(op), {sum, found->second[i]}), tensor.bytes()};
  }
  return sum;
}

void Backward::update(const Step& step) {
  if (step.learned.empty()) return;
  double weights = 0.0;
  Bytes bytes;
  std::vector<Flow> reads;
  for (const std::size_t input : step.learned) {
    const auto flow = weight_gradients_.flows.find(input);
    CORECAST_CHECK(flow != weight_gradients_.flows.end(), "{}: weight {} has no gradient",
                   rules::label(step.node), input);
    weights += step.input(input).elements();
    bytes += step.input(input).bytes();
    reads.push_back(flow->second);
  }
  const bool sparse = weight_gradients_.touched.has_value();
  if (sparse && weights > 0.0) {
    bytes *= *weight_gradients_.touched / weights;
    weights = *weight_gradients_.touched;
  }
  Operator op;
  op.name = "update/" + step.node.name;
  op.type = sparse ? "SparseMomentumUpdate" : "MomentumUpdate";
  op.kernel = sparse ? KernelClass::gather : KernelClass::elementwise;
  op.output_shape = *step.input(step.learned.front()).shape;
  op.work.compute_type = step.input(step.learned.front()).type;
  op.work.flops = Flops(kMomentum * weights);
  op.work.activations_read = bytes;    // the gradients
  op.work.weights_read = bytes * 2.0;  // weights and momentum
  op.work.written = bytes * 2.0;
  op.work.units = rules::chunk_units(static_cast<std::int64_t>(weights));
  add(std::move(op), reads);
}

void Backward::deliver(const Step& step, std::size_t input, const Flow& flow) {
  if (step.is_learned(input)) {
    const bool first = weight_gradients_.flows.emplace(input, flow).second;
    CORECAST_CHECK(first, "{}: weight {} has two gradients", rules::label(step.node), input);
  } else {
    gradients_[step.input(input).name].push_back(flow);
  }
}

void Backward::deliver_rows(const Step& step, std::size_t input, const Flow& flow, double elements) {
  deliver(step, input, flow);
  weight_gradients_.touched = elements;
}

OpIndex Backward::add(Operator op, const std::vector<Flow>& reads) {
  const std::string name = op.name;
  for (int i = 1; graph_.find(op.name); ++i) op.name = fmt::format("{}_{}", name, i);
  const OpIndex to = graph_.add(std::move(op));
  // A tensor that is read twice flows once.
  std::set<std::pair<OpIndex, double>> seen;
  for (const Flow& flow : reads) {
    if (seen.emplace(flow.producer, flow.bytes.value()).second) graph_.connect(flow.producer, to, flow.bytes);
  }
  return to;
}

std::optional<OpIndex> Backward::producer(const TensorView& tensor) const {
  const auto found = producers_.find(tensor.name);
  return found == producers_.end() ? std::nullopt : std::optional(found->second);
}

void Backward::note_approximations() {
  if (!approximate_.empty()) {
    graph_.notes.push_back(
        {"approximate-gradient",
         fmt::format("gradients counted as twice the forward work: {}", fmt::join(approximate_, ", "))});
  }
  if (!frozen_.empty()) {
    graph_.notes.push_back(
        {"frozen-weight", fmt::format("weights without gradient and update: {}", fmt::join(frozen_, ", "))});
  }
}

std::vector<std::size_t> learned_inputs(const NodeView& node, std::int64_t parameters) {
  std::vector<std::size_t> constants;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].absent && node.inputs[i].constant) constants.push_back(i);
  }
  std::vector<std::size_t> chosen;
  // Operators have a handful of constants at most.
  const std::function<bool(std::size_t, std::int64_t)> choose = [&](std::size_t from, std::int64_t left) {
    if (left == 0) return true;
    if (left < 0 || from == constants.size()) return false;
    const auto count = static_cast<std::int64_t>(node.inputs[constants[from]].elements());
    if (count > 0) {
      chosen.push_back(constants[from]);
      if (choose(from + 1, left - count)) return true;
      chosen.pop_back();
    }
    return choose(from + 1, left);
  };
  const bool found = choose(0, parameters);
  CORECAST_CHECK(found, "{}: {} parameters are no sum of its constants", rules::label(node), parameters);
  return chosen;
}

}  // namespace training

Graph training_step(const WrittenModel& model) {
  return training::Backward(model).run();
}

}  // namespace corecast::graphs
