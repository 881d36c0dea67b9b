// Writes a model down layer by layer, in one batch size, as its ONNX export would have it.
// Work comes from the work rules.
//
//   Builder b(batch);
//   auto x = b.input({3, 224, 224});
//   x = b.relu(b.batch_norm(b.conv(x, 64, 7, {.stride = 2, .padding = 3})));
//   x = b.max_pool(x, 3, {.stride = 2, .padding = 1});
//   x = b.dense(b.flatten(b.global_average_pool(x)), 1000);
//   return b.finish("tiny");  // its .graph is what the rest of corecast works on
//
// Shapes given and taken leave out the batch, which stands in front of every tensor: {channels, height, width} of
// an image, {length, width} of a sequence. Images are NCHW.
// Output sizes of windows: floor((in + 2 padding - kernel) / stride) + 1.
//
// Operators stand in the order of the calls. C++ leaves open in which order a function's arguments are computed,
// so make each addend in a statement of its own; between the braces of concat({...}) the order is that of the text.
// A shape that does not fit is a mistake in the model's code: CORECAST_CHECK, or InputError by the work rules.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graphs/graph.hpp"
#include "graphs/work_rules.hpp"
#include "graphs/written_model.hpp"

namespace corecast::graphs {

using Shape = std::vector<std::int64_t>;

// Height and width; one number stands for both.
struct Size {
  std::int64_t height;
  std::int64_t width;
  constexpr Size(int both) : height(both), width(both) {}  // NOLINT: b.conv(x, 64, 3) is the point
  constexpr Size(std::int64_t h, std::int64_t w) : height(h), width(w) {}
  friend bool operator==(const Size&, const Size&) = default;
};

struct ConvOptions {
  Size stride = 1;
  Size padding = 0;  // on each side
  std::int64_t groups = 1;
  bool bias = false;
};

struct PoolOptions {
  Size stride = 1;
  Size padding = 0;
  bool round_up = false;  // PyTorch's ceil_mode
};

class Builder {
 public:
  // A value of the model: the result of an operator, or an input.
  class Tensor {
    friend class Builder;
    explicit Tensor(std::size_t index) : index_(index) {}
    std::size_t index_;
  };
  // A constant of the model. `learned`: counted as parameters (running statistics are not).
  struct Weight {
    Shape shape;
    bool learned = true;
  };
  // Whole numbers that an operator takes as an input: where a Slice starts, which axes a Squeeze leaves out.
  struct Integers {
    std::vector<std::int64_t> values;
    DataType type = DataType::int64;
  };
  // A shape with the batch in it, wherever it stands: recurrent operators want {steps, batch, width}. What `shape` and
  // the layers above say of such a tensor is of no use; it goes into node() alone.
  struct Whole {
    Shape shape;
    explicit Whole(Shape s) : shape(std::move(s)) {}
  };
  using Argument = std::variant<Tensor, Weight, Integers>;
  using Attributes = std::map<std::string, Attribute>;

  explicit Builder(std::int64_t batch = 1, DataType type = DataType::fp32);

  // Prefix of the names of what follows: "mixed_5b/branch1x1" gives "mixed_5b/branch1x1/Conv".
  void section(std::string prefix) { section_ = std::move(prefix); }

  Tensor input(const Shape& shape);
  Tensor input(const Shape& shape, DataType type);

  Tensor conv(Tensor x, std::int64_t channels, Size kernel, ConvOptions options = {});
  Tensor max_pool(Tensor x, Size kernel, PoolOptions options);
  Tensor average_pool(Tensor x, Size kernel, PoolOptions options);
  Tensor global_average_pool(Tensor x);             // to 1 x 1
  Tensor dense(Tensor x, std::int64_t features);    // Gemm with bias; x is a vector
  Tensor project(Tensor x, std::int64_t features);  // MatMul with a weight on the last dimension, no bias
  Tensor matmul(Tensor a, Tensor b);                // numpy.matmul
  Tensor batch_norm(Tensor x);                      // scale and shift are learned, mean and variance are not
  Tensor layer_norm(Tensor x);                      // over the last dimension
  Tensor softmax(Tensor x);                         // over the last dimension
  Tensor embedding(Tensor ids, std::int64_t rows, std::int64_t width);
  Tensor activation(const std::string& type,
                    Tensor x);  // any operator that keeps the shape: "Sigmoid", "Gelu"
  Tensor relu(Tensor x) { return activation("Relu", x); }
  Tensor dropout(Tensor x) { return activation("Dropout", x); }
  Tensor add(Tensor a, Tensor b);  // of equal shapes
  Tensor mul(Tensor a, Tensor b);
  Tensor add_bias(Tensor x);  // a learned vector on the last dimension
  Tensor concat(const std::vector<Tensor>& parts, std::int64_t axis = 0);
  Tensor flatten(Tensor x);
  Tensor reshape(Tensor x, const Shape& shape);
  Tensor transpose(Tensor x,
                   const std::vector<std::int64_t>& order);  // {1, 0, 2} swaps the first two after the batch

  // Any operator with a work rule.
  Tensor node(const std::string& type, const std::vector<Argument>& arguments, const Shape& output,
              Attributes attributes = {});
  Tensor node(const std::string& type, const std::vector<Argument>& arguments, const Whole& output,
              Attributes attributes = {});

  [[nodiscard]] Shape shape(Tensor x) const;  // without the batch
  [[nodiscard]] std::int64_t batch() const { return batch_; }

  // The model; the builder is empty afterwards.
  [[nodiscard]] WrittenModel finish(std::string name);

 private:
  struct Value {
    TensorView view;
    std::optional<OpIndex> producer;
  };

  Tensor pool(const std::string& type, Tensor x, Size kernel, PoolOptions options);
  [[nodiscard]] TensorView view_of(const Argument& argument, const std::string& name) const;
  [[nodiscard]] Shape with_batch(const Shape& shape) const;
  [[nodiscard]] std::string fresh_name(const std::string& type);
  void connect(const std::vector<Argument>& arguments, OpIndex to);

  std::int64_t batch_;
  DataType type_;
  std::string section_;
  WrittenModel model_;
  std::vector<Value> values_;
  std::map<std::string, int> used_;
};

}  // namespace corecast::graphs
