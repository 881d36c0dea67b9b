// Memory, the link, and the factors of streaming kernels.
#include "fit_support.hpp"

namespace corecast::calibration {
namespace {

constexpr double kLarge = 4e9;

TEST_CASE("a published curve of a full socket comes out within a few per cent") {
  // Read bandwidth of one socket of a Xeon Gold 6148 over cores, likwid-bench, GB/s (kerncraft's machine
  // file).
  const std::vector<double> curve{14.3,  27.5,  39.9,  51.9,  63.5,  74.4,  84.8,  93.6,  101.1, 107.7,
                                  112.7, 116.5, 118.7, 119.7, 120.6, 120.6, 120.2, 119.7, 118.3, 117.8};
  Measurements m;
  m.machine = machine_named("xeon-gold-6148");
  for (std::size_t n = 1; n <= curve.size(); n += 2)
    m.rows.push_back(read_row(static_cast<int>(n), kLarge, curve[n - 1] * 1e9));
  const Calibration fitted = fit(m);
  REQUIRE(fitted.converged);
  CHECK(parameter(fitted, "memory.core_bandwidth").value == doctest::Approx(14e9).epsilon(0.05));
  CHECK(parameter(fitted, "memory.bandwidth").value == doctest::Approx(122e9).epsilon(0.05));
  CHECK(parameter(fitted, "memory.saturation_shape").status == Status::fitted);
  for (std::size_t n = 2; n <= curve.size(); n += 2) {  // those it has not seen
    const auto forecast = predicted(fitted.machine, read_row(static_cast<int>(n), kLarge, 1.0));
    REQUIRE(forecast.has_value());
    CHECK(*forecast == doctest::Approx(curve[n - 1] * 1e9).epsilon(0.06));
  }
}

TEST_CASE("two cores of many say what one draws, and leave the socket at its prior") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {read_row(1, kLarge, 14e9), read_row(2, kLarge, 28e9)};
  const Calibration fitted = fit(m);
  CHECK(parameter(fitted, "memory.core_bandwidth").status == Status::fitted);
  CHECK(parameter(fitted, "memory.core_bandwidth").value == doctest::Approx(14e9).epsilon(0.01));
  CHECK(parameter(fitted, "memory.saturation_shape").status == Status::not_identified);
  CHECK(parameter(fitted, "memory.bandwidth").status != Status::fitted);
  CHECK(fitted.machine.memory.saturation_shape == m.machine.memory.saturation_shape);
}

TEST_CASE("a full socket says what its memory delivers, and leaves one core at its prior") {
  // 28 cores of 13 GB/s each ask for three times what six channels give.
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {read_row(28, kLarge, 105e9)};
  const Calibration once = fit(m);
  CHECK(parameter(once, "memory.core_bandwidth").status == Status::not_identified);
  REQUIRE(parameter(once, "memory.bandwidth").status == Status::fitted);
  CHECK(parameter(once, "memory.bandwidth").value == doctest::Approx(105e9).epsilon(0.02));
  // One row never knows the shape: what the shape's prior leaves open is part of the error.
  CHECK(parameter(once, "memory.bandwidth").relative_error > 0.0101);
  m.rows[0].samples = {210e9};
  CHECK(parameter(fit(m), "memory.bandwidth").value > 1.95 * parameter(once, "memory.bandwidth").value);
}

TEST_CASE("a kernel that writes has its own factors, and adds to what is known of the curve") {
  const auto known = machine_named("xeon-8180");
  const Measurements m =
      only(synthetic_measurements(truth_near(known), known, {0.0, 0.0, 3, 1, false}), Group::bandwidth);
  const Calibration fitted = fit(m);
  // Generated with the usual factors of copy.
  CHECK(parameter(fitted, "bandwidth_factor.copy").value == doctest::Approx(0.60).epsilon(0.001));
  CHECK(parameter(fitted, "bandwidth_factor.copy.one_core").value == doctest::Approx(0.86).epsilon(0.001));
  CHECK(parameter(fitted, "memory.bandwidth").rows > 60);
}

TEST_CASE("sockets that work each on their own memory add up") {
  auto machine = machine_named("xeon-8180");
  Row both = read_row(56, kLarge, 1.0);
  both.placement = Placement::scattered;
  both.sockets = 2;
  both.clusters = 2;
  const auto one = predicted(machine, read_row(28, kLarge, 1.0));
  CHECK(*predicted(machine, both) == doctest::Approx(2.0 * *one));
}

TEST_CASE("the link comes from rows of one socket on the other's memory, and is left alone without") {
  const auto known = machine_named("xeon-8180");
  const auto truth = truth_near(known);
  Measurements m = synthetic_measurements(truth, known, {0.0, 0.0, 3, 1, false});
  const Calibration with = fit(m);
  CHECK(parameter(with, "link.bandwidth").value ==
        doctest::Approx(truth.link->bandwidth.value.value()).epsilon(1e-3));
  CHECK(parameter(with, "link.latency").value ==
        doctest::Approx(truth.link->latency.value.value()).epsilon(1e-3));
  std::erase_if(m.rows, [](const Row& candidate) { return candidate.placement == Placement::remote; });
  const Calibration without = fit(m);
  CHECK(parameter(without, "link.bandwidth").status == Status::not_measured);
  CHECK(without.machine.link == known.link);
}

TEST_CASE("memory of another domain of the same socket has no closed form") {
  auto machine = machine_named("xeon-8180");
  machine.domains_per_socket = 2;
  Row near = read_row(4, kLarge, 1.0);
  near.placement = Placement::remote;
  near.cpu_domain = 0;
  near.memory_domain = 1;
  CHECK_FALSE(predicted(machine, near).has_value());
  near.memory_domain = 2;
  CHECK(predicted(machine, near).has_value());
}

TEST_CASE("page faults and latency are what their rows say") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {row(Group::bandwidth, "first_touch", 1, Unit::seconds, {0.4e-6}),
            row(Group::latency, "chase", 1, Unit::seconds, {95e-9})};
  m.rows[1].working_set = Bytes(kLarge);
  const Calibration fitted = fit(m);
  CHECK(parameter(fitted, "memory.page_fault").value == doctest::Approx(0.4e-6));
  CHECK(parameter(fitted, "memory.latency").value == doctest::Approx(95e-9));
  CHECK(fitted.machine.memory.latency.origin == hwmodels::Origin::measured);
  CHECK(fitted.machine.memory.latency.relative_error >= 0.01);  // one sample is not exact
}

}  // namespace
}  // namespace corecast::calibration
