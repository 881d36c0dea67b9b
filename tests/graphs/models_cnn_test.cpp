// Sizes of the built-in image models against what others published. None of the numbers here comes from our builders.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "graphs/builtin.hpp"
#include "graphs/graph.hpp"
#include "graphs/metrics.hpp"
#include "graphs/written_model.hpp"
#include "tests/graphs/multiply_adds.hpp"

using namespace corecast;
using graphs::Graph;

namespace {

struct Published {
  const char* name;
  std::int64_t parameters;
  double multiply_adds;
};

// torchvision: `num_params` and `_ops` (G multiply-adds of convolutions and dense layers) in the meta data of its
// weights, which its documentation lists. pytorchcv: table of github.com/osmr/imgclsmob, pytorch/README.md.
constexpr std::array kPublished{
    // Parameters: netscope's count of bvlc_alexnet, in github.com/HewlettPackard/dlcookbook-dlbs. Multiply-adds:
    // github.com/albanie/convnet-burden for caffenet, which only swaps pools and normalisations.
    Published{"alexnet", 60'965'224, 724e6},
    // torchvision
    Published{"densenet121", 7'978'856, 2.834e9},
    // Parameters: netscope's count of bvlc_googlenet, in the same place. Multiply-adds: the paper's table 1, 1502 M in
    // all: 34 + 360 of the stem, 128 + 304 of blocks 3, 73 + 88 + 100 + 119 + 170 of 4, 54 + 71 of 5, 1 of the head.
    // There the first convolution has 2.7 k parameters and 34 M, less than a window of 7 x 7 x 3 needs; Caffe's has
    // the full window, for each of 112 x 112 x 64 outputs.
    Published{"googlenet", 6'998'552, 1502e6 - 34e6 + 112.0 * 112.0 * 64.0 * 147.0},
    // pytorchcv, biases in front of normalisations included in both its table and our builder (the paper's own network
    // has 13.6 M parameters). It counts the work of the normalisations as well, a little less than 1 %.
    Published{"inception_v2", 11'295'240, 2048.06e6},
    // Parameters: pytorchcv (paper: 4.2 M). Multiply-adds: the paper, table 6.
    Published{"mobilenet_v1", 4'231'976, 569e6},
    // torchvision
    Published{"mobilenet_v2", 3'504'872, 0.301e9},
    Published{"resnet50", 25'557'032, 4.089e9},
    Published{"resnext50", 25'028'904, 4.23e9},
    // Parameters: pytorchcv. Multiply-adds: the paper, table 1, 3 groups.
    Published{"shufflenet", 1'865'728, 137e6},
    // torchvision
    Published{"squeezenet1_0", 1'248'424, 0.819e9},
    Published{"squeezenet1_1", 1'235'496, 0.349e9},
    Published{"ssd300", 35'641'826, 34.858e9},
    Published{"vgg19", 143'667'240, 19.632e9},
};

using test::multiply_adds;

}  // namespace

TEST_CASE("image models have the published parameters and multiply-adds") {
  for (const Published& published : kPublished) {
    CAPTURE(published.name);
    const Graph graph = graphs::build_model(published.name);
    CHECK(graph.total_parameters() == published.parameters);
    CHECK(multiply_adds(graph) == doctest::Approx(published.multiply_adds).epsilon(0.01));
  }
}

TEST_CASE("eight images are exactly eight times the work of one") {
  for (const Published& published : kPublished) {
    CAPTURE(published.name);
    const Graph one = graphs::build_model(published.name, 1);
    const Graph eight = graphs::build_model(published.name, 8);
    CHECK(eight.size() == one.size());
    CHECK(eight.total_flops().value() == 8.0 * one.total_flops().value());
    CHECK(eight.total_parameters() == one.total_parameters());
  }
}

TEST_CASE("tensors of image models have names of their own") {
  for (const Published& published : kPublished) {
    CAPTURE(published.name);
    const graphs::WrittenModel model = graphs::write_model(published.name);
    std::set<std::string> names;
    std::set<std::string> nodes;
    for (const graphs::TensorView& input : model.inputs) CHECK(names.insert(input.name).second);
    for (const graphs::NodeView& node : model.nodes) {
      CAPTURE(node.name);
      CHECK(nodes.insert(node.name).second);
      for (const graphs::TensorView& output : node.outputs) CHECK(names.insert(output.name).second);
      for (const graphs::TensorView& input : node.inputs) {
        if (input.constant) CHECK(names.insert(input.name).second);
      }
    }
  }
}

TEST_CASE("image models end where they should") {
  const auto shapes = [](const char* name) {
    std::vector<std::vector<std::int64_t>> result;
    const graphs::WrittenModel model = graphs::write_model(name, {.batch = 2, .sequence = {}});
    for (const graphs::TensorView& output : model.outputs) result.push_back(output.shape.value());
    return result;
  };
  using Shapes = std::vector<std::vector<std::int64_t>>;
  for (const Published& published : kPublished) {
    CAPTURE(published.name);
    if (std::string(published.name) == "ssd300") continue;
    CHECK(shapes(published.name) == Shapes{{2, 1000}});
  }
  // Four or six boxes for each pixel of six feature maps: 8732, as in the SSD paper.
  const std::int64_t boxes = 4 * 38 * 38 + 6 * 19 * 19 + 6 * 10 * 10 + 6 * 5 * 5 + 4 * 3 * 3 + 4 * 1 * 1;
  CHECK(boxes == 8732);
  CHECK(shapes("ssd300") == Shapes{{2, boxes, 4}, {2, boxes, 91}});
}

TEST_CASE("image models have the depth and the branches of their papers") {
  const auto metrics = [](const char* name) { return graphs::measure(graphs::build_model(name)); };
  // 16 bottlenecks of three convolutions, one before and a dense layer after; four projections stand beside.
  CHECK(metrics("resnet50").heavy_levels == 50);
  CHECK(metrics("resnet50").heavy == 54);
  CHECK(metrics("resnet50").max_width == 2);
  CHECK(metrics("densenet121").heavy == 121);
  CHECK(metrics("densenet121").heavy_levels == 121);
  CHECK(metrics("vgg19").heavy == 19);
  // "22 layers deep when counting only layers with parameters"; six convolutions in each of nine blocks, of which the
  // four that do not wait for another in the block can run together.
  CHECK(metrics("googlenet").heavy_levels == 22);
  CHECK(metrics("googlenet").heavy == 3 + 9 * 6 + 1);
  CHECK(metrics("googlenet").max_width == 4);
}
