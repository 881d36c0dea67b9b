// Loop and Scan: the body's operators as one, times the trips.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "graphs/onnx_call.hpp"
#include "graphs/onnx_view.hpp"

namespace corecast::graphs::importing {
namespace {

// Loops beyond this count are "until the condition says so", whatever bound the exporter wrote.
constexpr std::int64_t kMostTrips = 1'000'000;
constexpr double kMostWork = 1e30;  // flop or bytes

// The body's operators as one, run `trips` times one after another.
Found as_one(const Call& call, const Section& body, std::int64_t trips, const std::set<TensorIndex>& own) {
  Found whole;
  const auto times = static_cast<double>(trips);
  Operator& op = whole.op;
  op.name = call.name;
  op.type = call.node.op_type();
  op.kernel = KernelClass::control;
  op.work.steps = std::max<std::int64_t>(1, trips);
  std::set<TensorIndex> made(own);
  std::set<TensorIndex> reads, weights;
  Flops most{-1.0};
  for (const Found& found : body.found) {
    const Work& work = found.op.work;
    op.work.flops += work.flops * times;
    op.work.activations_read += work.activations_read * times;
    op.work.weights_read += work.weights_read * times;
    op.work.written += work.written * times;
    op.work.working_set = std::max(op.work.working_set, work.working_set);
    op.understood = op.understood && found.op.understood;
    if (work.flops > most) {  // the heaviest operator stands for the type and the width of all
      most = work.flops;
      op.work.compute_type = work.compute_type;
      op.work.units = work.units;
    }
    made.insert(found.writes.begin(), found.writes.end());
    reads.insert(found.reads.begin(), found.reads.end());
    weights.insert(found.weights.begin(), found.weights.end());
  }
  // Loops in loops in loops multiply to numbers without meaning.
  if (!(op.work.flops.value() < kMostWork) || !(op.work.traffic().value() < kMostWork)) {
    throw InputError(call.place(), "its trips make more work than any machine can do");
  }
  for (int i = 0; i < call.node.input_size(); ++i) {
    if (const Tensor* tensor = call.tensor(i); tensor != nullptr && !tensor->view.constant)
      reads.insert(call.input(i));
  }
  for (const TensorIndex tensor : body.outputs) {
    if (tensor != kAbsent && !call.context.tensors[tensor].view.constant) reads.insert(tensor);
  }
  for (const TensorIndex tensor : reads) {
    if (!made.contains(tensor)) whole.reads.push_back(tensor);
  }
  whole.weights.assign(weights.begin(), weights.end());
  return whole;
}

// Adds a body's input; what changes from trip to trip is no constant inside.
TensorIndex add_body_input(const Call& call, Frame& frame, const std::string& name, DataType type,
                           std::optional<Shape> shape) {
  Tensor tensor;
  tensor.view.name = clean(name);
  tensor.view.type = type;
  tensor.view.shape = std::move(shape);
  const TensorIndex index = call.context.add(std::move(tensor));
  if (!frame.scope.names.emplace(name, index).second) {
    throw InputError(call.place(), fmt::format("its body has {} twice", quote(name)));
  }
  return index;
}

// Puts the operator into the section with its results: `shapes` as far as they are known.
void finish_loop(const Call& call, Found whole, const std::vector<TensorIndex>& results,
                 const std::vector<std::optional<Shape>>& shapes, Section& section) {
  std::vector<TensorIndex> made;
  for (std::size_t k = 0; k < static_cast<std::size_t>(call.node.output_size()); ++k) {
    Tensor tensor;
    tensor.view.name = clean(call.node.output(static_cast<int>(k)));
    if (k < results.size() && results[k] != kAbsent)
      tensor.view.type = call.context.tensors[results[k]].view.type;
    if (k < shapes.size() && shapes[k] && elements_of(*shapes[k])) tensor.view.shape = shapes[k];
    if (k == 0 && tensor.view.shape) whole.op.output_shape = *tensor.view.shape;
    if (!tensor.view.shape && !tensor.view.name.empty()) {
      section.remark("unknown-shape", "", fmt::format("{} of {}", quote(tensor.view.name), call.place()));
    }
    made.push_back(call.context.add(std::move(tensor)));
    whole.writes.push_back(made.back());
  }
  section.found.push_back(std::move(whole));
  bind_outputs(call, made, section);
}

std::optional<Shape> shape_of(const Call& call, TensorIndex index) {
  return index == kAbsent ? std::nullopt : call.context.tensors[index].view.shape;
}

// Trip count: the bound, when it is a number that somebody meant.
std::optional<std::int64_t> trips_of(const Tensor* bound) {
  if (bound == nullptr || !bound->view.integers || bound->view.integers->size() != 1) return std::nullopt;
  const std::int64_t trips = bound->view.integers->front();
  return trips > kMostTrips ? std::nullopt : std::optional(std::max<std::int64_t>(trips, 0));
}

}  // namespace

void walk_loop(const Call& call, Section& section) {
  const auto& body = graph_of(call, "body");
  const auto known = trips_of(call.tensor(0));
  const std::int64_t trips = known.value_or(1);
  section.remark("control-flow", "Loop",
                 fmt::format("{}: {}", call.place(),
                             known ? fmt::format("{} times", trips) : "once, the count being open"));
  const int carried = std::max(0, call.node.input_size() - 2);
  if (body.input_size() != carried + 2 || body.output_size() < carried + 1) {
    throw InputError(call.place(), fmt::format("its body has {} inputs and {} outputs for {} carried values",
                                               body.input_size(), body.output_size(), carried));
  }
  Frame frame = inner_frame(call, "");
  std::set<TensorIndex> own;
  own.insert(add_body_input(call, frame, body.input(0).name(), DataType::int64, Shape{}));
  own.insert(add_body_input(call, frame, body.input(1).name(), DataType::boolean, Shape{}));
  for (int i = 0; i < carried; ++i) {
    const Tensor* start = call.tensor(i + 2);
    own.insert(add_body_input(call, frame, body.input(i + 2).name(),
                              start == nullptr ? DataType::unknown : start->view.type,
                              start == nullptr ? std::nullopt : start->view.shape));
  }
  enter_graph(call.context, frame, body);
  Section inside = walk_nodes(call.context, frame, body.node(), output_names(body));
  Found whole = as_one(call, inside, trips, own);
  std::vector<TensorIndex> results;
  std::vector<std::optional<Shape>> shapes;
  for (std::size_t k = 1; k < inside.outputs.size(); ++k) {
    results.push_back(inside.outputs[k]);
    shapes.push_back(shape_of(call, inside.outputs[k]));
    const bool scanned = static_cast<int>(k) > carried;  // stacked, one slice per trip
    if (scanned && shapes.back()) {
      shapes.back() = known ? shapes.back() : std::nullopt;
      if (known) shapes.back()->insert(shapes.back()->begin(), trips);
    }
  }
  inside.found.clear();
  section.append(std::move(inside));
  finish_loop(call, std::move(whole), results, shapes, section);
}

namespace {

std::int64_t entry(const Shape& list, std::size_t i) {
  return i < list.size() ? list[i] : 0;
}

Shape ints(const ::onnx::NodeProto& node, std::string_view name) {
  const auto* found = attribute_of(node, name);
  return found == nullptr ? Shape{} : Shape(found->ints().begin(), found->ints().end());
}

std::size_t axis_index(const Call& call, std::int64_t axis, std::size_t rank) {
  const auto n = static_cast<std::int64_t>(rank);
  if (axis < -n || axis >= n)
    throw InputError(call.place(), fmt::format("scans axis {} of a tensor of rank {}", axis, rank));
  return static_cast<std::size_t>(axis < 0 ? axis + n : axis);
}

}  // namespace

void walk_scan(const Call& call, Section& section) {
  const auto& body = graph_of(call, "body");
  const auto* count = attribute_of(call.node, "num_scan_inputs");
  const std::int64_t scans = count == nullptr ? 0 : count->i();
  const int first = call.opset < 9 ? 1 : 0;  // opset 8: lengths first, and a batch axis
  const int inputs = call.node.input_size() - first;
  if (scans < 1 || scans > inputs || body.input_size() != inputs) {
    throw InputError(call.place(), fmt::format("its body has {} inputs, the node {}, of which {} are scanned",
                                               body.input_size(), inputs, scans));
  }
  const int states = inputs - static_cast<int>(scans);
  const Shape axes = ints(call.node, "scan_input_axes");
  Frame frame = inner_frame(call, "");
  std::set<TensorIndex> own;
  std::optional<std::int64_t> trips;
  for (int i = 0; i < inputs; ++i) {
    const Tensor* outer = call.tensor(first + i);
    std::optional<Shape> shape = outer == nullptr ? std::nullopt : outer->view.shape;
    if (shape && first == 1 && !shape->empty()) shape->erase(shape->begin());
    if (i >= states && shape) {
      const std::size_t axis =
          axis_index(call, entry(axes, static_cast<std::size_t>(i - states)), shape->size());
      trips = (*shape)[axis];
      shape->erase(shape->begin() + static_cast<std::ptrdiff_t>(axis));
    }
    own.insert(add_body_input(call, frame, body.input(i).name(),
                              outer == nullptr ? DataType::unknown : outer->view.type, shape));
  }
  section.remark("control-flow", "Scan",
                 fmt::format("{}: {}", call.place(),
                             trips ? fmt::format("{} times", *trips) : "once, the count being open"));
  enter_graph(call.context, frame, body);
  Section inside = walk_nodes(call.context, frame, body.node(), output_names(body));
  Found whole = as_one(call, inside, trips.value_or(1), own);
  const Shape output_axes = ints(call.node, "scan_output_axes");
  std::vector<std::optional<Shape>> shapes;
  for (std::size_t k = 0; k < inside.outputs.size(); ++k) {
    std::optional<Shape> shape = shape_of(call, inside.outputs[k]);
    if (static_cast<int>(k) >= states && shape) {
      if (trips) {
        const std::size_t axis =
            axis_index(call, entry(output_axes, k - static_cast<std::size_t>(states)), shape->size() + 1);
        shape->insert(shape->begin() + static_cast<std::ptrdiff_t>(axis), *trips);
      } else {
        shape.reset();
      }
    }
    if (first == 1) shape.reset();  // the batch axis of opset 8 was not followed
    shapes.push_back(std::move(shape));
  }
  const std::vector<TensorIndex> results = inside.outputs;
  inside.found.clear();
  section.append(std::move(inside));
  finish_loop(call, std::move(whole), results, shapes, section);
}

}  // namespace corecast::graphs::importing
