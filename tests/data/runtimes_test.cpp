// Every file under data/runtimes is read, and each of its figures says where it comes from.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "graphs/graph.hpp"
#include "sim/runtime.hpp"

using namespace corecast;
using hwmodels::Origin;

namespace {

const std::vector<sim::Runtime>& shipped() {
  static const auto runtimes = sim::read_runtimes(std::string(CORECAST_DATA_DIRECTORY) + "/runtimes");
  return runtimes;
}

// A figure without a source, or a measured one that claims to be exact, is an error of the file.
template <typename Q>
void sourced(const hwmodels::Value<Q>& value) {
  CHECK_FALSE(value.from.empty());
  CHECK(value.relative_error > 0.0);
  CHECK((value.origin == Origin::measured || value.origin == Origin::prior));
  if (value.origin == Origin::measured) CHECK(value.from.rfind("measured", 0) == 0);
}

void plausible(const sim::KernelModel& kernel) {
  sourced(kernel.efficiency);
  sourced(kernel.memory_efficiency);
  CHECK(kernel.efficiency.value > 0.0);
  CHECK(kernel.efficiency.value <= 1.0);
  // Above 1 where a result takes its input's place: fewer bytes move than are counted.
  CHECK(kernel.memory_efficiency.value > 0.0);
  CHECK(kernel.memory_efficiency.value <= 2.0);
  // Half of the efficiency at shapes beyond this would be no dense kernel.
  for (const double half : {kernel.m_half, kernel.n_half, kernel.k_half}) {
    CHECK(half >= 0.0);
    CHECK(half < 256.0);
  }
  // One host stands for all others: less than 15 % cannot be known of a measured efficiency.
  if (kernel.efficiency.origin == Origin::measured) CHECK(kernel.efficiency.relative_error >= 0.15);
}

}  // namespace

TEST_CASE("each file under data/runtimes describes one runtime, under the name of the file") {
  std::set<std::string> stems;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(CORECAST_DATA_DIRECTORY) + "/runtimes")) {
    if (entry.path().extension() == ".json") stems.insert(entry.path().stem().string());
  }
  std::set<std::string> names;
  for (const auto& runtime : shipped()) names.insert(runtime.name);
  CHECK(names == stems);
  CHECK(names.size() == shipped().size());
  CHECK(names.contains("onnxruntime"));
  CHECK(names.contains("onnxruntime-1.13"));
}

TEST_CASE("every figure of a runtime has an origin and a source") {
  for (const auto& runtime : shipped()) {
    CAPTURE(runtime.name);
    for (const auto& entry : runtime.kernels) {
      CAPTURE(std::string(name_of(entry.first)));
      plausible(entry.second);
    }
    for (const auto& entry : runtime.operators) {
      CAPTURE(entry.first);
      plausible(entry.second);
    }
    sourced(runtime.dispatch);
    sourced(runtime.fork);
    sourced(runtime.fork_per_thread);
    sourced(runtime.hand_over);
    sourced(runtime.smoothing);
  }
}

TEST_CASE("an operator with a model of its own is not taken for its class") {
  graphs::Operator lrn;
  lrn.type = "LRN";
  lrn.kernel = KernelClass::normalization;
  graphs::Operator fused = lrn;
  fused.type = "LRN+Relu";
  graphs::Operator batch = lrn;
  batch.type = "BatchNormalization";
  for (const char* name : {"onnxruntime", "onnxruntime-1.13"}) {
    const sim::Runtime runtime = sim::find_runtime(shipped(), name);
    CHECK(runtime.model_of(lrn) == runtime.operators.at("LRN"));
    CHECK(runtime.model_of(fused) == runtime.operators.at("LRN"));
    CHECK(runtime.model_of(batch) == runtime.kernels.at(KernelClass::normalization));
  }
}

TEST_CASE("a fused operator with a model of its own is neither of its parts") {
  graphs::Operator op;
  op.kernel = KernelClass::elementwise;
  for (const char* name : {"onnxruntime", "onnxruntime-1.13"}) {
    const sim::Runtime runtime = sim::find_runtime(shipped(), name);
    for (const char* type : {"Add+LayerNormalization", "Add+LayerNormalization+Cast"}) {
      op.type = type;
      CHECK(runtime.model_of(op) == runtime.operators.at("Add+LayerNormalization"));
    }
    op.type = "Add+Relu";  // no model of its own: that of its first part, else of the class
    const auto first = runtime.operators.find("Add");
    CHECK(runtime.model_of(op) ==
          (first != runtime.operators.end() ? first->second : runtime.kernels.at(KernelClass::elementwise)));
  }
}

TEST_CASE("kernels of a library are those that a calibration of the machine has measured") {
  const sim::Runtime shipped_one = sim::find_runtime(shipped(), "tensorflow-onednn");
  hwmodels::Machine machine;
  hwmodels::LibraryKernel product;
  product.library = "onednn";
  product.efficiency = {0.8, 0.05, hwmodels::Origin::fitted, "fitted to 40 rows"};
  product.m_half.value = 7.0;
  product.smoothing.value = 3.0;
  hwmodels::LibraryKernel guessed = product;
  guessed.kernel = KernelClass::softmax;
  guessed.efficiency.origin = hwmodels::Origin::prior;
  hwmodels::LibraryKernel foreign = product;
  foreign.library = "openblas";
  foreign.kernel = KernelClass::conv;
  machine.kernels = {product, guessed, foreign};
  const sim::Runtime runtime = sim::with_kernels_of(shipped_one, machine);
  CHECK(runtime.library_kernels.size() == 1);

  graphs::Operator op;
  op.kernel = KernelClass::gemm;
  const sim::KernelModel& model = runtime.model_of(op);
  CHECK(model.efficiency == product.efficiency);
  CHECK(model.m_half == 7.0);
  CHECK(model.smoothing == 3.0);
  CHECK(model.cut == shipped_one.kernels.at(KernelClass::gemm).cut);  // who cuts is the framework
  op.work.compute_type = DataType::int8;                              // measured for fp32 alone
  CHECK(runtime.model_of(op) == shipped_one.kernels.at(KernelClass::gemm));
  op.work.compute_type = DataType::fp16;  // runs as fp32 there
  CHECK(runtime.model_of(op).m_half == 7.0);
  op.kernel = KernelClass::softmax;
  CHECK(runtime.model_of(op) == shipped_one.kernels.at(KernelClass::softmax));
  op.kernel = KernelClass::conv;
  CHECK(runtime.model_of(op) == shipped_one.kernels.at(KernelClass::conv));

  const sim::Runtime own = sim::find_runtime(shipped(), "onnxruntime");
  CHECK(sim::with_kernels_of(own, machine) == own);
}

TEST_CASE("inter-op threads work in onnxruntime up to 1.13 only") {
  CHECK_FALSE(sim::find_runtime(shipped(), "onnxruntime").inter_op_works);
  CHECK(sim::find_runtime(shipped(), "onnxruntime-1.13").inter_op_works);
}
