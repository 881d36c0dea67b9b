#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "graphs/rules/rules.hpp"
#include "graphs/training_backward.hpp"

namespace corecast::graphs::training {

bool Step::is_learned(std::size_t i) const {
  return std::find(learned.begin(), learned.end(), i) != learned.end();
}

bool Step::wants(std::size_t i) const {
  return is_learned(i) || std::find(data.begin(), data.end(), i) != data.end();
}

double Step::results() const {
  return node.outputs.front().elements();
}

Gradient::Gradient(Backward& backward, const Step& step, std::string_view part, std::string type,
                   KernelClass kernel)
    : backward_(backward), step_(step) {
  op_.name = fmt::format("grad/{}/{}", step.node.name, part);
  op_.type = std::move(type);
  op_.kernel = kernel;
  op_.work.compute_type = step.forward.work.compute_type;
}

Gradient& Gradient::dy(double times) {
  for (const Flow& flow : step_.dy) {
    op_.work.activations_read += flow.bytes * times;
    reads_.push_back(flow);
  }
  return *this;
}

Gradient& Gradient::x(std::size_t input, double times) {
  const TensorView& tensor = step_.input(input);
  rules::read(op_.work, tensor, tensor.bytes() * times);
  if (const auto from = backward_.producer(tensor)) reads_.push_back({*from, tensor.bytes()});
  return *this;
}

Gradient& Gradient::y() {
  return saved(step_.node.outputs.front().bytes());
}

Gradient& Gradient::saved(Bytes bytes) {
  op_.work.activations_read += bytes;
  reads_.push_back({step_.index, bytes});
  return *this;
}

Gradient& Gradient::writes(std::size_t input, Bytes bytes, std::optional<double> rows) {
  if (targets_.empty()) op_.output_shape = *step_.input(input).shape;
  op_.work.written += bytes;
  written_ += rows.value_or(step_.input(input).elements());
  targets_.push_back({input, bytes, rows});
  return *this;
}

Gradient& Gradient::to(std::size_t input) {
  return writes(input, step_.input(input).bytes(), std::nullopt);
}

Gradient& Gradient::to_rows(std::size_t input, double elements) {
  return writes(input, Bytes(elements * bytes_per_element(step_.input(input).type)), elements);
}

Gradient& Gradient::flops(double flops) {
  op_.work.flops = Flops(flops);
  return *this;
}

Gradient& Gradient::units(std::int64_t units) {
  op_.work.units = std::max<std::int64_t>(1, units);
  has_units_ = true;
  return *this;
}

Gradient& Gradient::shaped(const Operator& like) {
  op_.window = like.window;
  op_.work.steps = like.work.steps;
  op_.work.weights_per_step = std::min(like.work.weights_per_step, op_.work.weights_read);
  op_.work.serial_fraction = like.work.serial_fraction;
  return *this;
}

Gradient& Gradient::product(const MatrixShape& matrix) {
  op_.matrix = matrix;
  return *this;
}

Gradient& Gradient::working_set(Bytes bytes) {
  op_.work.working_set = bytes;
  return *this;
}

OpIndex Gradient::add() {
  if (!has_units_) op_.work.units = rules::chunk_units(static_cast<std::int64_t>(written_));
  const OpIndex index = backward_.add(std::move(op_), reads_);
  for (const Target& target : targets_) {
    const Flow flow{index, target.bytes};
    if (target.rows) {
      backward_.deliver_rows(step_, target.input, flow, *target.rows);
    } else {
      backward_.deliver(step_, target.input, flow);
    }
  }
  return index;
}

}  // namespace corecast::graphs::training
