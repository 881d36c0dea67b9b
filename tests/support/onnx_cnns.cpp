#include "tests/support/onnx_cnns.hpp"

#include <array>
#include <string>
#include <vector>

namespace corecast::test {
namespace {

using Ints = std::vector<std::int64_t>;

struct Value {
  std::string name;
  std::int64_t channels = 0;
};

class Net {
 public:
  Value input(std::int64_t size) {
    auto& info = *graph().add_input();
    info.set_name("data");
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(::onnx::TensorProto::FLOAT);
    for (const std::int64_t d : {std::int64_t{1}, std::int64_t{3}, size, size})
      type.mutable_shape()->add_dim()->set_dim_value(d);
    return {"data", 3};
  }
  Value conv(const Value& x, std::int64_t out, std::int64_t k, std::int64_t stride = 1, std::int64_t pad = 0,
             std::int64_t group = 1, bool bias = true) {
    std::vector<std::string> inputs{x.name, weight({out, x.channels / group, k, k})};
    if (bias) inputs.push_back(weight({out}));
    auto& node = add("Conv", inputs);
    window(node, k, stride, pad);
    whole(node, "group", group);
    return result(out);
  }
  Value conv_relu(const Value& x, std::int64_t out, std::int64_t k, std::int64_t stride = 1,
                  std::int64_t pad = 0, std::int64_t group = 1) {
    return relu(conv(x, out, k, stride, pad, group));
  }
  Value batch_norm(const Value& x) {
    add("BatchNormalization",
        {x.name, weight({x.channels}), weight({x.channels}), weight({x.channels}), weight({x.channels})});
    return result(x.channels);
  }
  Value conv_norm(const Value& x, std::int64_t out, std::int64_t k, std::int64_t stride = 1,
                  std::int64_t pad = 0, std::int64_t group = 1) {
    return batch_norm(conv(x, out, k, stride, pad, group, false));
  }
  Value relu(const Value& x) {
    add("Relu", {x.name});
    return result(x.channels);
  }
  Value pool(const char* type, const Value& x, std::int64_t k, std::int64_t stride, std::int64_t pad = 0,
             bool ceil = false) {
    auto& node = add(type, {x.name});
    window(node, k, stride, pad);
    whole(node, "ceil_mode", ceil ? 1 : 0);
    return result(x.channels);
  }
  Value global_pool(const Value& x) {
    add("GlobalAveragePool", {x.name});
    return result(x.channels);
  }
  Value concat(const std::vector<Value>& parts) {
    std::vector<std::string> names;
    std::int64_t channels = 0;
    for (const Value& part : parts) {
      names.push_back(part.name);
      channels += part.channels;
    }
    whole(add("Concat", names), "axis", 1);
    return result(channels);
  }
  Value sum(const Value& a, const Value& b) {
    add("Add", {a.name, b.name});
    return result(a.channels);
  }
  Value reshape(const Value& x, const Ints& shape) {
    auto& target = *graph().add_initializer();
    target.set_name("s" + std::to_string(graph().initializer_size()));
    target.set_data_type(::onnx::TensorProto::INT64);
    target.add_dims(static_cast<std::int64_t>(shape.size()));
    for (const std::int64_t size : shape) target.add_int64_data(size);
    add("Reshape", {x.name, target.name()});
    return result(x.channels);
  }
  Value shuffle(const Value& x, std::int64_t groups, std::int64_t size) {
    const Value split = reshape(x, {1, groups, x.channels / groups, size, size});
    auto& order = *add("Transpose", {split.name}).add_attribute();
    order.set_name("perm");
    order.set_type(::onnx::AttributeProto::INTS);
    for (const int axis : {0, 2, 1, 3, 4}) order.add_ints(axis);
    return reshape(result(x.channels), {1, x.channels, size, size});
  }
  // `in` elements of a flattened x.
  Value dense(const Value& x, std::int64_t in, std::int64_t out) {
    add("Flatten", {x.name});
    const Value flat = result(in);
    whole(add("Gemm", {flat.name, weight({out, in}), weight({out})}), "transB", 1);
    return result(out);
  }
  ::onnx::ModelProto done(const Value& y) {
    graph().add_output()->set_name(y.name);
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(17);
    return model_;
  }

 private:
  ::onnx::GraphProto& graph() { return *model_.mutable_graph(); }
  std::string weight(const Ints& dims) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name("w" + std::to_string(graph().initializer_size()));
    tensor.set_data_type(::onnx::TensorProto::FLOAT);
    for (const std::int64_t size : dims) tensor.add_dims(size);
    return tensor.name();
  }
  ::onnx::NodeProto& add(const char* type, const std::vector<std::string>& inputs) {
    auto& node = *graph().add_node();
    node.set_op_type(type);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output("t" + std::to_string(graph().node_size()));
    return node;
  }
  Value result(std::int64_t channels) { return {"t" + std::to_string(graph().node_size()), channels}; }
  static void whole(::onnx::NodeProto& node, const char* name, std::int64_t value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::INT);
    attribute.set_i(value);
  }
  static void window(::onnx::NodeProto& node, std::int64_t k, std::int64_t stride, std::int64_t pad) {
    const std::array<std::pair<const char*, Ints>, 3> all{
        {{"kernel_shape", {k, k}}, {"strides", {stride, stride}}, {"pads", {pad, pad, pad, pad}}}};
    for (const auto& [name, values] : all) {
      auto& attribute = *node.add_attribute();
      attribute.set_name(name);
      attribute.set_type(::onnx::AttributeProto::INTS);
      for (const std::int64_t value : values) attribute.add_ints(value);
    }
  }
  ::onnx::ModelProto model_;
};

}  // namespace

::onnx::ModelProto alexnet() {
  Net net;
  Value x = net.conv_relu(net.input(227), 96, 11, 4);
  x = net.pool("MaxPool", x, 3, 2);
  x = net.conv_relu(x, 256, 5, 1, 2, 2);
  x = net.pool("MaxPool", x, 3, 2);
  x = net.conv_relu(x, 384, 3, 1, 1);
  x = net.conv_relu(x, 384, 3, 1, 1, 2);
  x = net.conv_relu(x, 256, 3, 1, 1, 2);
  x = net.pool("MaxPool", x, 3, 2);
  x = net.relu(net.dense(x, 256 * 6 * 6, 4096));
  x = net.relu(net.dense(x, 4096, 4096));
  return net.done(net.dense(x, 4096, 1000));
}

::onnx::ModelProto squeezenet_1_1() {
  Net net;
  const auto fire = [&](const Value& x, std::int64_t squeeze, std::int64_t expand) {
    const Value s = net.conv_relu(x, squeeze, 1);
    return net.concat({net.conv_relu(s, expand, 1), net.conv_relu(s, expand, 3, 1, 1)});
  };
  const auto pool = [&](const Value& x) { return net.pool("MaxPool", x, 3, 2, 0, true); };
  Value x = pool(net.conv_relu(net.input(224), 64, 3, 2));
  x = pool(fire(fire(x, 16, 64), 16, 64));
  x = pool(fire(fire(x, 32, 128), 32, 128));
  x = fire(fire(x, 48, 192), 48, 192);
  x = fire(fire(x, 64, 256), 64, 256);
  return net.done(net.global_pool(net.conv_relu(x, 1000, 1)));
}

// Pools round down (55, 27, 13, 6 rows), as the published count has it; rounded up (56, 28, 14, 7: the paper's table 1) the
// same network has 1.583 G.
::onnx::ModelProto inception_v1() {
  Net net;
  const auto pool = [&](const Value& x) { return net.pool("MaxPool", x, 3, 2); };
  // 1x1, 3x3 behind its reduction, 5x5 behind its, and the projection of a pool: table 1 of the paper.
  const auto block = [&](const Value& x, std::array<std::int64_t, 6> c) {
    const Value three = net.conv_relu(net.conv_relu(x, c[1], 1), c[2], 3, 1, 1);
    const Value five = net.conv_relu(net.conv_relu(x, c[3], 1), c[4], 5, 1, 2);
    const Value projection = net.conv_relu(net.pool("MaxPool", x, 3, 1, 1), c[5], 1);
    return net.concat({net.conv_relu(x, c[0], 1), three, five, projection});
  };
  Value x = pool(net.conv_relu(net.input(224), 64, 7, 2, 3));
  x = pool(net.conv_relu(net.conv_relu(x, 64, 1), 192, 3, 1, 1));
  x = block(x, {64, 96, 128, 16, 32, 32});
  x = pool(block(x, {128, 128, 192, 32, 96, 64}));
  x = block(x, {192, 96, 208, 16, 48, 64});
  x = block(x, {160, 112, 224, 24, 64, 64});
  x = block(x, {128, 128, 256, 24, 64, 64});
  x = block(x, {112, 144, 288, 32, 64, 64});
  x = pool(block(x, {256, 160, 320, 32, 128, 128}));
  x = block(x, {256, 160, 320, 32, 128, 128});
  x = block(x, {384, 192, 384, 48, 128, 128});
  return net.done(net.dense(net.global_pool(x), 1024, 1000));
}

::onnx::ModelProto resnet50() {
  Net net;
  Value x = net.pool("MaxPool", net.relu(net.conv_norm(net.input(224), 64, 7, 2, 3)), 3, 2, 1);
  const std::array<int, 4> blocks{3, 4, 6, 3};
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const std::int64_t width = std::int64_t{64} << stage;
    for (int i = 0; i < blocks[stage]; ++i) {
      const std::int64_t stride = i == 0 && stage > 0 ? 2 : 1;
      Value y = net.relu(net.conv_norm(x, width, 1));
      y = net.relu(net.conv_norm(y, width, 3, stride, 1));
      y = net.conv_norm(y, 4 * width, 1);
      x = net.relu(net.sum(y, i == 0 ? net.conv_norm(x, 4 * width, 1, stride) : x));
    }
  }
  return net.done(net.dense(net.global_pool(x), 2048, 1000));
}

::onnx::ModelProto densenet121() {
  Net net;
  const auto norm_relu = [&](const Value& x) { return net.relu(net.batch_norm(x)); };
  Value x = net.pool("MaxPool", net.relu(net.conv_norm(net.input(224), 64, 7, 2, 3)), 3, 2, 1);
  const std::array<int, 4> layers{6, 12, 24, 16};
  for (std::size_t block = 0; block < 4; ++block) {
    for (int i = 0; i < layers[block]; ++i) {
      const Value y = norm_relu(net.conv(norm_relu(x), 128, 1, 1, 0, 1, false));
      x = net.concat({x, net.conv(y, 32, 3, 1, 1, 1, false)});
    }
    x = norm_relu(x);
    if (block < 3) x = net.pool("AveragePool", net.conv(x, x.channels / 2, 1, 1, 0, 1, false), 2, 2);
  }
  return net.done(net.dense(net.global_pool(x), 1024, 1000));
}

::onnx::ModelProto shufflenet() {
  constexpr std::int64_t kGroups = 3;
  Net net;
  Value x = net.pool("MaxPool", net.relu(net.conv_norm(net.input(224), 24, 3, 2, 1)), 3, 2, 1);
  const std::array<std::int64_t, 3> channels{240, 480, 960};
  const std::array<int, 3> repeats{4, 8, 4};
  std::int64_t size = 56;
  for (std::size_t stage = 0; stage < 3; ++stage) {
    for (int i = 0; i < repeats[stage]; ++i) {
      const bool first = i == 0;
      const std::int64_t out = first ? channels[stage] - x.channels : channels[stage];
      // The very first unit has too few channels in to be grouped.
      Value y = net.relu(net.conv_norm(x, channels[stage] / 4, 1, 1, 0, first && stage == 0 ? 1 : kGroups));
      y = net.shuffle(y, kGroups, size);
      y = net.conv_norm(y, y.channels, 3, first ? 2 : 1, 1, y.channels);
      y = net.conv_norm(y, out, 1, 1, 0, kGroups);
      x = net.relu(first ? net.concat({net.pool("AveragePool", x, 3, 2, 1), y}) : net.sum(x, y));
      if (first) size /= 2;
    }
  }
  return net.done(net.dense(net.global_pool(x), 960, 1000));
}

}  // namespace corecast::test
