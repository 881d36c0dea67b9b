#include "graphs/quantize.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace corecast::graphs {
namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";

// Zero points of uint8: all of the range for what cannot be negative, half of it for what can.
constexpr std::int64_t kRectified = 0;
constexpr std::int64_t kCentred = 128;

struct Step {
  NodeView node;
  std::int64_t parameters = 0;
};

// A tensor of the fp32 model, in the forms that the nodes written so far have made.
struct Value {
  TensorView real;
  TensorView quantized;
  TensorView scale;
  TensorView zero_point;
  bool has_real = false;
  bool has_quantized = false;
};

TensorView scale_of(const std::string& name) {
  TensorView scale;
  scale.name = name + "_scale";
  scale.type = DataType::fp32;
  scale.shape.emplace();
  scale.constant = true;
  return scale;
}

TensorView zero_point_of(const std::string& name, std::int64_t value) {
  TensorView zero = scale_of(name);
  zero.name = name + "_zero_point";
  zero.type = DataType::int8;
  zero.integers = std::vector<std::int64_t>{value};
  return zero;
}

TensorView retyped(TensorView view, DataType type) {
  view.name += "_quantized";
  view.type = type;
  return view;
}

Value value_of(const TensorView& real, std::int64_t zero_point) {
  Value value;
  value.real = real;
  value.quantized = retyped(real, DataType::int8);
  value.scale = scale_of(real.name);
  value.zero_point = zero_point_of(real.name, zero_point);
  return value;
}

bool all_fp32(const NodeView& node) {
  const auto fp32 = [](const TensorView& t) { return t.absent || (t.type == DataType::fp32 && t.shape); };
  return node.outputs.size() == 1 && std::all_of(node.inputs.begin(), node.inputs.end(), fp32) &&
         fp32(node.outputs[0]);
}

bool is_weight(const NodeView& node, std::size_t i) {
  return node.input(i) != nullptr && node.input(i)->constant;
}

bool is_activation(const NodeView& node, std::size_t i) {
  return node.input(i) != nullptr && !node.input(i)->constant;
}

class Quantizer {
 public:
  explicit Quantizer(const WrittenModel& model) : model_(model) {
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
      for (const TensorView& input : model.nodes[i].inputs) readers_[input.name].insert(i);
    }
    for (const TensorView& output : model.outputs) readers_[output.name].insert(kNone);
  }

  std::vector<Step> run() {
    for (const TensorView& input : model_.inputs) {
      values_[input.name] = value_of(input, kCentred);
      values_[input.name].has_real = true;
    }
    for (std::size_t i = 0; i < model_.nodes.size(); ++i) {
      if (!folded_.contains(i)) visit(i);
    }
    for (const TensorView& output : model_.outputs) outputs_.push_back(real(output.name));
    return std::move(steps_);
  }
  // After run(): the model's outputs under the names they ended up with.
  [[nodiscard]] const std::vector<TensorView>& outputs() const { return outputs_; }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // The tensor itself, or what it is the same as.
  [[nodiscard]] const std::string& name_of(const std::string& name) const {
    const auto found = same_as_.find(name);
    return found == same_as_.end() ? name : found->second;
  }
  Value& value(const std::string& name) { return values_.at(name_of(name)); }

  [[nodiscard]] std::int64_t parameters(std::size_t i) const {
    return model_.graph.op(OpIndex(i)).parameters;
  }

  void visit(std::size_t i) {
    const NodeView& node = model_.nodes[i];
    if ((node.type == "Dropout" || node.type == "Identity") && is_activation(node, 0)) {
      same_as_[node.outputs[0].name] = name_of(node.inputs[0].name);
      return;
    }
    if (node.domain.empty() && ((all_fp32(node) && convert(i)) || move(i))) return;
    NodeView same = node;
    for (TensorView& input : same.inputs) {
      if (!input.absent && !input.constant) input = real(input.name);
    }
    for (const TensorView& output : node.outputs) {
      if (output.absent) continue;
      const std::int64_t zero_point = node.type == "Relu" ? kRectified : kCentred;
      values_[output.name] = value_of(output, zero_point);
      values_[output.name].has_real = true;
    }
    steps_.push_back({std::move(same), parameters(i)});
  }

  bool convert(std::size_t i) {
    const NodeView& node = model_.nodes[i];
    const std::string_view type = node.type;
    const bool product = is_activation(node, 0) && is_weight(node, 1);
    if (type == "Conv" && product) return conv(i), true;
    if (type == "MatMul" && product) return matmul(i), true;
    if (type == "Gemm" && product && (node.input(2) == nullptr || is_weight(node, 2))) return gemm(i), true;
    if (type == "Add" && (is_activation(node, 0) || is_activation(node, 1))) return add(i), true;
    if (type == "Concat") return concat(i), true;
    if (type == "AveragePool" || type == "GlobalAveragePool") return pool(i), true;
    return false;
  }

  void conv(std::size_t i) {
    Step step = begin(i, "QLinearConv", "");
    NodeView& node = step.node;
    const NodeView& from = model_.nodes[i];
    const std::size_t normalised = only_reader(from.outputs[0], "BatchNormalization");
    std::size_t last = i;
    bool bias = from.input(2) != nullptr;
    if (normalised != kNone && is_weight(model_.nodes[normalised], 1)) {
      last = fold(normalised, step);
      bias = true;
    }
    read_quantized(node, from.inputs[0]);
    read_weight(node, from.inputs[1]);
    const Value& result = finish(last, step);
    node.inputs.push_back(result.scale);
    node.inputs.push_back(result.zero_point);
    if (bias) node.inputs.push_back(bias_of(from, {from.inputs[1].shape->front()}));
    steps_.push_back(std::move(step));
  }

  void matmul(std::size_t i) {
    Step step = begin(i, "QLinearMatMul", "");
    read_quantized(step.node, model_.nodes[i].inputs[0]);
    read_weight(step.node, model_.nodes[i].inputs[1]);
    end(i, step);
  }

  void gemm(std::size_t i) {
    Step step = begin(i, "QGemm", kMicrosoft);
    const NodeView& from = model_.nodes[i];
    read_quantized(step.node, from.inputs[0]);
    read_weight(step.node, from.inputs[1]);
    step.node.attributes.erase("beta");  // is in the bias
    if (const TensorView* bias = from.input(2)) {
      step.node.inputs.push_back(bias_of(from, *bias->shape));
    } else {
      step.node.inputs.emplace_back().absent = true;
    }
    end(i, step);
  }

  void add(std::size_t i) {
    Step step = begin(i, "QLinearAdd", kMicrosoft);
    for (const TensorView& input : model_.nodes[i].inputs) read_quantized(step.node, input);
    end(i, step);
  }

  void pool(std::size_t i) {
    Step step = begin(i, "QLinear" + model_.nodes[i].type, kMicrosoft);
    read_quantized(step.node, model_.nodes[i].inputs[0]);
    end(i, step);
  }

  // The result's scale and zero point stand in front.
  void concat(std::size_t i) {
    Step step = begin(i, "QLinearConcat", kMicrosoft);
    const Value& result = finish(i, step);
    step.node.inputs = {result.scale, result.zero_point};
    for (const TensorView& input : model_.nodes[i].inputs) read_quantized(step.node, input);
    steps_.push_back(std::move(step));
  }

  // The same numbers in another place: they keep their scale.
  bool move(std::size_t i) {
    static const std::set<std::string_view> types{"Flatten", "MaxPool",   "Reshape",
                                                  "Squeeze", "Transpose", "Unsqueeze"};
    const NodeView& from = model_.nodes[i];
    if (!types.contains(from.type) || from.outputs.size() != 1 || !is_activation(from, 0)) return false;
    const Value source = value(from.inputs[0].name);
    if (!source.has_quantized) return false;
    Step step{from, parameters(i)};
    Value result = source;
    result.real = from.outputs[0];
    result.quantized = retyped(from.outputs[0], DataType::int8);
    result.has_real = false;
    step.node.inputs[0] = source.quantized;
    step.node.outputs[0] = result.quantized;
    values_[from.outputs[0].name] = std::move(result);
    steps_.push_back(std::move(step));
    return true;
  }

  // The node that alone reads the tensor, as its first input, if it is of that type.
  [[nodiscard]] std::size_t only_reader(const TensorView& tensor, std::string_view type) const {
    const auto found = readers_.find(tensor.name);
    if (found == readers_.end() || found->second.size() != 1) return kNone;
    const std::size_t reader = *found->second.begin();
    if (reader == kNone) return kNone;
    const NodeView& node = model_.nodes[reader];
    const bool fits = node.domain.empty() && node.type == type && all_fp32(node);
    return fits && node.inputs[0].name == tensor.name ? reader : kNone;
  }

  std::size_t fold(std::size_t i, Step& into) {
    folded_.insert(i);
    into.parameters += parameters(i);
    return i;
  }

  [[nodiscard]] Step begin(std::size_t i, std::string type, std::string_view domain) const {
    Step step{model_.nodes[i], parameters(i)};
    step.node.type = std::move(type);
    step.node.domain = std::string(domain);
    step.node.inputs.clear();
    step.node.outputs.clear();
    return step;
  }

  // Node `last` of the fp32 model, or an activation behind it, makes what this step writes.
  const Value& finish(std::size_t last, Step& step) {
    std::int64_t zero_point = kCentred;
    for (const char* type : {"Relu", "Clip"}) {
      const std::size_t bounded = only_reader(model_.nodes[last].outputs[0], type);
      if (bounded == kNone || is_activation(model_.nodes[bounded], 1)) continue;
      last = fold(bounded, step);
      zero_point = kRectified;
      break;
    }
    const TensorView& output = model_.nodes[last].outputs[0];
    Value& result = values_[output.name] = value_of(output, zero_point);
    result.has_quantized = true;
    step.node.outputs.push_back(result.quantized);
    return result;
  }

  void end(std::size_t i, Step& step) {
    const Value& result = finish(i, step);
    step.node.inputs.push_back(result.scale);
    step.node.inputs.push_back(result.zero_point);
    steps_.push_back(std::move(step));
  }

  void read_quantized(NodeView& node, const TensorView& tensor) {
    if (tensor.constant) {
      const Value fixed = value_of(tensor, kCentred);
      node.inputs.insert(node.inputs.end(), {fixed.quantized, fixed.scale, fixed.zero_point});
      return;
    }
    Value& known = value(tensor.name);
    if (!known.has_quantized) {
      convert_tensor("QuantizeLinear", known, known.real, known.quantized);
      known.has_quantized = true;
    }
    node.inputs.insert(node.inputs.end(), {known.quantized, known.scale, known.zero_point});
  }

  static void read_weight(NodeView& node, const TensorView& weight) {
    node.inputs.insert(node.inputs.end(), {retyped(weight, DataType::int8), scale_of(weight.name),
                                           zero_point_of(weight.name, 0)});
  }

  static TensorView bias_of(const NodeView& product, std::vector<std::int64_t> shape) {
    TensorView bias;
    bias.name = product.name + ".bias_quantized";
    bias.type = DataType::int32;
    bias.shape = std::move(shape);
    bias.constant = true;
    return bias;
  }

  const TensorView& real(const std::string& name) {
    Value& known = value(name);
    if (!known.has_real) {
      convert_tensor("DequantizeLinear", known, known.quantized, known.real);
      known.has_real = true;
    }
    return known.real;
  }

  void convert_tensor(const char* type, const Value& of, const TensorView& from, const TensorView& to) {
    Step step;
    step.node.name = of.real.name + "/" + type;
    step.node.type = type;
    step.node.opset = 17;
    step.node.inputs = {from, of.scale, of.zero_point};
    step.node.outputs = {to};
    steps_.push_back(std::move(step));
  }

  const WrittenModel& model_;
  std::map<std::string, std::set<std::size_t>> readers_;  // kNone: an output of the model
  std::map<std::string, Value> values_;
  std::map<std::string, std::string> same_as_;
  std::set<std::size_t> folded_;
  std::vector<Step> steps_;
  std::vector<TensorView> outputs_;
};

// The graph of the nodes: work by the rules, edges by the names of tensors. A tensor that a node reads twice flows once.
WrittenModel model_from_nodes(std::vector<Step> steps) {
  WrittenModel model;
  std::map<std::string, OpIndex> producers;
  for (Step& step : steps) {
    Operator op = operator_of(step.node);
    op.parameters = step.parameters;
    const OpIndex index = model.graph.add(std::move(op));
    std::set<std::string> read;
    for (const TensorView& input : step.node.inputs) {
      const auto producer = producers.find(input.name);
      if (input.absent || producer == producers.end() || !read.insert(input.name).second) continue;
      model.graph.connect(producer->second, index, input.bytes());
    }
    for (const TensorView& output : step.node.outputs) producers.emplace(output.name, index);
    model.nodes.push_back(std::move(step.node));
  }
  return model;
}

}  // namespace

WrittenModel quantized(const WrittenModel& model) {
  CORECAST_CHECK(model.nodes.size() == model.graph.size(), "{} nodes, {} operators", model.nodes.size(),
                 model.graph.size());
  Quantizer quantizer(model);
  WrittenModel result = model_from_nodes(quantizer.run());
  result.graph.name = model.graph.name;
  result.graph.batch = model.graph.batch;
  result.graph.inputs = model.graph.inputs;
  result.graph.notes = model.graph.notes;
  result.inputs = model.inputs;
  result.outputs = quantizer.outputs();
  return result;
}

}  // namespace corecast::graphs
