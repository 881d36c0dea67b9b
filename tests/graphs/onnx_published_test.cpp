// Parameters and multiply-adds of published networks, as their authors and the frameworks' documentation give them.
//
// Multiply-adds are those of convolutions and dense layers (1 multiply-add = 2 flop); parameters are weights, biases, and
// scale and shift of normalisations. Everything must agree within 1 %.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "graphs/onnx_import.hpp"
#include "tests/support/onnx_cnns.hpp"
#include "tests/support/onnx_text.hpp"

using namespace corecast;
using namespace corecast::graphs;

namespace {

double multiply_adds(const Graph& graph) {
  Flops sum{};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Operator& op = graph.op(OpIndex(i));
    const std::string& type = op.type;
    if (type == "Conv" || type == "Gemm" || type == "MatMul") sum += op.work.flops;
  }
  return sum.value() / 2;
}

void check_counts(const Graph& graph, double parameters, double multiply_adds_published) {
  CHECK(static_cast<double>(graph.total_parameters()) == doctest::Approx(parameters).epsilon(0.01));
  CHECK(multiply_adds(graph) == doctest::Approx(multiply_adds_published).epsilon(0.01));
  CHECK(graph.notes.empty());
}

}  // namespace

TEST_CASE("networks built layer by layer have the published parameters and multiply-adds") {
  // Sze et al., Proc. IEEE 105(12), 2017, table 2: 61 M weights, 724 M; the exact sums follow from the layers:
  // 105,415,200 + 223,948,800 + 149,520,384 + 112,140,288 + 74,760,192 + 37,748,736 + 16,777,216 + 4,096,000.
  check_counts(test::imported(test::alexnet()), 60'965'224, 724'406'816);
  // torchvision, models table: squeezenet1_1 1,235,496 parameters, 0.35 G; the authors: 2.4 times less than 0.85 G.
  check_counts(test::imported(test::squeezenet_1_1()), 1'235'496, 0.349e9);
  // Sze et al., the same table: 7 M weights, 1.43 G. BVLC's Caffe file: 6,998,552.
  check_counts(test::imported(test::inception_v1()), 6'998'552, 1.43e9);
  // torchvision: resnet50 25,557,032 parameters, 4.09 G.
  check_counts(test::imported(test::resnet50()), 25'557'032, 4.09e9);
  // torchvision: densenet121 7,978,856 parameters, 2.83 G.
  check_counts(test::imported(test::densenet121()), 7'978'856, 2.83e9);
}

TEST_CASE("ShuffleNet built layer by layer has the published complexity") {
  // Zhang et al., CVPR 2018, table 1: 1x with 3 groups, 137 M multiply-adds.
  CHECK(multiply_adds(test::imported(test::shufflenet())) == doctest::Approx(137e6).epsilon(0.01));
}

// The backend tests' files of the ONNX project ("light": weights replaced by constant-fill operators), where they are.
TEST_CASE("the ONNX project's files of the same networks agree with the publications") {
  const char* directory = std::getenv("CORECAST_MODELS");
  if (directory == nullptr || !std::filesystem::is_directory(directory)) {
    MESSAGE("CORECAST_MODELS names no directory: model files not tested");
    return;
  }
  struct Published {
    const char* file;
    double parameters;
    double multiply_adds;
  };
  const Published all[] = {
      // As above, but on 224 x 224: 54, 26, 12 pixels a side instead of 55, 27, 13, which leaves
      // 101,616,768 + 207,667,200 + 127,401,984 + 95,551,488 + 63,700,992 + 58,621,952 (dense) = 654,560,384.
      {"light_bvlc_alexnet.onnx", 60'965'224, 654'560'384},
      // Scale and shift stand twice in the file (the normalisation's own and a Mul and an Add behind it), which gives
      // 7,978,856 + 83,648 = 8,062,504: the figure of Keras, too, which counts running statistics instead.
      {"light_densenet121.onnx", 8'062'504, 2.83e9},
      {"light_inception_v1.onnx", 6'998'552, 1.43e9},
      {"light_resnet50.onnx", 25'557'032, 4.09e9},
      // Not the paper's network: 4 groups, 136, 272 and 544 channels, no bottleneck. The ONNX model zoo gives 5.3 MB of
      // weights (of 4 B each). Multiply-adds: 28 grouped 1x1 convolutions of 28 x 28 x 136 x 136 / 4 = 14 x 14 x 272 x
      // 272 / 4 = 7 x 7 x 544 x 544 / 4 = 3,625,216 are 101.5 M; the stem 8.1 M; 14 depthwise ones
      // 8.1 M; the units' first, smaller ones 6.4 M; the dense layer 0.5 M.
      {"light_shufflenet.onnx", 5.3 * 1048576 / 4, 124'664'008},
      // Version 1.1.
      {"light_squeezenet.onnx", 1'235'496, 0.349e9},
  };
  for (const Published& model : all) {
    const auto path = std::filesystem::path(directory) / model.file;
    if (!std::filesystem::exists(path)) {
      MESSAGE("not there: ", model.file);
      continue;
    }
    CAPTURE(model.file);
    check_counts(import_onnx(path), model.parameters, model.multiply_adds);
  }
}
