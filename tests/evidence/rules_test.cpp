#include "calibration/evidence/rules.hpp"

#include <doctest/doctest.h>

namespace corecast::evidence {
namespace {

Point point(int intra, double measured_ms, double forecast_ms, int instances = 1) {
  Point out;
  out.setting.intra_op = intra;
  out.setting.instances = instances;
  out.measured_ms = measured_ms;
  out.forecast_ms = forecast_ms;
  out.measured_per_s = 1e3 * instances / measured_ms;
  out.forecast_per_s = 1e3 * instances / forecast_ms;
  return out;
}

sim::Setting asked(int intra, int inter = 1, int instances = 1) {
  sim::Setting out;
  out.intra_op = intra;
  out.inter_op = inter;
  out.instances = instances;
  out.mode = inter > 1 ? sim::Mode::parallel : sim::Mode::sequential;
  return out;
}

TEST_CASE("the nearest measured setting is the one whose intra-op threads differ by the least factor") {
  const std::vector<Point> points{point(1, 1, 1), point(4, 1, 1), point(16, 1, 1)};
  CHECK(nearest_point(points, asked(4)).exact);
  CHECK(nearest_point(points, asked(7)).point == 1);  // 7/4 = 1.75 against 16/7 = 2.29
  CHECK(nearest_point(points, asked(9)).point == 2);  // 16/9 = 1.78 against 9/4 = 2.25
  CHECK(nearest_point(points, asked(8)).point == 1);  // both a factor of 2: the first
  CHECK_FALSE(nearest_point(points, asked(9)).exact);
  CHECK(nearest_point(points, asked(99)).point == 2);
}

TEST_CASE("intra-op counts before inter-op, inter-op before instances") {
  std::vector<Point> points{point(2, 1, 1), point(4, 1, 1, 8), point(4, 1, 1, 1)};
  points[2].setting.inter_op = 4;
  points[2].setting.mode = sim::Mode::parallel;
  CHECK(nearest_point(points, asked(4)).point == 1);  // inter-op 1 although 8 instances
  CHECK(nearest_point(points, asked(4, 4)).point == 2);
  CHECK_FALSE(nearest_point(points, asked(4, 1, 1)).exact);
  // Inter-op threads of sequential mode do nothing, so they are not compared.
  points[1].setting.inter_op = 16;
  CHECK(nearest_point(points, asked(4)).point == 1);
}

TEST_CASE("regret is the time at the pick over the best time, minus one") {
  // Forecast least at 4 threads, measured 12; best 10 at 2: 12 / 10 - 1 = 0.2
  const std::vector<Point> points{point(1, 20, 20), point(2, 10, 9), point(4, 12, 6)};
  const Decision decision =
      decide(points, {{"two", "two threads", asked(2)}, {"many", "many threads", asked(64)}},
             sim::Objective::latency);
  CHECK(decision.best == 1);
  CHECK(decision.pick.point == 2);
  CHECK(decision.pick.regret == doctest::Approx(0.2));
  REQUIRE(decision.rules.size() == 2);
  CHECK(decision.rules[0].regret == 0.0);
  CHECK(decision.rules[0].exact);
  CHECK(decision.rules[1].regret == doctest::Approx(0.2));
  CHECK_FALSE(decision.rules[1].exact);
}

TEST_CASE("of equal forecasts the setting with fewer threads is picked") {
  const std::vector<Point> points{point(4, 10, 5, 2), point(4, 12, 5), point(8, 14, 5)};
  CHECK(decide(points, {}, sim::Objective::latency).pick.point == 1);
}

TEST_CASE("regret on throughput compares samples per second of all instances") {
  // 1 x 4 threads 10 ms: 100 /s. 4 x 1 threads 25 ms: 160 /s, forecast 20 ms: 200 /s. 2 x 2 threads 10 ms: 200 /s,
  // forecast 16 ms: 125 /s. Picked 160 /s of at most 200 /s: 0.25.
  const std::vector<Point> points{point(4, 10, 9), point(2, 10, 16, 2), point(1, 25, 20, 4)};
  const Decision decision = decide(points, {}, sim::Objective::throughput);
  CHECK(decision.best == 1);
  CHECK(decision.pick.point == 2);
  CHECK(decision.pick.regret == doctest::Approx(0.25));
}

}  // namespace
}  // namespace corecast::evidence
