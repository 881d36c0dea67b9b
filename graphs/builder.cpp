#include "graphs/builder.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.hpp"

namespace corecast::graphs {
namespace {

std::int64_t output_size(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                         bool round_up) {
  CORECAST_CHECK(kernel > 0 && stride > 0 && padding >= 0 && in + 2 * padding >= kernel,
                 "in={} kernel={} stride={} padding={}", in, kernel, stride, padding);
  const std::int64_t room = in + 2 * padding - kernel;
  if (!round_up || room % stride == 0) return room / stride + 1;
  // A last window that would begin in the right padding is left out.
  const std::int64_t up = room / stride + 2;
  return (up - 1) * stride >= in + padding ? up - 1 : up;
}

std::int64_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

void check_image(const Shape& shape) {
  CORECAST_CHECK(shape.size() == 3, "wanted channels, height, width; found {} dimensions", shape.size());
}

Builder::Attributes window_attributes(Size kernel, Size stride, Size padding) {
  return {{"kernel_shape", Shape{kernel.height, kernel.width}},
          {"strides", Shape{stride.height, stride.width}},
          {"pads", Shape{padding.height, padding.width, padding.height, padding.width}}};
}

}  // namespace

Builder::Builder(std::int64_t batch, DataType type) : batch_(batch), type_(type) {
  if (batch < 1) throw InputError("", fmt::format("batch is {}, wanted at least 1", batch));
}

Builder::Tensor Builder::input(const Shape& shape) {
  return input(shape, type_);
}

Builder::Tensor Builder::input(const Shape& shape, DataType type) {
  TensorView view;
  view.name = fmt::format("input_{}", values_.size());
  view.type = type;
  view.shape = with_batch(shape);
  model_.inputs.push_back(view);
  values_.push_back({std::move(view), std::nullopt});
  return Tensor(values_.size() - 1);
}

Builder::Tensor Builder::conv(Tensor x, std::int64_t channels, Size kernel, ConvOptions options) {
  const Shape in = shape(x);
  check_image(in);
  CORECAST_CHECK(in[0] % options.groups == 0, "channels={} groups={}", in[0], options.groups);
  const Shape out{channels,
                  output_size(in[1], kernel.height, options.stride.height, options.padding.height, false),
                  output_size(in[2], kernel.width, options.stride.width, options.padding.width, false)};
  std::vector<Argument> arguments{x, Weight{{channels, in[0] / options.groups, kernel.height, kernel.width}}};
  if (options.bias) arguments.emplace_back(Weight{{channels}});
  Attributes attributes = window_attributes(kernel, options.stride, options.padding);
  attributes["group"] = options.groups;
  return node("Conv", arguments, out, std::move(attributes));
}

Builder::Tensor Builder::pool(const std::string& type, Tensor x, Size kernel, PoolOptions options) {
  const Shape in = shape(x);
  check_image(in);
  const bool up = options.round_up;
  const Shape out{in[0], output_size(in[1], kernel.height, options.stride.height, options.padding.height, up),
                  output_size(in[2], kernel.width, options.stride.width, options.padding.width, up)};
  return node(type, {x}, out, window_attributes(kernel, options.stride, options.padding));
}

Builder::Tensor Builder::max_pool(Tensor x, Size kernel, PoolOptions options) {
  return pool("MaxPool", x, kernel, options);
}

Builder::Tensor Builder::average_pool(Tensor x, Size kernel, PoolOptions options) {
  return pool("AveragePool", x, kernel, options);
}

Builder::Tensor Builder::global_average_pool(Tensor x) {
  check_image(shape(x));
  return node("GlobalAveragePool", {x}, {shape(x)[0], 1, 1});
}

Builder::Tensor Builder::dense(Tensor x, std::int64_t features) {
  const Shape in = shape(x);
  CORECAST_CHECK(in.size() == 1, "wanted a vector, found {} dimensions", in.size());
  return node("Gemm", {x, Weight{{features, in[0]}}, Weight{{features}}}, {features},
              {{"transB", std::int64_t{1}}});
}

Builder::Tensor Builder::project(Tensor x, std::int64_t features) {
  Shape out = shape(x);
  const std::int64_t width = out.back();
  out.back() = features;
  return node("MatMul", {x, Weight{{width, features}}}, out);
}

Builder::Tensor Builder::matmul(Tensor a, Tensor b) {
  Shape out = shape(a);
  const Shape right = shape(b);
  CORECAST_CHECK(out.size() == right.size() && out.size() >= 2, "{} and {} dimensions", out.size(),
                 right.size());
  out.back() = right.back();
  return node("MatMul", {a, b}, out);
}

Builder::Tensor Builder::batch_norm(Tensor x) {
  const Weight learned{{shape(x)[0]}};
  const Weight measured{{shape(x)[0]}, false};
  return node("BatchNormalization", {x, learned, learned, measured, measured}, shape(x));
}

Builder::Tensor Builder::layer_norm(Tensor x) {
  const Weight learned{{shape(x).back()}};
  return node("LayerNormalization", {x, learned, learned}, shape(x), {{"axis", std::int64_t{-1}}});
}

Builder::Tensor Builder::softmax(Tensor x) {
  return node("Softmax", {x}, shape(x), {{"axis", std::int64_t{-1}}});
}

Builder::Tensor Builder::embedding(Tensor ids, std::int64_t rows, std::int64_t width) {
  Shape out = shape(ids);
  out.push_back(width);
  return node("Gather", {Weight{{rows, width}}, ids}, out);
}

Builder::Tensor Builder::activation(const std::string& type, Tensor x) {
  return node(type, {x}, shape(x));
}

Builder::Tensor Builder::add(Tensor a, Tensor b) {
  CORECAST_CHECK(shape(a) == shape(b), "add: shapes differ");
  return node("Add", {a, b}, shape(a));
}

Builder::Tensor Builder::mul(Tensor a, Tensor b) {
  CORECAST_CHECK(shape(a) == shape(b), "mul: shapes differ");
  return node("Mul", {a, b}, shape(a));
}

Builder::Tensor Builder::add_bias(Tensor x) {
  return node("Add", {x, Weight{{shape(x).back()}}}, shape(x));
}

Builder::Tensor Builder::concat(const std::vector<Tensor>& parts, std::int64_t axis) {
  CORECAST_CHECK(!parts.empty(), "concat of nothing");
  Shape out = shape(parts.front());
  const auto along = static_cast<std::size_t>(axis);
  CORECAST_CHECK(axis >= 0 && along < out.size(), "axis={} of {}", axis, out.size());
  out[along] = 0;
  for (const Tensor part : parts) out[along] += shape(part)[along];
  return node("Concat", {parts.begin(), parts.end()}, out, {{"axis", axis + 1}});
}

Builder::Tensor Builder::flatten(Tensor x) {
  return node("Flatten", {x}, {product(shape(x))});
}

Builder::Tensor Builder::reshape(Tensor x, const Shape& to) {
  CORECAST_CHECK(product(shape(x)) == product(to), "{} elements into {}", product(shape(x)), product(to));
  return node("Reshape", {x}, to);
}

Builder::Tensor Builder::transpose(Tensor x, const std::vector<std::int64_t>& order) {
  const Shape in = shape(x);
  CORECAST_CHECK(order.size() == in.size(), "{} axes for {} dimensions", order.size(), in.size());
  Shape out;
  Shape permutation{0};
  for (const std::int64_t axis : order) {
    out.push_back(in.at(static_cast<std::size_t>(axis)));
    permutation.push_back(axis + 1);
  }
  return node("Transpose", {x}, out, {{"perm", permutation}});
}

Builder::Tensor Builder::node(const std::string& type, const std::vector<Argument>& arguments,
                              const Shape& output, Attributes attributes) {
  return node(type, arguments, Whole{with_batch(output)}, std::move(attributes));
}

Builder::Tensor Builder::node(const std::string& type, const std::vector<Argument>& arguments,
                              const Whole& output, Attributes attributes) {
  NodeView view;
  view.name = fresh_name(type);
  view.type = type;
  view.opset = 17;
  view.attributes = std::move(attributes);
  std::int64_t parameters = 0;
  for (const Argument& argument : arguments) {
    view.inputs.push_back(view_of(argument, fmt::format("{}.{}", view.name, view.inputs.size())));
    const auto* weight = std::get_if<Weight>(&argument);
    parameters += weight != nullptr && weight->learned ? product(weight->shape) : 0;
  }
  TensorView out;
  out.name = view.name;
  out.type = type_;
  out.shape = output.shape;
  view.outputs.push_back(out);
  Operator op = operator_of(view);
  op.parameters = parameters;
  const OpIndex index = model_.graph.add(std::move(op));
  model_.nodes.push_back(std::move(view));
  connect(arguments, index);
  values_.push_back({std::move(out), index});
  return Tensor(values_.size() - 1);
}

// A tensor that is read twice flows once.
void Builder::connect(const std::vector<Argument>& arguments, OpIndex to) {
  std::set<std::size_t> read;
  for (const Argument& argument : arguments) {
    const auto* tensor = std::get_if<Tensor>(&argument);
    if (tensor == nullptr || !read.insert(tensor->index_).second) continue;
    const Value& value = values_[tensor->index_];
    if (value.producer) model_.graph.connect(*value.producer, to, value.view.bytes());
  }
}

// A constant has a name of its own in each node that reads it.
TensorView Builder::view_of(const Argument& argument, const std::string& name) const {
  if (const auto* tensor = std::get_if<Tensor>(&argument)) return values_.at(tensor->index_).view;
  TensorView view;
  view.name = name;
  view.constant = true;
  if (const auto* integers = std::get_if<Integers>(&argument)) {
    view.type = integers->type;
    view.shape = Shape{static_cast<std::int64_t>(integers->values.size())};
    view.integers = integers->values;
  } else {
    view.type = type_;
    view.shape = std::get<Weight>(argument).shape;
  }
  return view;
}

Shape Builder::shape(Tensor x) const {
  const Shape& full = *values_.at(x.index_).view.shape;
  return Shape(full.begin() + 1, full.end());
}

Shape Builder::with_batch(const Shape& shape) const {
  Shape full{batch_};
  full.insert(full.end(), shape.begin(), shape.end());
  return full;
}

std::string Builder::fresh_name(const std::string& type) {
  const std::string name = section_.empty() ? type : section_ + "/" + type;
  const int times = used_[name]++;
  return times == 0 ? name : fmt::format("{}_{}", name, times);
}

WrittenModel Builder::finish(std::string name) {
  WrittenModel model = std::exchange(model_, WrittenModel{});
  model.graph.name = std::move(name);
  model.graph.batch = batch_;
  model.graph.inputs = std::max<std::int64_t>(1, static_cast<std::int64_t>(model.inputs.size()));
  std::set<std::string> read;
  for (const NodeView& node : model.nodes) {
    for (const TensorView& input : node.inputs) read.insert(input.name);
  }
  for (const NodeView& node : model.nodes) {
    for (const TensorView& output : node.outputs) {
      if (!read.contains(output.name)) model.outputs.push_back(output);
    }
  }
  values_.clear();
  used_.clear();
  return model;
}

}  // namespace corecast::graphs
