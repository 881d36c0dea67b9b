// Which node is which operator.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "calibration/profile/alignment.hpp"
#include "calibration/profile/families.hpp"
#include "calibration/profile/match.hpp"
#include "graphs/fusion.hpp"
#include "tests/profile/traces.hpp"
#include "tests/support/dag.hpp"

using namespace corecast;
using namespace corecast::calibration::profile;
using namespace corecast::test;

namespace {

Matching matched(const std::vector<TraceNode>& nodes, const graphs::Graph& graph,
                 const graphs::Graph& prepared) {
  return match(profile_of(parse_trace(onnxruntime_trace(nodes), "run.json"), 1), graph, prepared);
}

std::string refused(const std::vector<TraceNode>& nodes, const graphs::Graph& graph) {
  try {
    (void)matched(nodes, graph, graph);
  } catch (const InputError& error) {
    return error.what();
  }
  return "matched";
}

const std::vector<graphs::FusionRule> kRelu{{{"Conv"}, {"Relu"}, false}};

}  // namespace

TEST_CASE("names that onnxruntime made lead back to the model's") {
  CHECK(original_name("Conv_0_nchwc") == "Conv_0");
  CHECK(original_name("r2_nchwc") == "r2");
  CHECK(original_name("ReorderOutput_token_158") == "ReorderOutput");
  CHECK(original_name("layer0/MatMul_1/MatMulAddFusion") == "layer0/MatMul_1");
  CHECK(original_name("layer0/MatMul_3/MatMulScaleFusion/") == "layer0/MatMul_3");
  CHECK(original_name("fused Gemm_4") == "Gemm_4");
  CHECK(original_name("a/b") == "a/b");
  CHECK(original_name("_nchwc") == "_nchwc");
}

TEST_CASE("types of both frameworks fall into the same families") {
  for (const char* type : {"Conv", "FusedConv", "NhwcFusedConv", "QLinearConv", "aten::conv2d"})
    CHECK(family_of(type) == "conv");
  for (const char* type :
       {"MatMul", "Gemm", "FusedMatMul", "DynamicQuantizeMatMul", "aten::addmm", "aten::linear"})
    CHECK(family_of(type) == "product");
  for (const char* type : {"Relu", "aten::relu_", "aten::relu"}) CHECK(family_of(type) == "relu");
  CHECK(families_of("Conv+Add+Relu") == std::set<std::string>{"add", "conv", "relu"});
  CHECK(families_of("Pow+ReduceMean+Add+Sqrt+Div").contains("layer_norm"));
  CHECK(families_of("Pow+Tanh").contains("gelu"));
}

TEST_CASE("a fused operator is found by the name of the last of its parts too") {
  const graphs::Graph graph =
      dag("c1:1Gflop,conv,type=Conv -> r1:1Mflop,elementwise,type=Relu; r1 -> c2:1Gflop,conv,type=Conv");
  const graphs::Graph prepared = graphs::fuse(graph, kRelu);
  REQUIRE(prepared.size() == 2);
  const Matching m = matched({{"r1_nchwc", "Conv", 100}, {"c2_nchwc", "Conv", 50}}, graph, prepared);
  CHECK(m.by_name == 2);
  CHECK(m.time_share == 1.0);
  CHECK(m.operator_share == 1.0);
  REQUIRE(m.groups.size() == 2);
  CHECK(prepared.op(m.groups[0].operators[0]).name == "c1");
  CHECK(m.groups[0].nodes == std::vector<std::size_t>{0});
}

TEST_CASE("nodes with names of their own are matched by family and shape, in their order") {
  // The runtime ran b before a: shapes tell them apart; two alike keep their order. Channels padded to blocks are alike.
  const graphs::Graph graph =
      dag("a:1Gflop,conv,type=Conv,shape=1x60x8x8; b:1Gflop,conv,type=Conv,shape=1x32x4x4; "
          "c:1Gflop,conv,type=Conv,shape=1x32x4x4; a -> d:1Mflop,gemm,type=Gemm,shape=1x10; b,c -> d");
  const Matching m = matched({{"x1", "Conv", 10, "1,32,4,4"},
                              {"x2", "Conv", 20, "1,64,8,8"},
                              {"x3", "Conv", 30, "1,32,4,4"},
                              {"x4", "Gemm", 40, "1,10"}},
                             graph, graph);
  CHECK(m.by_shape == 4);
  REQUIRE(m.groups.size() == 4);
  CHECK(m.groups[0].nodes == std::vector<std::size_t>{1});
  CHECK(m.groups[1].nodes == std::vector<std::size_t>{0});
  CHECK(m.groups[2].nodes == std::vector<std::size_t>{2});
}

TEST_CASE("a name that the framework made up counts only where the shape agrees") {
  const graphs::Graph graph =
      dag("Conv_1:1Gflop,conv,type=Conv,shape=1x32x4x4 -> Conv_2:1Gflop,conv,type=Conv,shape=1x64x2x2");
  // By number they would be exchanged.
  const Matching m =
      matched({{"Conv_2", "Conv", 10, "1,32,4,4"}, {"Conv_1", "Conv", 20, "1,64,2,2"}}, graph, graph);
  CHECK(m.by_name == 0);
  CHECK(m.groups[0].nodes == std::vector<std::size_t>{0});
}

TEST_CASE("without shapes the order decides") {
  const graphs::Graph graph =
      dag("a:1Gflop,conv,type=Conv -> b:1Mflop,pool,type=MaxPool; b -> c:1Gflop,conv,type=Conv");
  const Matching m = matched({{"x", "Conv", 10}, {"y", "MaxPool", 5}, {"z", "Conv", 20}}, graph, graph);
  CHECK(m.by_order == 3);
  CHECK(m.groups[2].nodes == std::vector<std::size_t>{2});
}

TEST_CASE(
    "nodes without an operator are carried by the next that has one, operators without a node join the "
    "next") {
  const graphs::Graph graph =
      dag("a:1Gflop,conv,type=Conv -> e:1Mflop,elementwise,type=Div; e -> b:1Gflop,conv,type=Conv");
  const Matching m = matched(
      {{"a", "Conv", 100}, {"ReorderOutput", "ReorderOutput", 7}, {"b", "Conv", 50}, {"tail", "Cast", 4}},
      graph, graph);
  REQUIRE(m.groups.size() == 2);
  CHECK(m.groups[0].carried.empty());
  CHECK(m.groups[1].carried == std::vector<std::size_t>{1, 3});  // nothing follows the last
  CHECK(m.groups[1].operators == std::vector<OpIndex>{OpIndex(2), OpIndex(1)});
  CHECK(m.operators == 3);
  CHECK(m.operator_share == doctest::Approx(2.0 / 3.0));
  // The event costs 3 us: 97 + 47 of 97 + 4 + 47 + 1.
  CHECK(m.time_share == doctest::Approx(144.0 / 149.0));
}

TEST_CASE("a profile of another model or of another batch is refused") {
  const graphs::Graph graph =
      dag("a:1Gflop,conv,type=Conv,shape=1x8x4x4 -> b:1Gflop,conv,type=Conv,shape=1x8x4x4; b -> "
          "c:1Gflop,conv,type=Conv,shape=1x8x4x4");
  const std::string other = refused({{"l", "LSTM", 100, "4,4"}, {"m", "Gather", 10, "4,9"}}, graph);
  CHECK(other ==
        "run.json: only 0 % of the profile's time and 0 % of the model's operators belong together (the "
        "profile looks like "
        "another model)");
  const std::string batch = refused(
      {{"a", "Conv", 10, "8,8,4,4"}, {"b", "Conv", 10, "8,8,4,4"}, {"c", "Conv", 10, "8,8,4,4"}}, graph);
  CHECK(
      batch ==
      "run.json: node \"a\" is 8x8x4x4, but 1x8x4x4 in the model (the profile looks like one of --batch 8)");
}

TEST_CASE("an alignment keeps the order and pairs the most") {
  // A B C D against B X D: B and D.
  const std::string first = "ABCD", second = "BXD";
  const auto pairs = align(4, 3, [&](std::size_t i, std::size_t j) { return first[i] == second[j] ? 1 : 0; });
  CHECK(pairs == std::vector<std::pair<std::size_t, std::size_t>>{{1, 0}, {3, 2}});
  CHECK(align(0, 3, [](std::size_t, std::size_t) { return 1; }).empty());
}
