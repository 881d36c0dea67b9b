// Which peak a data type's arithmetic runs at.
#include <doctest/doctest.h>

#include "planning_support.hpp"
#include "sim/forecast.hpp"
#include "tests/support/machine_text.hpp"

using namespace corecast;
using namespace corecast::sim;

namespace {

// Seconds of one product of 1 Gflop in `type` on one core of 10 Gflop/s fp32.
double seconds_in(DataType type, const hwmodels::Machine& machine,
                  const graphs::MatrixShape& shape = {1, 64, 64, 64}) {
  graphs::Operator op;
  op.name = "a";
  op.type = "MatMul";
  op.kernel = KernelClass::gemm;
  op.work.flops = Flops(1e9);
  op.work.compute_type = type;
  op.matrix = shape;
  graphs::Graph graph;
  graph.add(op);
  Target target;
  target.machine = machine;
  Setting setting;
  setting.runtime = "plain";
  return evaluate(graph, target, test::plain_runtime(), setting).forecast.latency.value();
}

}  // namespace

TEST_CASE("a narrow type without kernels runs as fp32, a wide one never does") {
  hwmodels::Machine machine = test::machine("1 cores 10Gflop/s");
  CHECK(seconds_in(DataType::fp32, machine) == doctest::Approx(0.1));
  CHECK(seconds_in(DataType::bf16, machine) == doctest::Approx(0.1));
  // Not listed: half as many fit in a vector.
  CHECK(seconds_in(DataType::fp64, machine) == doctest::Approx(0.2));
  CHECK(seconds_in(DataType::int64, machine) == doctest::Approx(0.2));
  // Listed: the machine's own figure, here a quarter of fp32's.
  hwmodels::Peak own = machine.groups[0].peaks[0];
  own.type = DataType::fp64;
  own.flop_per_cycle.value /= 4.0;
  machine.groups[0].peaks.push_back(own);
  CHECK(seconds_in(DataType::fp64, machine) == doctest::Approx(0.4));
}

TEST_CASE("a product without elements along one dimension has a finite time") {
  const hwmodels::Machine machine = test::machine("1 cores 10Gflop/s");
  CHECK(seconds_in(DataType::fp32, machine, {1, 0, 64, 64}) == doctest::Approx(0.1));
}
