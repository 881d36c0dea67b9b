#include "calibration/evidence/ranks.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace corecast::evidence {
namespace {

using Values = std::vector<double>;

TEST_CASE("equal values share the mean of their ranks") {
  CHECK(ranks_of(Values{30.0, 10.0, 20.0}) == Values{3.0, 1.0, 2.0});
  CHECK(ranks_of(Values{5.0, 1.0, 5.0, 5.0}) == Values{3.0, 1.0, 3.0, 3.0});  // ranks 2, 3, 4: mean 3
}

TEST_CASE("Spearman's correlation is 1 in the same order, -1 in the opposite one, whatever the distances") {
  CHECK(spearman(Values{1, 2, 3}, Values{10, 11, 900}).value() == doctest::Approx(1.0));
  CHECK(spearman(Values{1, 2, 3}, Values{3, 2, 1}).value() == doctest::Approx(-1.0));
  // Ranks 1 2 3 4 and 2 1 4 3: differences of 1 each, 1 - 6 x 4 / (4 x 15) = 0.6
  CHECK(spearman(Values{1, 2, 3, 4}, Values{2, 1, 4, 3}).value() == doctest::Approx(0.6));
  // With a tie: ranks 1 2 3 4 and 1.5 1.5 3 4. rs = 2.25 + 0.5 + 0.25 + 2.25 - 0.5 = 4.5 about the mean 2.5:
  // (-1.5)(-1) + (-0.5)(-1) + 0.5 x 0.5 + 1.5 x 1.5 = 4.5; rr = 5, ss = 1 + 1 + 0.25 + 2.25 = 4.5; 4.5 / sqrt(22.5)
  CHECK(spearman(Values{1, 2, 3, 4}, Values{7, 7, 8, 9}).value() == doctest::Approx(4.5 / std::sqrt(22.5)));
}

TEST_CASE("Kendall's tau-b counts pairs and takes ties out of the count") {
  CHECK(kendall_tau_b(Values{1, 2, 3}, Values{1, 2, 3}).value() == doctest::Approx(1.0));
  // Of 6 pairs 4 alike, 2 opposite: 2 / 6
  CHECK(kendall_tau_b(Values{1, 2, 3, 4}, Values{2, 1, 4, 3}).value() == doctest::Approx(1.0 / 3.0));
  // 6 pairs, one tied in y: 5 alike; 5 / sqrt(6 x 5)
  CHECK(kendall_tau_b(Values{1, 2, 3, 4}, Values{7, 7, 8, 9}).value() ==
        doctest::Approx(5.0 / std::sqrt(30.0)));
}

TEST_CASE("a correlation with values that are all equal is not defined") {
  CHECK_FALSE(spearman(Values{1, 2, 3}, Values{4, 4, 4}));
  CHECK_FALSE(kendall_tau_b(Values{1, 1, 1}, Values{1, 2, 3}));
  CHECK_FALSE(spearman(Values{1}, Values{1}));
  CHECK_FALSE(kendall_tau_b(Values{}, Values{}));
}

TEST_CASE("only pairs that are far enough apart count, and a pair equal in the forecast counts as half") {
  // ln 2 = 0.69, ln 1.05 = 0.049, ln 2.1 = 0.74
  const Values measured{100.0, 105.0, 210.0}, forecast{2.0, 1.0, 2.0};
  const PairOrder all = pair_order(measured, forecast, 0.0);
  CHECK(all.compared == 3);
  CHECK(all.alike == 1.5);  // 100 < 105 forecast 2 > 1: wrong; 105 < 210: right; 100 < 210: equal, half
  const PairOrder apart = pair_order(measured, forecast, 0.1);
  CHECK(apart.compared == 2);
  CHECK(apart.share().value() == doctest::Approx(0.75));
  CHECK_FALSE(pair_order(measured, forecast, 1.0).share());
}

}  // namespace
}  // namespace corecast::evidence
