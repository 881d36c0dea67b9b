#include "graphs/graph.hpp"

#include <doctest/doctest.h>

#include <chrono>

#include "base/error.hpp"
#include "tests/support/dag.hpp"

using namespace corecast;
using graphs::Graph;
using test::dag;

namespace {

graphs::Operator named(std::string name) {
  graphs::Operator op;
  op.name = std::move(name);
  return op;
}

std::string order_of(const Graph& graph) {
  std::string text;
  for (const OpIndex i : graph.topological_order()) text += graph.op(i).name;
  return text;
}

std::string message_of(const Graph& graph) {
  try {
    (void)graph.topological_order();
  } catch (const InputError& error) {
    return error.problem();
  }
  return "no error";
}

}  // namespace

TEST_CASE("the lowest index among the ready operators comes next") {
  // Made in the order d c a b. d waits for both; c and a are ready: c has the lower index, then a, which
  // frees b.
  CHECK(order_of(dag("d; c -> d; a -> b; b -> d")) == "cabd");
}

TEST_CASE("an edge against the order of creation is obeyed") {
  CHECK(order_of(dag("b; a; a -> b")) == "ab");
}

TEST_CASE("the operators on a cycle are named, those before and behind it are not") {
  CHECK(message_of(dag("a -> b -> c -> d -> b; d -> e")) ==
        "the operators form a cycle: \"b\" -> \"c\" -> \"d\" -> \"b\"");
  CHECK(message_of(dag("a -> a")) == "the operators form a cycle: \"a\" -> \"a\"");
}

TEST_CASE("a long cycle is cut in the message") {
  CHECK(message_of(dag("a -> b -> c -> d -> e -> f -> g -> h -> a")) ==
        "the operators form a cycle: \"a\" -> \"b\" -> \"c\" -> \"d\" -> \"e\" -> \"f\" -> ...");
}

TEST_CASE("a name that stands twice is refused") {
  Graph graph;
  graph.add(named("x"));
  CHECK_THROWS_WITH_AS(graph.add(named("x")), "two operators are named \"x\"", InputError);
  CHECK(graph.size() == 1);
}

TEST_CASE("parallel edges become one with the bytes of all") {
  const Graph graph = dag("a -[3B]-> b; a -[4B]-> b; a -> c");
  const std::vector<graphs::Connection> wanted{{OpIndex(0), OpIndex(1), Bytes(7.0)},
                                               {OpIndex(0), OpIndex(2), Bytes(0.0)}};
  CHECK(graph.connections() == wanted);
}

TEST_CASE("neighbours are listed in ascending order") {
  const Graph graph = dag("a; b; c; d; d -> b; d -> a; c -> a");
  CHECK(graph.successors(OpIndex(3)) == std::vector{OpIndex(0), OpIndex(1)});
  CHECK(graph.predecessors(OpIndex(0)) == std::vector{OpIndex(2), OpIndex(3)});
}

TEST_CASE("operators are found by name") {
  const Graph graph = dag("a -> b");
  CHECK(graph.find("b") == OpIndex(1));
  CHECK_FALSE(graph.find("c"));
}

TEST_CASE("sums run over all operators") {
  const Graph graph = dag("a:2flop,3B,written=4B,parameters=5; b:20flop,weights=30B,parameters=50");
  CHECK(graph.total_flops() == Flops(22.0));
  CHECK(graph.total_traffic() == Bytes(37.0));
  CHECK(graph.total_parameters() == 55);
}

TEST_CASE("graphs are equal when names, operators, connections and notes are") {
  const Graph graph = dag("a:1flop -[2B]-> b");
  CHECK(graph == dag("a:1flop -[2B]-> b"));
  CHECK_FALSE(graph == dag("a:1flop -[3B]-> b"));
  CHECK_FALSE(graph == dag("a:2flop -[2B]-> b"));
  CHECK_FALSE(graph == dag("a:1flop; b"));
  Graph noted = graph;
  noted.notes.push_back({"code", "text"});
  CHECK_FALSE(graph == noted);
}

TEST_CASE("twenty thousand operators behind one and before one are handled in a moment") {
  // Every edge is asked for twice, so each has to be looked for. Quadratic handling would take 4e8 steps and
  // more than a minute under a sanitizer; this takes 0.2 s there. The bound is wide: it is no benchmark.
  const auto start = std::chrono::steady_clock::now();
  Graph graph;
  const OpIndex source = graph.add(named("source"));
  const OpIndex sink = graph.add(named("sink"));
  for (int i = 0; i < 20'000; ++i) {
    const OpIndex middle = graph.add(named(std::to_string(i)));
    for (int twice = 0; twice < 2; ++twice) {
      graph.connect(source, middle, Bytes(1.0));
      graph.connect(middle, sink, Bytes(1.0));
    }
  }
  const std::vector<OpIndex> order = graph.topological_order();
  CHECK(order.front() == source);
  CHECK(order.back() == sink);
  CHECK(graph.connections().size() == 40'000);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("the text builder refuses what it does not understand, and says where") {
  const auto message = [](std::string_view text) -> std::string {
    try {
      (void)dag(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK(message("a:1Gflop; a:2Gflop") == "dag: \"a:2Gflop\" is given attributes twice");
  CHECK(message("a:2flo") == "dag: a: \"2flo\" is no attribute; bare names come before nodes with \":\"");
  CHECK(message("a:units=0") ==
        "dag: a: \"0\" is not a number of units (a whole number from 1 to 9223372036854775807 is wanted)");
  CHECK(message("a,,b") == "dag: \"\" is no name");
  CHECK(message("a -[1B> b") == "dag: no arrow at \"-[1B> b\" (wanted -> or -[10MB]->)");
}
