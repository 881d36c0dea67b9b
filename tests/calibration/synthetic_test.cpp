#include "calibration/fit/synthetic.hpp"

#include "fit_support.hpp"

namespace corecast::calibration {
namespace {

TEST_CASE("equal seeds give equal measurements, other seeds others") {
  const auto machine = machine_named("epyc-7742");
  CHECK(synthetic_measurements(machine, machine, {}).rows ==
        synthetic_measurements(machine, machine, {}).rows);
  SyntheticOptions other;
  other.seed = 2;
  CHECK_FALSE(synthetic_measurements(machine, machine, other).rows ==
              synthetic_measurements(machine, machine, {}).rows);
}

TEST_CASE("without noise a row is what its closed form says") {
  const auto machine = machine_named("xeon-8180");
  for (const Row& measured : synthetic_measurements(machine, machine, {0.0, 0.0, 2, 1, false}).rows) {
    CHECK(measured.samples == std::vector<double>(2, *predicted(machine, measured)));
  }
}

TEST_CASE("noise has the deviation asked for") {
  // 241 rows: the estimate of a deviation is known to 1 / sqrt(2 x 241) = 4.6 %.
  const auto machine = machine_named("xeon-8180");
  double sum = 0.0;
  const auto rows = synthetic_measurements(machine, machine, {0.03, 0.0, 1, 7, false}).rows;
  for (const Row& measured : rows)
    sum += std::pow(std::log(measured.samples[0] / *predicted(machine, measured)), 2);
  CHECK(std::sqrt(sum / static_cast<double>(rows.size())) == doctest::Approx(0.03).epsilon(0.14));
}

TEST_CASE("every group of rows is there, and the counts fit the machine") {
  const auto machine = machine_named("xeon-8180");
  auto truth = machine;
  truth.kernels.push_back(some_gemm());
  const Measurements m = synthetic_measurements(truth, machine);
  for (const Group group : {Group::peak, Group::bandwidth, Group::latency, Group::threads, Group::kernels}) {
    CHECK_FALSE(only(m, group).rows.empty());
  }
  check(m, "synthetic");
}

}  // namespace
}  // namespace corecast::calibration
