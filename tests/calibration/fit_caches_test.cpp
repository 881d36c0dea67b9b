// Bandwidth and latency of caches, and sizes that the rows contradict.
#include "fit_support.hpp"

namespace corecast::calibration {
namespace {

Row chase_row(double working_set, double seconds) {
  Row made = row(Group::latency, "chase", 1, Unit::seconds, {seconds});
  made.working_set = Bytes(working_set);
  return made;
}

TEST_CASE("bandwidth and latency go to the level whose size the working set fits") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {read_row(1, 16e3, 300e9), read_row(1, 0.4e6, 120e9),
            read_row(1, 15e6, 25e9),  read_row(28, 28 * 16e3, 28 * 300e9),
            chase_row(16e3, 1.3e-9),  chase_row(0.4e6, 4e-9),
            chase_row(15e6, 20e-9)};
  const Calibration fitted = fit(m);
  REQUIRE(fitted.converged);
  CHECK(parameter(fitted, "caches.l1.bandwidth_per_core").value == doctest::Approx(300e9));
  CHECK(parameter(fitted, "caches.l2.bandwidth_per_core").value == doctest::Approx(120e9));
  CHECK(parameter(fitted, "caches.l3.bandwidth_per_core").value == doctest::Approx(25e9));
  CHECK(parameter(fitted, "caches.l1.latency").value == doctest::Approx(1.3e-9));
  CHECK(parameter(fitted, "caches.l2.latency").value == doctest::Approx(4e-9));
  CHECK(parameter(fitted, "caches.l3.latency").value == doctest::Approx(20e-9));
  CHECK(parameter(fitted, "caches.l3.bandwidth_per_instance").status == Status::not_measured);
  CHECK(fitted.machine.caches[0].latency.origin == hwmodels::Origin::measured);
}

TEST_CASE("a private cache is faster where the clock is") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {row(Group::peak, "clock", 1, Unit::hertz, {4e9}),
            row(Group::peak, "clock", 28, Unit::hertz, {3e9}), read_row(1, 16e3, 400e9),
            read_row(28, 28 * 16e3, 28 * 300e9)};
  const Calibration fitted = fit(m);
  CHECK(parameter(fitted, "caches.l1.bandwidth_per_core").value == doctest::Approx(300e9));
  for (const Residual& residual : fitted.residuals) CHECK(std::abs(residual.relative) < 1e-3);
}

TEST_CASE("what all cores of a cluster draw is its own value") {
  Measurements m;
  m.machine = machine_named("epyc-7742");  // L3: 16 MiB for four cores
  for (int n = 1; n <= 4; ++n) {
    m.rows.push_back(read_row(n, 8e6, n < 4 ? n * 54e9 : 178e9));  // the EPYC 7452's published curve
  }
  const Calibration fitted = fit(m);
  CHECK(parameter(fitted, "caches.l3.bandwidth_per_core").value == doctest::Approx(54e9).epsilon(0.05));
  CHECK(parameter(fitted, "caches.l3.bandwidth_per_instance").value == doctest::Approx(178e9).epsilon(0.05));
}

TEST_CASE("a size that the curve contradicts is replaced, and a warning says so") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.machine.caches[2].size.value = Bytes(508e6);  // what a hypervisor reported
  for (const double size : {4e6, 8e6, 16e6, 32e6}) m.rows.push_back(read_row(1, size, 24e9));
  for (const double size : {64e6, 128e6, 256e6}) m.rows.push_back(read_row(1, size, 12e9));
  const Calibration fitted = fit(m);
  REQUIRE(fitted.warnings.size() == 1);
  CHECK(
      fitted.warnings[0].starts_with("L3 is stated as 508 MB, but bandwidth falls between 32 MB and 64 MB"));
  CHECK(parameter(fitted, "caches.l3.size").value ==
        doctest::Approx(45.25e6).epsilon(0.01));  // sqrt(32 x 64)
  CHECK(parameter(fitted, "caches.l3.bandwidth_per_core").value == doctest::Approx(24e9));
  CHECK(parameter(fitted, "memory.core_bandwidth").value == doctest::Approx(12e9).epsilon(0.01));
}

TEST_CASE("a curve that falls where the cache ends leaves its size alone") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  for (const double size : {4e6, 8e6, 16e6, 32e6}) m.rows.push_back(read_row(1, size, 24e9));
  for (const double size : {64e6, 128e6, 256e6}) m.rows.push_back(read_row(1, size, 12e9));
  const Calibration fitted = fit(m);
  CHECK(fitted.warnings.empty());
  CHECK(fitted.machine.caches[2].size == m.machine.caches[2].size);
}

}  // namespace
}  // namespace corecast::calibration
