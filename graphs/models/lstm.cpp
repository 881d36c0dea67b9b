// Language model of two LSTM layers: Zaremba et al., "Recurrent Neural Network Regularization", arXiv 1409.2329, the
// large one (1500 units, 10000 words of the Penn Treebank, 35 steps), for inference. Both products of a cell have a
// bias, as in the authors' code and PyTorch. States begin at zero; in training they go on from one window to the next.
//
// ONNX's LSTM, as runtimes have it, wants {steps, batch, width}.
#include "graphs/builder.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs::models {
namespace {

constexpr std::int64_t kUnits = 1500;
constexpr std::int64_t kWords = 10000;

using Weight = Builder::Weight;
using Whole = Builder::Whole;

}  // namespace

WrittenModel lstm(const BuildOptions& options) {
  const std::int64_t steps = options.sequence.value();
  const std::int64_t batch = options.batch;
  const Whole time_first({steps, batch, kUnits});
  const Shape swapped{1, 0, 2};
  Builder b(batch, options.type);
  b.section("embedding");
  auto x = b.embedding(b.input({steps}, DataType::int64), kWords, kUnits);
  x = b.node("Transpose", {x}, time_first, {{"perm", swapped}});
  for (const char* layer : {"layer0", "layer1"}) {
    b.section(layer);
    // Four gates; one direction, which the result has an axis of.
    const Weight gates{{1, 4 * kUnits, kUnits}};
    const Weight biases{{1, 2 * 4 * kUnits}};
    x = b.node("LSTM", {x, gates, gates, biases}, Whole({steps, 1, batch, kUnits}),
               {{"hidden_size", kUnits}});
    x = b.node("Squeeze", {x, Builder::Integers{{1}}}, time_first);
  }
  b.section("head");
  x = b.node("Transpose", {x}, {steps, kUnits}, {{"perm", swapped}});
  b.softmax(b.add_bias(b.project(x, kWords)));
  return b.finish("lstm");
}

}  // namespace corecast::graphs::models
