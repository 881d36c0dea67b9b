#include "calibration/statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "calibration/measurements.hpp"

namespace corecast::calibration {
namespace {

TEST_CASE("the median is the middle sample, or half way between the middle two") {
  CHECK(median({3.0}) == 3.0);
  CHECK(median({5.0, 1.0, 3.0}) == 3.0);
  CHECK(median({4.0, 1.0, 3.0, 2.0}) == 2.5);
  CHECK(median({1e308, 1.5e308}) == doctest::Approx(1.25e308));  // their sum is beyond a double
}

TEST_CASE("a quantile lies on the straight line between the two samples beside it") {
  const std::vector<double> sorted{1.0, 2.0, 4.0, 8.0, 16.0};
  CHECK(quantile(sorted, 0.0) == 1.0);
  CHECK(quantile(sorted, 0.5) == 4.0);
  CHECK(quantile(sorted, 0.9) == doctest::Approx(12.8));  // h = 3.6: 8 + 0.6 (16 - 8)
  CHECK(quantile(sorted, 1.0) == 16.0);
  CHECK(quantile(std::vector<double>{1.0, 2.0}, 0.5) == median({2.0, 1.0}));
  CHECK(quantile(std::vector<double>{3.0}, 0.95) == 3.0);
}

TEST_CASE("the spread is the standard error of the median over the median") {
  // Deviations from 10 are 1, 0, 1, 2, 2: their median is 1, so 1.2533 x 1.4826 x 1 / (sqrt(5) 10) =
  // 0.083097.
  CHECK(relative_spread({9.0, 10.0, 11.0, 12.0, 8.0}) == doctest::Approx(0.083097).epsilon(1e-4));
  CHECK(relative_spread({7.0}) == 0.0);
  CHECK(relative_spread({7.0, 7.0, 7.0}) == 0.0);
}

TEST_CASE("one sample that is far off does not move the spread") {
  const std::vector<double> quiet{9.9, 10.0, 10.1, 10.0, 9.9, 10.1, 10.0};
  std::vector<double> disturbed = quiet;
  disturbed.back() = 1000.0;
  CHECK(relative_spread(disturbed) < 2.0 * relative_spread(quiet) + 0.01);
}

TEST_CASE("the best sample is the shortest time or the highest rate") {
  Row row;
  row.samples = {3.0, 1.0, 2.0};
  row.unit = Unit::seconds;
  CHECK(best(row) == 1.0);
  for (const Unit unit : {Unit::hertz, Unit::bytes_per_second, Unit::flop_per_second}) {
    row.unit = unit;
    CHECK(best(row) == 3.0);
  }
}

}  // namespace
}  // namespace corecast::calibration
