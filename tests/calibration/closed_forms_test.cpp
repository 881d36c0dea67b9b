#include "calibration/fit/closed_forms.hpp"

#include <doctest/doctest.h>

#include "calibration/fit/row_model.hpp"
#include "fit_support.hpp"

namespace corecast::calibration {
namespace {

MemoryParameters<double> memory(double one, double all, double shape) {
  return {one, all, shape, std::nullopt, 1.0};
}

TEST_CASE("one domain without clusters is the saturating bandwidth") {
  const double expected =
      hwmodels::saturating_bandwidth(6.0, BytesPerSecond(12e9), BytesPerSecond(60e9), 4.0).value();
  CHECK(team_memory_bandwidth({{6}}, 1, memory(12e9, 60e9, 4.0)) == doctest::Approx(expected));
}

TEST_CASE("a team over two domains is as fast as its more crowded one lets it") {
  // Two domains of 30 GB/s, ten cores in the first and two in the second; a core alone draws 15. The ten have
  // 3 each, and the two wait for them: 12 x 3 = 36. (Their own 30 would make it 60.)
  const double rate = team_memory_bandwidth({{10}, {2}}, 2, memory(15e9, 60e9, 30.0));
  CHECK(rate == doctest::Approx(36e9).epsilon(0.01));
  CHECK(team_memory_bandwidth({{10}, {10}}, 2, memory(15e9, 60e9, 30.0)) ==
        doctest::Approx(60e9).epsilon(0.01));
}

TEST_CASE("cores behind one cluster's link share it, whatever the memory has left") {
  auto limited = memory(20e9, 200e9, 30.0);
  limited.cluster = 35e9;
  CHECK(team_memory_bandwidth({{4}}, 1, limited) == doctest::Approx(35e9).epsilon(0.01));
  CHECK(team_memory_bandwidth({{1, 1, 1, 1}}, 1, limited) == doctest::Approx(80e9).epsilon(0.01));
  // Four and two: the four have 8.75 each, so the team has six times that.
  CHECK(team_memory_bandwidth({{4, 2}}, 1, limited) == doctest::Approx(52.5e9).epsilon(0.01));
}

TEST_CASE("a second hardware thread helps one core, not a full socket") {
  auto with_smt = memory(10e9, 60e9, 8.0);
  with_smt.gain = 1.2;
  CHECK(team_memory_bandwidth({{1}}, 1, with_smt) == doctest::Approx(12e9).epsilon(0.001));
  CHECK(team_memory_bandwidth({{28}}, 1, with_smt) == doctest::Approx(60e9).epsilon(0.001));
}

TEST_CASE("a far memory is reached by fewer bytes per core, and no faster than the link or itself") {
  const auto p = memory(15e9, 100e9, 30.0);
  // Twice the latency: half the bandwidth of a core.
  CHECK(remote_bandwidth(1, 1, p, 50e9, 80e-9, 160e-9) == doctest::Approx(7.5e9).epsilon(0.001));
  CHECK(remote_bandwidth(28, 1, p, 50e9, 80e-9, 160e-9) == doctest::Approx(50e9).epsilon(0.001));
  CHECK(remote_bandwidth(28, 4, p, 50e9, 80e-9, 160e-9) == doctest::Approx(25e9).epsilon(0.001));
}

TEST_CASE("a shared cache gives one core all it can draw, and all cores what they have together") {
  for (const double shape : {1.0, 6.0}) {
    CHECK(shared_cache_bandwidth(1, 8, shape, 30e9, 160e9) == doctest::Approx(30e9));
    CHECK(shared_cache_bandwidth(8, 8, shape, 30e9, 160e9) == doctest::Approx(160e9));
    double before = 0.0;
    for (int k = 1; k <= 8; ++k) {
      const double rate = shared_cache_bandwidth(k, 8, shape, 30e9, 160e9);
      CHECK(rate > before);
      CHECK(rate <= 30e9 * k * (1.0 + 1e-12));
      before = rate;
    }
  }
  // s = 1, N = 14, b = 23.1, B_14 = 284 GB/s: c = (323.4 / 284 - 1) / 13 = 0.01067, B(7) = 161.7 / (1 + 6 c)
  // = 152. Measured on the E5-2695 v3: 151.4.
  CHECK(shared_cache_bandwidth(7, 14, 1.0, 23.1e9, 284e9) == doctest::Approx(152e9).epsilon(0.001));
}

TEST_CASE("a barrier grows with the doublings, and with the slices of threads that wait for a CPU") {
  CHECK(barrier_time(2, 100e-9, 50e-9) == doctest::Approx(100e-9));
  CHECK(barrier_time(16, 100e-9, 50e-9) == doctest::Approx(250e-9));
  CHECK(oversubscribed_barrier(8, 4, 100e-9, 50e-9, 3e-3) == doctest::Approx(3e-3 + 150e-9));
  CHECK(oversubscribed_barrier(16, 4, 100e-9, 50e-9, 3e-3) == doctest::Approx(9e-3 + 150e-9));
  CHECK(oversubscribed_barrier(2, 1, 100e-9, 50e-9, 3e-3) == doctest::Approx(3e-3));
}

// Derivatives of every kind of row by every value it depends on, against central differences at the machine's
// own values. Steps that cross from one part's limit to another's would fail; none of the grid's does.
TEST_CASE("derivatives of every row's closed form agree with finite differences") {
  for (const char* name : {"xeon-8180", "epyc-7742"}) {
    const auto known = machine_named(name);
    auto truth = truth_near(known);
    truth.kernels.push_back(some_gemm());
    const MachineIndex index(truth);
    for (const Row& measured : synthetic_measurements(truth, known).rows) {
      const auto model = row_model(truth, measured);
      REQUIRE(model.has_value());
      std::vector<double> at;
      std::vector<Jet> jets;
      for (const std::string& path : model->paths) {
        at.push_back(is_factor(path) ? usual_factor(path) : index.at(path).value);
        jets.emplace_back(at.back(), static_cast<int>(jets.size()));
      }
      const Jet jet = model->jet(jets);
      CHECK(jet.a == doctest::Approx(model->value(at)).epsilon(1e-12));
      for (std::size_t i = 0; i < at.size(); ++i) {
        const double step = 1e-5 * at[i];
        auto moved = at;
        moved[i] = at[i] + step;
        const double above = model->value(moved);
        moved[i] = at[i] - step;
        const double elasticity = (above - model->value(moved)) / (2e-5 * jet.a);
        CAPTURE(model->group);
        CAPTURE(model->paths[i]);
        CHECK(jet.v[static_cast<int>(i)] * at[i] / jet.a == doctest::Approx(elasticity).epsilon(1e-4));
      }
    }
  }
}

}  // namespace
}  // namespace corecast::calibration
