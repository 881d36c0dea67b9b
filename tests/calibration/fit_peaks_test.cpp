// Clocks, flop per cycle and the SMT gain of dense arithmetic.
#include <algorithm>

#include "fit_support.hpp"

namespace corecast::calibration {
namespace {

using hwmodels::Extension;

Row clock_row(int cores, double hertz) {
  return row(Group::peak, "clock", cores, Unit::hertz, {hertz});
}

Row peak_row(Extension extension, int cores, double flop_per_second, int ways = 1) {
  Row made = row(Group::peak, "multiply_add", cores, Unit::flop_per_second, {flop_per_second});
  made.type = DataType::fp32;
  made.extension = extension;
  made.threads_per_core = ways;
  made.threads = cores * ways;
  return made;
}

double flop_per_cycle(const Calibration& calibration, Extension extension) {
  for (const auto& peak : calibration.machine.groups.front().peaks) {
    if (peak.type == DataType::fp32 && peak.extension == extension) return peak.flop_per_cycle.value;
  }
  return 0.0;
}

TEST_CASE("clocks come from chains of additions, and under vectors from rate over flop per cycle") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {clock_row(1, 3.8e9), clock_row(2, 3.7e9), clock_row(28, 3.2e9),
            peak_row(Extension::avx512, 1, 64 * 3.5e9), peak_row(Extension::avx512, 28, 28 * 64 * 2.3e9)};
  const Calibration fitted = fit(m);
  REQUIRE(fitted.converged);
  CHECK(parameter(fitted, "clock.scalar.1").value == doctest::Approx(3.8e9));
  CHECK(parameter(fitted, "clock.scalar.28").value == doctest::Approx(3.2e9));
  CHECK(parameter(fitted, "clock.avx512.1").value == doctest::Approx(3.5e9));
  CHECK(parameter(fitted, "clock.avx512.28").value == doctest::Approx(2.3e9));
  CHECK(parameter(fitted, "clock.avx2.28").status == Status::not_measured);
  CHECK(fitted.warnings.empty());
}

TEST_CASE("half the stated flop per cycle is seen as half the units, not as half the clock") {
  Measurements m;
  m.machine = machine_named("xeon-8180");  // 64 flop per cycle with AVX-512
  m.rows = {clock_row(1, 3.0e9), peak_row(Extension::avx512, 1, 32 * 2.8e9)};
  const Calibration fitted = fit(m);
  CHECK(flop_per_cycle(fitted, Extension::avx512) == 32.0);
  CHECK(parameter(fitted, "clock.avx512.1").value == doctest::Approx(2.8e9));
  REQUIRE(fitted.warnings.size() == 1);
  CHECK(fitted.warnings[0] == "fp32 avx512: 32 flop per cycle measured where 64 were stated: half the units");
}

TEST_CASE(
    "a busy neighbour halves the median rate or clock, but the fastest repetition still shows the units") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {clock_row(1, 3.0e9), peak_row(Extension::avx512, 1, 64 * 2.8e9)};
  m.rows[1].samples = {32 * 2.8e9, 32 * 2.7e9, 64 * 2.8e9};
  CHECK(flop_per_cycle(fit(m), Extension::avx512) == 64.0);
  m.rows[0].samples = {1.5e9, 1.4e9, 3.0e9};
  m.rows[1].samples = {64 * 2.8e9};
  CHECK(flop_per_cycle(fit(m), Extension::avx512) == 64.0);
}

TEST_CASE("a clock that a licence lowers to 0.6 of the scalar one is no missing unit") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {clock_row(28, 3.2e9), peak_row(Extension::avx512, 28, 28 * 64 * 1.92e9)};
  CHECK(flop_per_cycle(fit(m), Extension::avx512) == 64.0);
}

TEST_CASE("a pair of type and extension that nobody listed gets the nearest power of two") {
  Measurements m;
  m.machine = machine_named("epyc-7742");  // no AVX-512 there
  m.rows = {clock_row(1, 3.4e9), peak_row(Extension::avx512, 1, 32 * 3.3e9)};
  const Calibration fitted = fit(m);
  CHECK(flop_per_cycle(fitted, Extension::avx512) == 32.0);
  CHECK(parameter(fitted, "clock.avx512.1").value == doctest::Approx(3.3e9));
}

TEST_CASE("a bend of the clock gets a point, a straight line and noise do not") {
  const auto points = [](const std::vector<double>& ghz) {
    Measurements m;
    m.machine = machine_named("xeon-8180");
    const std::vector<int> cores{1, 2, 4, 8, 12, 16, 20, 24, 28};
    for (std::size_t i = 0; i < cores.size(); ++i) m.rows.push_back(clock_row(cores[i], ghz[i] * 1e9));
    std::vector<int> counts;
    const Calibration fitted = fit(m);
    for (const auto& point : fitted.machine.groups.front().clock) {
      if (point.extension == Extension::scalar) counts.push_back(point.active_cores);
    }
    return counts;
  };
  // 3.8 - 0.02 (n - 2) GHz with an alternating percent.
  CHECK(points({3.8, 3.84, 3.72, 3.72, 3.56, 3.55, 3.41, 3.39, 3.28}) == std::vector<int>{1, 2, 28});
  // Turbo bins: constant to 12 cores, lower from 16 on.
  const auto bins = points({3.8, 3.8, 3.8, 3.8, 3.8, 3.0, 3.0, 3.0, 3.0});
  CHECK(bins.size() > 3);
  CHECK(std::find(bins.begin(), bins.end(), 12) != bins.end());
}

TEST_CASE("points for more cores than were measured stay") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {clock_row(1, 3.5e9), clock_row(4, 3.4e9)};
  const Calibration fitted = fit(m);
  CHECK(parameter(fitted, "clock.scalar.28").status == Status::not_measured);
  CHECK(parameter(fitted, "clock.scalar.4").status == Status::fitted);
}

TEST_CASE("the second hardware thread's gain needs rows with two threads per core") {
  Measurements m;
  m.machine = machine_named("xeon-8180");
  m.rows = {clock_row(1, 3.5e9), peak_row(Extension::avx2, 1, 32 * 3.5e9),
            peak_row(Extension::avx2, 4, 4 * 32 * 3.5e9)};
  CHECK(parameter(fit(m), "smt_gain.compute").status == Status::not_measured);
  m.rows.push_back(peak_row(Extension::avx2, 4, 4 * 32 * 3.5e9 * 1.05, 2));
  const Calibration fitted = fit(m);
  CHECK(parameter(fitted, "smt_gain.compute").status == Status::fitted);
  CHECK(parameter(fitted, "smt_gain.compute").value == doctest::Approx(1.05));
}

}  // namespace
}  // namespace corecast::calibration
