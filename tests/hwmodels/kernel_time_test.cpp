#include "hwmodels/kernel_time.hpp"

#include <ceres/jet.h>
#include <doctest/doctest.h>

namespace corecast::hwmodels {
namespace {

using Jet = ceres::Jet<double, 4>;

TEST_CASE("whole units leave threads idle") {
  CHECK(imbalance(8, 4) == 1.0);         // two rounds, all busy
  CHECK(imbalance(9, 4) == 12.0 / 9.0);  // three rounds of four places for nine units
  CHECK(imbalance(1, 4) == 4.0);         // one works, three wait
  CHECK(imbalance(7, 1) == 1.0);
  CHECK(imbalance(std::int64_t{1} << 62, 3) == doctest::Approx(1.0));
}

TEST_CASE("the smooth maximum lies between the maximum and the sum") {
  const Seconds a(3.0);
  const Seconds b(4.0);
  CHECK(smooth_maximum(a, b, 1.0).value() == doctest::Approx(7.0));
  CHECK(smooth_maximum(a, b, 2.0).value() == doctest::Approx(5.0));  // 3, 4, 5
  CHECK(smooth_maximum(b, a, 2.0).value() == doctest::Approx(5.0));
  CHECK(smooth_maximum(a, b, 1e6).value() == doctest::Approx(4.0));
  CHECK(smooth_maximum(a, Seconds(0.0), 2.0).value() == 3.0);
  CHECK(smooth_maximum(Seconds(0.0), Seconds(0.0), 2.0).value() == 0.0);
  CHECK(smooth_maximum(Seconds(1e-300), Seconds(1e300), 64.0).value() == 1e300);
}

TEST_CASE("a shape reaches half of its efficiency at its half point") {
  CHECK(shape_factor(64.0, 64.0) == 0.5);
  CHECK(shape_factor(192.0, 64.0) == 0.75);
  CHECK(shape_factor(192.0, 0.0) == 1.0);
}

TEST_CASE("bandwidth grows with cores and bends into its limit") {
  const BytesPerSecond one(10e9);
  const BytesPerSecond all(20e9);
  // Sharp bend: min(n b1, B_sat).
  CHECK(saturating_bandwidth(1.0, one, all, 1e6).value() == doctest::Approx(10e9));
  CHECK(saturating_bandwidth(4.0, one, all, 1e6).value() == doctest::Approx(20e9));
  // s = 1: 1 / (1/10 + 1/20) = 6.67; s = 2 at n = 2: 20 / sqrt(2).
  CHECK(saturating_bandwidth(1.0, one, all, 1.0).value() == doctest::Approx(20e9 / 3.0));
  CHECK(saturating_bandwidth(2.0, one, all, 2.0).value() == doctest::Approx(20e9 / std::sqrt(2.0)));
  CHECK(saturating_bandwidth(0.0, one, all, 3.0).value() == 0.0);
  CHECK(saturating_bandwidth(1e-9, one, all, 1000.0).value() ==
        doctest::Approx(10.0));  // no power over- or underflows
}

TEST_CASE("a kernel takes its compute time, its memory time, or what both make") {
  KernelParameters<double> k;
  k.peak_per_core = FlopsPerSecond(10e9);
  k.efficiency = 0.5;
  k.smoothing = 2.0;
  // 9 units on 4 threads: 1e9 x 12/9 / (4 x 10e9 x 0.5) = 1/15 s.
  CHECK(kernel_time(Flops(1e9), 9, 4, k).value() == doctest::Approx(1.0 / 15.0));
  k.memory_time = Seconds(0.03);
  CHECK(kernel_time(Flops(0.0), 9, 4, k).value() == 0.03);
  // t_c = 0.04 with 8e8 flop in 8 units, t_m = 0.03: sqrt(0.04^2 + 0.03^2) = 0.05.
  CHECK(kernel_time(Flops(8e8), 8, 4, k).value() == doctest::Approx(0.05));
}

TEST_CASE("more threads never slow one kernel down") {
  KernelParameters<double> k;
  k.peak_per_core = FlopsPerSecond(10e9);
  for (std::int64_t units = 1; units < 40; ++units) {
    double before = kernel_time(Flops(1e9), units, 1, k).value();
    for (int n = 2; n < 40; ++n) {
      const double now = kernel_time(Flops(1e9), units, n, k).value();
      CHECK(now <= before * (1.0 + 1e-12));
      before = now;
    }
  }
}

// The whole chain as a function of (peak, efficiency, b1, shape), once for double and once for Jet.
template <typename Rep>
Rep chain(const Rep& peak, const Rep& efficiency, const Rep& b1, const Rep& shape) {
  const BytesPerSecondOf<Rep> bandwidth =
      saturating_bandwidth(Rep(6.0), BytesPerSecondOf<Rep>(b1), BytesPerSecondOf<Rep>(Rep(60.0)), shape);
  KernelParameters<Rep> k;
  k.peak_per_core = FlopsPerSecondOf<Rep>(peak);
  k.efficiency = efficiency * shape_factor(64.0, Rep(16.0));
  k.memory_time = BytesOf<Rep>(Rep(120.0)) / bandwidth;
  k.smoothing = Rep(3.0);
  return kernel_time(Flops(200.0), 10, 4, k).value();
}

TEST_CASE("derivatives through the formulas agree with finite differences") {
  const double x[4] = {20.0, 0.8, 12.0, 3.0};
  const Jet t = chain(Jet(x[0], 0), Jet(x[1], 1), Jet(x[2], 2), Jet(x[3], 3));
  CHECK(t.a == doctest::Approx(chain(x[0], x[1], x[2], x[3])));
  for (int i = 0; i < 4; ++i) {
    double up[4] = {x[0], x[1], x[2], x[3]};
    double down[4] = {x[0], x[1], x[2], x[3]};
    const double h = 1e-5 * x[i];
    up[i] += h;
    down[i] -= h;
    const double slope =
        (chain(up[0], up[1], up[2], up[3]) - chain(down[0], down[1], down[2], down[3])) / (2.0 * h);
    CHECK(slope != 0.0);
    CHECK(t.v[i] == doctest::Approx(slope).epsilon(1e-6));
  }
}

TEST_CASE("derivatives stay finite where one side is zero") {
  const SecondsOf<Jet> t =
      smooth_maximum(SecondsOf<Jet>(Jet(2.0, 0)), SecondsOf<Jet>(Jet(0.0, 1)), Jet(3.0, 2));
  CHECK(t.value().a == 2.0);
  for (int i = 0; i < 4; ++i) CHECK(std::isfinite(t.value().v[i]));
}

}  // namespace
}  // namespace corecast::hwmodels
