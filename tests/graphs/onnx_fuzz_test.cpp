// Damaged models: an InputError or a graph, never anything else.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "base/error.hpp"
#include "tests/support/onnx_text.hpp"

using namespace corecast;
using corecast::test::bytes_of;
using corecast::test::onnx_model;

namespace {

// One of much: convolution, pool, shape chain, constants, branch, loop, quantised product, recurrence.
std::string victim() {
  const std::string text = R"(<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
  agraph (float[1,3,8,8] x, bool c, float[4,3,3,3] w, float[1,16,36] lw, float[1,16,4] lr, uint8[9,4] q) => (float[M] y, float[K] r, float[L] z)
  <int64 zero = {0}, int64[1] axes = {0}, int64[1] rest = {-1}, int64 n = {3}, bool go = {1}, float[4] up = {1.0, 1.0, 2.0, 2.0}, int64[2] pads = {1, 1},
   int64[2] cut = {0, 0}, int64[2] ends = {2, -1}, int64[2] where = {2, 3}> {
    a = Conv <strides = [1, 1], pads = [1, 1, 1, 1]> (x, w)
    b = MaxPool <kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1> (a)
    s = Shape(b)
    g = Gather(s, zero)
    u = Unsqueeze(g, axes)
    t = Concat <axis = 0> (u, rest)
    f = Reshape(b, t)
    i = If (c) <then_branch = yes () => (float[N] t1) { t1 = Relu(f) }, else_branch = no () => (float[N] e1) { e1 = Softmax(f) }>
    l, ls = Loop (n, go, i) <body = once (int64 k, bool go1, float[N] st) => (bool go2, float[N] st2, float[N] o) { go2 = Identity(go1) st2 = Exp(st) o = Add(st2, st) }>
    d = Resize <mode = "nearest"> (b, , up)
    d2 = Slice(d, cut, ends, where)
    h = ReduceMean <axes = [2, 3], keepdims = 0> (d2)
    j = com.microsoft.FusedMatMul <transB = 1> (h, h)
    y = Gemm <transB = 1> (j, j)
    p = Transpose <perm = [2, 0, 1]> (lr)
    m, m2, m3 = LSTM <hidden_size = 4> (p, lw, lr)
    r = Einsum <equation = "abcd,abcd->ac"> (m, m)
    z = Identity(ls)
  })";
  return bytes_of(onnx_model(text, {"w", "lw", "lr", "q"}));
}

// True when the import ends in one of the two ways it may.
bool survives(const std::string& bytes) {
  try {
    graphs::ImportOptions options;
    (void)graphs::import_onnx_bytes(bytes, "m.onnx", options);
    options.batch = 3;
    (void)graphs::import_onnx_bytes(bytes, "m.onnx", options);
  } catch (const InputError&) {
  }
  return true;
}

}  // namespace

TEST_CASE("a model with any few bytes changed is imported or refused") {
  const std::string bytes = victim();
  CHECK(rc::check("bytes changed", [&] {
    std::string damaged = bytes;
    for (const auto& [where, what] : *rc::gen::container<std::vector<std::pair<std::size_t, char>>>(
             *rc::gen::inRange<std::size_t>(1, 6),
             rc::gen::pair(rc::gen::inRange<std::size_t>(0, bytes.size()), rc::gen::arbitrary<char>()))) {
      damaged[where] = what;
    }
    RC_ASSERT(survives(damaged));
  }));
}

TEST_CASE("a model with a few bits turned is imported or refused") {
  const std::string bytes = victim();
  CHECK(rc::check("bits turned", [&] {
    std::string damaged = bytes;
    for (const std::size_t bit : *rc::gen::container<std::vector<std::size_t>>(
             *rc::gen::inRange<std::size_t>(1, 4), rc::gen::inRange<std::size_t>(0, 8 * bytes.size()))) {
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    }
    RC_ASSERT(survives(damaged));
  }));
}

TEST_CASE("a model cut off anywhere, or with a piece cut out, is imported or refused") {
  const std::string bytes = victim();
  CHECK(rc::check("pieces cut", [&] {
    const auto from = *rc::gen::inRange<std::size_t>(0, bytes.size());
    const auto length = *rc::gen::inRange<std::size_t>(1, bytes.size());
    RC_ASSERT(survives(bytes.substr(0, from)));
    std::string damaged = bytes;
    damaged.erase(from, length % 8);
    RC_ASSERT(survives(damaged));
  }));
}

// Sizes and attributes are where arithmetic can go wrong: put extreme numbers there.
TEST_CASE("a model with extreme numbers for attributes and constants is imported or refused") {
  const std::string bytes = victim();
  CHECK(rc::check("extreme numbers", [&] {
    ::onnx::ModelProto model;
    RC_ASSERT(model.ParseFromString(bytes));
    auto& graph = *model.mutable_graph();
    const auto number = *rc::gen::element<std::int64_t>(
        0, -1, -2, 7, 1 << 20, std::int64_t{1} << 40, std::int64_t{1} << 62,
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min());
    auto& node = *graph.mutable_node(*rc::gen::inRange(0, graph.node_size()));
    if (node.attribute_size() > 0) {
      auto& attribute = *node.mutable_attribute(*rc::gen::inRange(0, node.attribute_size()));
      if (attribute.ints_size() > 0) attribute.set_ints(*rc::gen::inRange(0, attribute.ints_size()), number);
      if (attribute.has_i()) attribute.set_i(number);
    }
    auto& weight = *graph.mutable_initializer(*rc::gen::inRange(0, graph.initializer_size()));
    if (weight.int64_data_size() > 0) {
      weight.set_int64_data(*rc::gen::inRange(0, weight.int64_data_size()), number);
    } else if (weight.dims_size() > 0 && *rc::gen::arbitrary<bool>()) {
      weight.set_dims(*rc::gen::inRange(0, weight.dims_size()), number);
    }
    RC_ASSERT(survives(model.SerializeAsString()));
  }));
}

TEST_CASE("the undamaged model is imported") {
  CHECK(graphs::import_onnx_bytes(victim(), "m.onnx").size() > 10);
}
