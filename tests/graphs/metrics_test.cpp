#include "graphs/metrics.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <bit>

#include "base/error.hpp"
#include "graphs/antichain.hpp"
#include "tests/graphs/random_graph.hpp"
#include "tests/support/dag.hpp"

using namespace corecast;
using graphs::Graph;
using graphs::measure;
using graphs::Metrics;
using test::dag;

namespace {

std::string path_of(const Graph& graph) {
  std::string text;
  for (const OpIndex i : measure(graph).critical_path) text += graph.op(i).name;
  return text;
}

// All sets of heavy operators tried: the largest without a path between two of its members.
std::int64_t widest_by_trying(const Graph& graph) {
  const std::size_t n = graph.size();
  std::vector<unsigned> after(n, 0);
  const std::vector<OpIndex> order = graph.topological_order();
  for (auto v = order.rbegin(); v != order.rend(); ++v) {
    for (const OpIndex next : graph.successors(*v)) {
      after[v->value()] |= 1U << next.value() | after[next.value()];
    }
  }
  int widest = 0;
  for (unsigned set = 0; set < 1U << n; ++set) {
    bool good = true;
    for (std::size_t v = 0; v < n && good; ++v) {
      if ((set >> v & 1U) == 0) continue;
      good = graphs::is_heavy(graph.op(OpIndex(v))) && (after[v] & set) == 0;
    }
    if (good) widest = std::max(widest, std::popcount(set));
  }
  return widest;
}

}  // namespace

TEST_CASE("products, convolutions and lookups of weight rows are heavy") {
  const auto heavy = [](std::string_view text) { return graphs::is_heavy(dag(text).op(OpIndex(0))); };
  for (const char* kernel : {"gemm", "conv", "conv_1x1", "conv_depthwise", "conv_transposed", "recurrent"}) {
    CHECK(heavy(std::string("a:") + kernel));
  }
  for (const char* kernel :
       {"pool", "elementwise", "normalization", "softmax", "transpose", "reduce", "shape", "other"}) {
    CHECK_FALSE(heavy(std::string("a:") + kernel));
  }
  CHECK(heavy("rows_of_a_table:gather,8B,weights=512B"));
  CHECK_FALSE(heavy("constant_index_into_activations:gather,512B,weights=8B"));
}

TEST_CASE("gradients are not heavy, but count for the largest width; updates count for neither") {
  const Graph graph =
      dag("a:gemm -> b:gemm,type=MatMulGradData; a -> c:gemm,type=MatMulGradWeights+Add;"
          "c -> d:gather,type=SparseMomentumUpdate,8B,weights=16B; a -> "
          "e:gather,type=SparseMomentumUpdate,8B,weights=16B");
  for (const std::size_t gradient : {1U, 2U}) {
    CHECK(graphs::is_gradient(graph.op(OpIndex(gradient))));
    CHECK_FALSE(graphs::is_heavy(graph.op(OpIndex(gradient))));
  }
  CHECK_FALSE(graphs::is_heavy(graph.op(OpIndex(3))));
  CHECK_FALSE(graphs::is_gradient(graph.op(OpIndex(0))));
  const Metrics m = measure(graph);
  CHECK(m.heavy == 1);
  CHECK(m.average_width == 1.0);
  CHECK(m.max_width == 2);  // b and c; e would be a third
}

TEST_CASE("average width is heavy operators over those on the longest heavy path, light ones skipped") {
  // Heavy: a, and b c d in one branch, e in the other. Longest heavy path a b c d: 5 / 4.
  const Metrics m =
      measure(dag("a,b,c,d,e; a:gemm; b:gemm; c:gemm; d:gemm; e:gemm; r:elementwise;"
                  "a -> r -> b -> c -> d; r -> e"));
  CHECK(m.heavy == 5);
  CHECK(m.heavy_levels == 4);
  CHECK(m.average_width == 1.25);
  CHECK(m.operators == 6);
  CHECK(m.levels == 5);
  CHECK(m.max_width == 2);
}

TEST_CASE("a graph without heavy operators has width one") {
  const Metrics m = measure(dag("a:elementwise -> b:pool; c:softmax"));
  CHECK(m.heavy == 0);
  CHECK(m.heavy_levels == 0);
  CHECK(m.average_width == 1.0);
  CHECK(m.max_width == 1);
  CHECK(m.max_width_exact);
  CHECK(m.critical_path_share == 0.0);
}

TEST_CASE("an empty graph has the metrics of nothing") {
  const Metrics m = measure(Graph{});
  CHECK(m.operators == 0);
  CHECK(m.levels == 0);
  CHECK(m.critical_path.empty());
  CHECK(m.average_width == 1.0);
}

TEST_CASE("operators of class shape are on no level and no critical path, but have a row by class") {
  const Graph graph = dag("a:gemm,3flop -> s:shape -> b:gemm,4flop");
  const Metrics m = measure(graph);
  CHECK(m.operators == 2);
  CHECK(m.levels == 2);
  CHECK(path_of(graph) == "ab");
  CHECK(m.by_class.at(KernelClass::shape).count == 1);
  CHECK(m.by_class.at(KernelClass::gemm).flops == Flops(7.0));
}

TEST_CASE("the largest antichain may span levels that are each smaller") {
  // Two chains of unequal length: a -> b, c -> d -> e, and x after a only: levels hold {a c} {b x d} {e}; b x
  // and any of c d e are free of each other: 3. A fourth, y, on the level of e, waits for d only: {b x e y}
  // of two levels.
  const Metrics m =
      measure(dag("a:gemm; b:gemm; c:gemm; d:gemm; e:gemm; x:gemm; y:gemm; a -> b; a -> x;"
                  "c -> d -> e; d -> y"));
  CHECK(m.heavy_levels == 3);
  CHECK(m.max_width == 4);
  CHECK(m.max_width_exact);
}

TEST_CASE("the critical path has the most flop") {
  // a b d: 1 + 5 + 1; a c d: 1 + 4 + 1, though c moves more bytes. All flop: 11.
  const Graph graph = dag("a:1flop; b:5flop,1B; c:4flop,99B; d:1flop; a -> b -> d; a -> c -> d");
  CHECK(path_of(graph) == "abd");
  CHECK(measure(graph).critical_path_share == doctest::Approx(7.0 / 11.0));
}

TEST_CASE("paths of equal flop are told apart by traffic, then by index") {
  CHECK(path_of(dag("a; b:5flop,1B; c:5flop,2B; d; a -> b -> d; a -> c -> d")) == "acd");
  CHECK(path_of(dag("a; b:5flop,1B; c:5flop,1B; d; a -> b -> d; a -> c -> d; d:1flop")) == "abd");
}

TEST_CASE("a table by class adds up to the graph") {
  const Metrics m =
      measure(dag("a:gemm,2flop,3B,parameters=7 -> b:gemm,20flop,parameters=1 -> c:pool,written=4B"));
  CHECK(m.by_class.size() == 2);
  CHECK(m.by_class.at(KernelClass::gemm).count == 2);
  CHECK(m.by_class.at(KernelClass::gemm).flops == Flops(22.0));
  CHECK(m.by_class.at(KernelClass::gemm).parameters == 8);
  CHECK(m.by_class.at(KernelClass::pool).traffic == Bytes(4.0));
}

TEST_CASE("a cycle is refused") {
  CHECK_THROWS_AS((void)measure(dag("a -> b -> a")), InputError);
}

TEST_CASE("above the limit the largest level stands in for the width, and says so") {
  // One source before 3000 others: 3001 heavy operators, 3000 of them on one level.
  std::string text = "s:gemm";
  for (int i = 0; i < 3000; ++i) text += "; v" + std::to_string(i) + ":gemm; s -> v" + std::to_string(i);
  const Metrics m = measure(dag(text));
  CHECK_FALSE(m.max_width_exact);
  CHECK(m.max_width == 3000);
}

TEST_CASE("at the limit a chain, a comb and strangers have exact widths") {
  std::string chain = "v0:gemm";
  std::string comb = "v0:gemm";
  std::string strangers = "v0:gemm";
  for (int i = 1; i < 3000; ++i) {
    const std::string v = "v" + std::to_string(i);
    chain += "; " + v + ":gemm; v" + std::to_string(i - 1) + " -> " + v;
    // Even operators form the back, each odd one hangs at the even one before it: 1500 teeth, and the last
    // back is v2998.
    comb += "; " + v + ":gemm; v" + std::to_string(i % 2 == 0 ? i - 2 : i - 1) + " -> " + v;
    strangers += "; " + v + ":gemm";
  }
  CHECK(measure(dag(chain)).max_width == 1);
  CHECK(measure(dag(comb)).max_width == 1500);
  CHECK(measure(dag(strangers)).max_width == 3000);
}

TEST_CASE("the width found by matching is the width found by trying all sets") {
  CHECK(rc::check("largest antichain", [] {
    const std::string text = *test::random_dag({"gemm", "gemm", "conv", "elementwise"}, 11, 4);
    RC_LOG(text);
    const Graph graph = dag(text);
    RC_ASSERT(measure(graph).max_width == std::max<std::int64_t>(1, widest_by_trying(graph)));
  }));
}

TEST_CASE("width lies between the average and the number of heavy operators") {
  CHECK(rc::check("bounds", [] {
    const std::string text = *test::random_dag({"gemm", "conv", "pool"}, 40, 12);
    RC_LOG(text);
    const Metrics m = measure(dag(text));
    RC_ASSERT(m.average_width >= 1.0);
    RC_ASSERT(static_cast<double>(m.max_width) >=
              m.average_width);  // the pigeonhole principle over the levels
    RC_ASSERT(m.max_width <= std::max<std::int64_t>(1, m.heavy));
    RC_ASSERT(m.heavy_levels <= m.levels);
  }));
}
