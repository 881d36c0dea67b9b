#include "graphs/fusion.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <chrono>
#include <set>

#include "base/error.hpp"
#include "tests/graphs/random_graph.hpp"
#include "tests/support/dag.hpp"

using namespace corecast;
using graphs::fuse;
using graphs::FusionRule;
using graphs::Graph;
using graphs::Operator;
using test::dag;

namespace {

const std::vector<FusionRule> kRules{{{"Conv"}, {"BatchNormalization"}, true},
                                     {{"Conv"}, {"Add"}, false},
                                     {{"Conv", "Add"}, {"Relu", "Clip"}, false}};

// "Conv+Relu>Conv;..." in the order of operators: type of each, and names of what follows it.
std::string picture(const Graph& graph) {
  std::string text;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Operator& op = graph.op(OpIndex(i));
    text += (i > 0 ? "; " : "") + op.name + ":" + op.type;
    for (const OpIndex after : graph.successors(OpIndex(i))) text += " >" + graph.op(after).name;
  }
  return text;
}

std::string fused_picture(std::string_view text) {
  return picture(fuse(dag(text), kRules));
}

}  // namespace

TEST_CASE("an only user is absorbed and the name stays") {
  CHECK(fused_picture("c:conv -> r:type=Relu -> p:pool") == "c:Conv+Relu >p; p:MaxPool");
}

TEST_CASE("a result with two users is not fused with either") {
  CHECK(fused_picture("c:conv -> r:type=Relu; c -> s:type=Relu") == "c:Conv >r >s; r:Relu; s:Relu");
}

TEST_CASE("a chain is absorbed link by link, whatever the order of the rules") {
  const Graph graph = dag("c:conv -> a:type=Add -> r:type=Relu -> b:type=Add -> s:type=Clip");
  const FusionRule add{{"Conv"}, {"Add"}, false};
  const FusionRule activation{{"Conv"}, {"Relu", "Clip"}, false};
  CHECK(picture(fuse(graph, {add, activation})) == "c:Conv+Add+Relu+Add+Clip");
  CHECK(picture(fuse(graph, {activation, add})) == "c:Conv+Add+Relu+Add+Clip");
}

TEST_CASE("where two producers compete for one operator the earlier rule wins") {
  const Graph graph = dag("c:conv -> a:type=Add -> r:type=Relu");
  const FusionRule add{{"Conv"}, {"Add"}, false};
  const FusionRule activation{{"Add"}, {"Relu"}, false};
  CHECK(picture(fuse(graph, {add, activation})) == "c:Conv+Add >r; r:Relu");
  CHECK(picture(fuse(graph, {activation, add})) == "c:Conv >a; a:Add+Relu");
}

TEST_CASE("the last of two convolutions takes the residual addition") {
  // d is after c: it waits for e. The addition depends on both, whichever takes it.
  CHECK(fused_picture("c:conv -> a:type=Add -> r:type=Relu; e:pool -> d:conv -> a") ==
        "c:Conv >d; e:MaxPool >d; d:Conv+Add+Relu");
}

TEST_CASE("a convolution whose result goes around the addition is not fused into it") {
  // c -> a and c -> d -> a: c has two users, d has one.
  CHECK(fused_picture("c:conv -> a:type=Add; c -> d:conv -> a") == "c:Conv >d; d:Conv+Add");
}

TEST_CASE("what has absorbed is not absorbed itself") {
  // a takes r first because c cannot take a: c has a second user.
  CHECK(fused_picture("c:conv -> p:pool; c -> a:type=Add -> r:type=Relu; x:pool -> a") ==
        "c:Conv >p >a; p:MaxPool; a:Add+Relu; x:MaxPool >a");
}

TEST_CASE("traffic of the tensor between vanishes, that of the other addend stays") {
  // conv reads 100 and writes 10; add reads those 10 and 10 more, writes 10: 100 + 10 read, 10 written.
  const Graph graph =
      fuse(dag("c:conv,50flop,100B,weights=7B,written=10B,set=60B,units=4,parameters=3 -[10B]->"
               "a:type=Add,5flop,20B,written=10B,set=75B,parameters=2; o:pool -[10B]-> a"),
           kRules);
  const Operator& op = graph.op(OpIndex(0));
  CHECK(op.type == "Conv+Add");
  CHECK(op.work.flops == Flops(55.0));
  CHECK(op.work.activations_read == Bytes(110.0));
  CHECK(op.work.weights_read == Bytes(7.0));
  CHECK(op.work.written == Bytes(10.0));
  CHECK(op.work.working_set == Bytes(65.0));  // 75 - 10 of the addition, more than the 60 of the convolution
  CHECK(op.work.units == 4);
  CHECK(op.parameters == 5);
  CHECK(graph.connections() == std::vector<graphs::Connection>{{OpIndex(1), OpIndex(0), Bytes(10.0)}});
}

TEST_CASE("a folded normalisation leaves neither flop nor parameters") {
  const Graph graph = fuse(dag("c:conv,50flop,100B,weights=7B,written=10B,parameters=3 -[10B]->"
                               "n:normalization,20flop,10B,weights=8B,written=10B,parameters=4,shape=1x2"),
                           kRules);
  REQUIRE(graph.size() == 1);
  const Operator& op = graph.op(OpIndex(0));
  CHECK(op.type == "Conv+BatchNormalization");
  CHECK(op.work.flops == Flops(50.0));
  CHECK(op.work.weights_read == Bytes(7.0));
  CHECK(op.work.traffic() == Bytes(117.0));
  CHECK(op.parameters == 3);
  CHECK(op.output_shape == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("the serial part of both is kept") {
  // 30 of 100 flop and none of 50: 30 of 150.
  const Graph graph = fuse(dag("c:conv,100flop,serial=0.3 -> r:type=Relu,50flop"), kRules);
  CHECK(graph.op(OpIndex(0)).work.serial_fraction == doctest::Approx(0.2));
}

TEST_CASE("an operator of class shape is passed by, its parameters go to its first user") {
  const Graph graph =
      fuse(dag("a:gemm -[9B]-> s:shape,parameters=5 -[4B]-> b:gemm; s -[4B]-> c:gemm; d:gemm -> s"), {});
  CHECK(picture(graph) == "a:MatMul >b >c; b:MatMul; c:MatMul; d:MatMul >b >c");
  CHECK(graph.op(OpIndex(1)).parameters == 5);
  CHECK(graph.connections().front().bytes == Bytes(4.0));  // the lesser of 9 in and 4 out
}

TEST_CASE("operators of class shape in a row are passed by, and fusion sees through them") {
  CHECK(fused_picture("c:conv -> s:shape -> t:shape -> r:type=Relu") == "c:Conv+Relu");
}

TEST_CASE("an operator of class shape with flop stays") {
  CHECK(fused_picture("a:gemm -> s:shape,1flop -> b:gemm") == "a:MatMul >s; s:Reshape >b; b:MatMul");
}

TEST_CASE("a hub of class shape stays where passing it by would multiply the edges") {
  std::string text = "s:shape";
  for (int i = 0; i < 100; ++i) text += "; a" + std::to_string(i) + " -> s -> b" + std::to_string(i);
  CHECK(fuse(dag(text), {}).size() == 201);
}

TEST_CASE("name, batch and notes are kept") {
  Graph graph = dag("a");
  graph.name = "model";
  graph.batch = 8;
  graph.notes.push_back({"code", "text"});
  CHECK(fuse(graph, kRules) == graph);
}

TEST_CASE("a cycle is refused") {
  CHECK_THROWS_AS((void)fuse(dag("a -> b -> a"), kRules), InputError);
}

TEST_CASE("fusing twenty thousand operators takes a moment") {
  // Rules that take turns: each round absorbs two links of one chain. Repeating all rules over all operators
  // until nothing changes would cost 5,000 x 20,000 steps for each rule.
  std::string text = "c:conv";
  for (int i = 0; i < 20'000; ++i)
    text +=
        i % 2 == 0 ? " -> a" + std::to_string(i) + ":type=Relu" : " -> a" + std::to_string(i) + ":type=Add";
  const Graph graph = dag(text);
  const auto start = std::chrono::steady_clock::now();
  CHECK(fuse(graph, {{{"Conv"}, {"Add"}, false}, {{"Conv"}, {"Relu"}, false}}).size() == 1);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("fusion keeps the graph acyclic, the flop, and every operator that no one absorbed") {
  const std::vector<std::string> attributes{"conv,8flop,parameters=3",
                                            "conv,64flop",
                                            "type=Add,2flop,parameters=1",
                                            "type=Relu,1flop",
                                            "pool,4flop",
                                            "shape",
                                            "normalization,2flop,weights=4B"};
  const std::vector<FusionRule> rules{{{"Conv"}, {"BatchNormalization"}, false},
                                      {{"Conv"}, {"Add"}, false},
                                      {{"Conv", "Add", "MaxPool"}, {"Relu"}, false}};
  CHECK(rc::check("fusion", [&] {
    const std::string text = *test::random_dag(attributes, 30, 8);
    RC_LOG(text);
    const Graph before = dag(text);
    const Graph after = fuse(before, rules);
    (void)after.topological_order();
    RC_ASSERT(after.total_flops() == before.total_flops());
    RC_ASSERT(after.total_traffic() <= before.total_traffic());
    // Parts of all types, counted: each operator but those of class shape is whole in one of the results.
    std::multiset<std::string> parts;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const Operator& op = after.op(OpIndex(i));
      const auto old = before.find(op.name);
      RC_ASSERT(old.has_value());
      std::string rest = op.type;
      RC_ASSERT(rest.substr(0, rest.find('+')) == before.op(*old).type);
      for (std::size_t at = rest.find('+'); at != std::string::npos; at = rest.find('+')) {
        parts.insert(rest.substr(0, at));
        rest.erase(0, at + 1);
      }
      parts.insert(rest);
    }
    std::multiset<std::string> wanted;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before.op(OpIndex(i)).kernel != KernelClass::shape) wanted.insert(before.op(OpIndex(i)).type);
    }
    RC_ASSERT(parts == wanted);
    RC_ASSERT(fuse(after, rules) == after);  // nothing is left to do
  }));
}

TEST_CASE("what had to wait for another operator still does") {
  CHECK(rc::check("order", [] {
    const std::string text = *test::random_dag({"conv", "type=Add", "type=Relu", "pool", "shape"}, 20, 6);
    RC_LOG(text);
    const Graph before = dag(text);
    const Graph after = fuse(before, kRules);
    // Survivors with a path between them before have one after: reachability by number of steps, both ways.
    const auto reaches = [](const Graph& graph) {
      std::vector<std::set<std::string>> names(graph.size());
      const auto order = graph.topological_order();
      for (const OpIndex v : order) {
        for (const OpIndex p : graph.predecessors(v)) {
          names[v.value()].insert(graph.op(p).name);
          names[v.value()].insert(names[p.value()].begin(), names[p.value()].end());
        }
      }
      return names;
    };
    const auto old = reaches(before);
    const auto now = reaches(after);
    for (std::size_t i = 0; i < after.size(); ++i) {
      for (const std::string& earlier : old[before.find(after.op(OpIndex(i)).name)->value()]) {
        if (after.find(earlier)) RC_ASSERT(now[i].contains(earlier));
      }
    }
  }));
}
