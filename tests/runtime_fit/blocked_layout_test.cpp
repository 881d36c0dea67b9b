// Reorders between plain and blocked operators.
#include <doctest/doctest.h>

#include <string>

#include "graphs/blocked_layout.hpp"
#include "graphs/builder.hpp"

namespace corecast::graphs {
namespace {

const BlockedLayout kLayout{16, {"Conv", "MaxPool"}, {"Relu", "Add"}};

int reorders(const Graph& graph) {
  int count = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) count += graph.op(OpIndex(i)).type == "Reorder" ? 1 : 0;
  return count;
}

TEST_CASE("a runtime without a blocked layout gets its graph as it is") {
  Builder b;
  (void)b.conv(b.input({32, 8, 8}), 32, 3, {1, 1});
  const Graph graph = b.finish("one").graph;
  CHECK(with_reorders(graph, {}) == graph);
}

TEST_CASE("a chain of blocked operators is reordered once on its way in and once on its way out") {
  Builder b;
  Builder::Tensor x = b.activation("Neg", b.input({32, 8, 8}));
  x = b.relu(b.conv(x, 32, 3, {1, 1}));  // Relu follows
  x = b.max_pool(x, 3, {1, 1});
  (void)b.activation("Neg", x);
  const Graph graph = with_reorders(b.finish("chain").graph, kLayout);
  CHECK(reorders(graph) == 2);
  const auto in = graph.find("Neg/reorder_input"), out = graph.find("MaxPool/reorder_output");
  REQUIRE(in);
  REQUIRE(out);
  // 32 channels of 8 x 8 floats, read once and written once.
  CHECK(graph.op(*in).work.traffic() == Bytes(2.0 * 32 * 64 * 4));
  CHECK(graph.successors(*in) == std::vector{*graph.find("Conv")});
  CHECK(graph.predecessors(*graph.find("Neg_1")) == std::vector{*out});
  CHECK(graph.topological_order().size() == graph.size());
}

TEST_CASE("one reorder serves all plain readers, and an addition of a plain tensor is plain") {
  Builder b;
  const Builder::Tensor x = b.activation("Neg", b.input({32, 8, 8}));
  const Builder::Tensor y = b.conv(x, 32, 3, {1, 1});
  (void)b.add(y, x);  // x is plain: so is the sum
  (void)b.activation("Neg", y);
  CHECK(reorders(with_reorders(b.finish("shared").graph, kLayout)) == 2);
}

TEST_CASE("a convolution of few channels reads the plain layout by itself") {
  Builder b;
  (void)b.activation("Neg", b.conv(b.activation("Neg", b.input({3, 8, 8})), 32, 3, {1, 1}));
  const Graph graph = with_reorders(b.finish("stem").graph, kLayout);
  CHECK(reorders(graph) == 1);  // of its result
}

TEST_CASE("groups that do not fill blocks stay in the plain layout") {
  Builder b;
  const Builder::Tensor x = b.activation("Neg", b.input({48, 8, 8}));
  (void)b.activation("Neg", b.conv(x, 48, 3, {1, 1, 6}));  // 8 channels a group
  CHECK(reorders(with_reorders(b.finish("groups").graph, kLayout)) == 0);
  Builder d;
  const Builder::Tensor z = d.activation("Neg", d.input({48, 8, 8}));
  (void)d.activation("Neg", d.conv(z, 48, 3, {1, 1, 48}));  // depthwise: 48 = 3 blocks
  CHECK(reorders(with_reorders(d.finish("depthwise").graph, kLayout)) == 2);
}

}  // namespace
}  // namespace corecast::graphs
