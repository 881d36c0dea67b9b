#include "tests/cases/bars.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace corecast::cases;
using Values = std::vector<double>;

TEST_CASE(
    "a large effect is asked for by half, a small one by its direction, noise by nothing but nearness") {
  CHECK(agrees(2.0, 4.0));  // sqrt(4)
  CHECK_FALSE(agrees(1.99, 4.0));
  CHECK(agrees(1.01, 1.2));
  CHECK_FALSE(agrees(1.0, 1.2));
  CHECK(agrees(0.9, 1.05));  // 0.9 / 1.05 = 0.857, above 1 / 1.25
  CHECK(agrees(1.3, 1.05));  // 1.238
  CHECK_FALSE(agrees(1.35, 1.05));
  CHECK_FALSE(agrees(0.8, 1.05));
  CHECK(agrees(1.01, std::nullopt));
  CHECK_FALSE(agrees(0.99, std::nullopt));
}

TEST_CASE("more than the square of what was measured is overstated") {
  CHECK(overstates(9.1, 3.0));
  CHECK_FALSE(overstates(9.0, 3.0));
  CHECK_FALSE(overstates(2.0, 1.05));
  CHECK_FALSE(overstates(2.0, std::nullopt));
}

TEST_CASE(
    "a curve follows within its tolerance of the first point, and in the direction of each clear step") {
  const Values measured{10.0, 15.0, 15.5, 30.0};
  CHECK(follows(Values{2.0, 3.0, 2.9, 6.0}, measured, 0.25));  // 15 to 15.5 is no clear step
  CHECK(follows(Values{2.0, 2.4, 2.5, 4.8}, measured, 0.25));  // 1.5 / 1.2 = 1.25; 3 / 2.4 = 1.25
  CHECK_FALSE(follows(Values{2.0, 3.0, 3.0, 4.7}, measured, 0.25));
  CHECK_FALSE(follows(Values{2.0, 2.3, 2.9, 6.0}, measured, 0.25));
  CHECK_FALSE(follows(Values{2.0, 3.0, 3.4, 3.3}, measured, 1.0));  // the last step falls
  CHECK(follows(Values{1.0, 1.1, 1.1, 9.0}, measured, std::nullopt));
  CHECK_FALSE(follows(Values{1.0, 1.0, 1.1, 9.0}, measured, std::nullopt));
}

TEST_CASE("a regret is what was measured at the pick over the best") {
  const Pick least = pick_least(Values{3.0, 1.0, 1.0}, Values{9.0, 8.0, 4.0});
  CHECK(least.forecast == 1);
  CHECK(least.measured == 2);
  CHECK(least.regret == doctest::Approx(1.0));  // 8 / 4 - 1
  const Pick most = pick_most(Values{3.0, 1.0}, Values{8.0, 10.0});
  CHECK(most.forecast == 0);
  CHECK(most.measured == 1);
  CHECK(most.regret == doctest::Approx(0.25));  // 10 / 8 - 1
}
