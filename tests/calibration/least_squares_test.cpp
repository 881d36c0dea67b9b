// The generic solver against closed forms of linear regression.
#include "calibration/fit/least_squares.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace corecast::calibration {
namespace {

// y = a + b x with sigma 1.
std::vector<Term> line(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<Term> terms;
  for (std::size_t i = 0; i < x.size(); ++i) {
    terms.push_back(term({0, 1}, [xi = x[i], yi = y[i]]<typename T>(std::span<const T> p) {
      return p[0] + p[1] * T(xi) - T(yi);
    }));
  }
  return terms;
}

std::vector<Unknown> line_unknowns() {
  Unknown a{"a", 0.0, 0.0, -1e3, 1e3};
  Unknown b{"b", 0.0, 0.0, -1e3, 1e3};
  a.logarithmic = b.logarithmic = false;
  return {a, b};
}

TEST_CASE("a line comes out as linear regression has it, standard errors included") {
  // x = 0..4, y = 1, 8, 9, 18, 19: mean x 2, mean y 11; Sxx = 10, Sxy = 46; b = 4.6, a = 1.8.
  // Residuals -0.8, 1.6, -2, 2.4, -1.2: RSS = 14.4 on 3 degrees of freedom, s^2 = 4.8.
  // var b = 4.8 / 10 = 0.48, var a = 4.8 (1/5 + 4/10) = 2.88, r(a, b) = -2 / sqrt(5 x (1/5 + 4/10) x 10) =
  // -0.8165.
  const auto solution = solve(line_unknowns(), line({0, 1, 2, 3, 4}, {1, 8, 9, 18, 19}));
  REQUIRE(solution.converged);
  CHECK(solution.unknowns[0].value == doctest::Approx(1.8));
  CHECK(solution.unknowns[1].value == doctest::Approx(4.6));
  CHECK(solution.unknowns[0].standard_error == doctest::Approx(std::sqrt(2.88) * student_factor(3)));
  CHECK(solution.unknowns[1].standard_error == doctest::Approx(std::sqrt(0.48) * student_factor(3)));
  CHECK(solution.unknowns[0].verdict == Verdict::fitted);
  CHECK(solution.unknowns[0].terms == 5);
  CHECK(solution.correlations.empty());
}

TEST_CASE("residuals smaller than the terms' own errors do not make an estimate better than those") {
  // The points lie on the line: s^2 would be 0, but each is known to 1 only: var b = 1 / 10.
  const auto solution = solve(line_unknowns(), line({0, 1, 2, 3, 4}, {1, 3, 5, 7, 9}));
  CHECK(solution.unknowns[1].value == doctest::Approx(2.0));
  CHECK(solution.unknowns[1].standard_error == doctest::Approx(std::sqrt(0.1) * student_factor(3)));
}

TEST_CASE("two standard errors cover 95.4 % whatever the degrees of freedom") {
  // Quantiles of Student's t at 0.97725: 13.968, 4.527, 3.307, 2.649, 2.284 for 1, 2, 3, 5, 10.
  CHECK(2.0 * student_factor(1) == doctest::Approx(13.968).epsilon(1e-3));
  CHECK(2.0 * student_factor(2) == doctest::Approx(4.527).epsilon(1e-3));
  CHECK(2.0 * student_factor(3) == doctest::Approx(3.307).epsilon(0.01));
  CHECK(2.0 * student_factor(5) == doctest::Approx(2.649).epsilon(0.003));
  CHECK(2.0 * student_factor(10) == doctest::Approx(2.284).epsilon(0.001));
  CHECK(student_factor(1'000'000) == doctest::Approx(1.0).epsilon(1e-4));
}

TEST_CASE("an estimate does not leave its bounds, and says that it lies on one") {
  // y = 1.8 + 4.6 x, but b may not exceed 4: then a = mean y - 4 mean x = 11 - 8.
  auto unknowns = line_unknowns();
  unknowns[1].upper = 4.0;
  const auto solution = solve(unknowns, line({0, 1, 2, 3, 4}, {1.8, 6.4, 11.0, 15.6, 20.2}));
  CHECK(solution.unknowns[1].value == doctest::Approx(4.0));
  CHECK(solution.unknowns[1].verdict == Verdict::at_bound);
  CHECK(solution.unknowns[0].verdict == Verdict::fitted);
  CHECK(solution.unknowns[0].value == doctest::Approx(3.0));
}

TEST_CASE("of two unknowns that only their sum shows, the one of higher rank stays at its prior") {
  auto unknowns = line_unknowns();
  unknowns[0].prior = 0.25;
  unknowns[0].rank = 1;
  const auto solution = solve(unknowns, line({1, 1, 1}, {3, 3, 3}));  // a + b = 3
  CHECK(solution.unknowns[0].verdict == Verdict::not_identified);
  CHECK(solution.unknowns[0].value == 0.25);
  CHECK(solution.unknowns[1].verdict == Verdict::fitted);
  CHECK(solution.unknowns[1].value == doctest::Approx(2.75));
}

TEST_CASE("an unknown that no term depends on stays at its prior") {
  auto unknowns = line_unknowns();
  unknowns.push_back({"c", 7.0, 5.0, 1.0, 10.0});
  const auto solution = solve(unknowns, line({0, 1, 2}, {0, 1, 2}));
  CHECK(solution.unknowns[2].verdict == Verdict::not_identified);
  CHECK(solution.unknowns[2].value == 7.0);
  CHECK(solution.unknowns[2].terms == 0);
}

TEST_CASE("what is known no better than by half its size is not called fitted") {
  // p = exp(x): one term, (ln p - ln 5) / 0.4, so the standard error of ln p is 0.4.
  const Unknown p{"p", 2.0, 2.0, 0.1, 100.0};
  const auto known_to = [&](double sigma) {
    return solve({p}, {term({0}, [sigma]<typename T>(std::span<const T> v) {
                   using std::log;
                   return (log(v[0]) - T(std::log(5.0))) / T(sigma);
                 })});
  };
  CHECK(known_to(0.4).unknowns[0].verdict == Verdict::not_identified);
  CHECK(known_to(0.4).unknowns[0].value == 2.0);
  CHECK(known_to(0.2).unknowns[0].verdict == Verdict::fitted);
  CHECK(known_to(0.2).unknowns[0].value == doctest::Approx(5.0));
  CHECK(known_to(0.2).unknowns[0].standard_error == doctest::Approx(0.2));
}

TEST_CASE("an estimate inherits the error of the prior that it rests on") {
  // ln y = ln p + 0.5 ln q, y = 6 known to 1 %; q held at 4 to 20 %: p = 6 / 2 = 3, and its error is the
  // measurement's 1 % (one term for one unknown: no degree of freedom, no widening) and half of q's 20 %.
  const auto problem = [](double prior_error) {
    const Unknown p{"p", 1.0, 1.0, 0.1, 100.0};
    Unknown q{"q", 4.0, 1.0, 0.1, 100.0};
    q.held = true;
    q.prior_error = prior_error;
    return solve({p, q}, {term({0, 1}, []<typename T>(std::span<const T> v) {
                   using std::log;
                   return (log(v[0]) + T(0.5) * log(v[1]) - T(std::log(6.0))) / T(0.01);
                 })});
  };
  CHECK(problem(0.2).unknowns[0].value == doctest::Approx(3.0));
  CHECK(problem(0.2).unknowns[0].standard_error == doctest::Approx(std::hypot(0.01, 0.1)));
  CHECK(problem(0.0).unknowns[0].standard_error == doctest::Approx(0.01));
  CHECK(problem(0.2).unknowns[1].verdict == Verdict::not_identified);
  CHECK(problem(0.2).unknowns[1].value == 4.0);
  // Half of 300 %: not even the order of magnitude of p is known, so it stays where it was.
  CHECK(problem(3.0).unknowns[0].verdict == Verdict::not_identified);
  CHECK(problem(3.0).unknowns[0].value == 1.0);
}

TEST_CASE("an unknown that was held because others explain as much leaves its error with them") {
  // Only p q = 12 shows; q has the higher rank, so p = 12 / 3, known to q's 25 %.
  const Unknown p{"p", 1.0, 1.0, 0.1, 100.0};
  Unknown q{"q", 3.0, 3.0, 0.1, 100.0};
  q.rank = 1;
  q.prior_error = 0.25;
  const auto solution = solve({p, q}, {term({0, 1}, []<typename T>(std::span<const T> v) {
                                using std::log;
                                return (log(v[0]) + log(v[1]) - T(std::log(12.0))) / T(0.02);
                              })});
  CHECK(solution.unknowns[0].value == doctest::Approx(4.0));
  CHECK(solution.unknowns[0].standard_error == doctest::Approx(std::hypot(0.02, 0.25)));
}

TEST_CASE("a model that misses by far does not call a value fitted of which it knows nothing") {
  // ln p = 0, 8, -8 to 1 % each: the mean is 0, its error 8 / sqrt(3) of ln p.
  std::vector<Term> terms;
  for (const double y : {0.0, 8.0, -8.0}) {
    terms.push_back(term({0}, [y]<typename T>(std::span<const T> v) {
      using std::log;
      return (log(v[0]) - T(y)) / T(0.01);
    }));
  }
  const auto solution = solve({{"p", 5.0, 5.0, 1e-5, 1e5}}, terms);
  CHECK(solution.unknowns[0].verdict == Verdict::not_identified);
  CHECK(solution.unknowns[0].value == 5.0);
}

TEST_CASE("an outlier costs little") {
  std::vector<double> x, y;
  for (int i = 0; i < 20; ++i) {
    x.push_back(i);
    y.push_back(1.0 + 2.0 * i + 0.5 * std::sin(7.0 * i));
  }
  y[10] += 1000.0;
  const auto solution = solve(line_unknowns(), line(x, y));
  // Plain least squares would raise the mean by 50.
  CHECK(solution.unknowns[1].value == doctest::Approx(2.0).epsilon(0.05));
  CHECK(std::abs(solution.unknowns[0].value - 1.0) < 0.7);
  CHECK(solution.scale < 2.0);
}

TEST_CASE("unknowns that move together are reported") {
  // x far from zero: r(a, b) = -mean x / sqrt(mean x^2) = -0.99.
  const auto solution = solve(line_unknowns(), line({9, 10, 11}, {9, 10, 11}));
  REQUIRE(solution.correlations.size() == 1);
  CHECK(solution.correlations[0].value < -0.95);
}

TEST_CASE("a model that is not finite is a failure with a reason, not a result") {
  const auto solution = solve(line_unknowns(), {term({0}, []<typename T>(std::span<const T> p) {
                                using std::log;
                                return log(p[0] - T(2000.0));
                              })});
  CHECK_FALSE(solution.converged);
  CHECK_FALSE(solution.message.empty());
}

TEST_CASE("equal problems give equal bits") {
  const auto once = solve(line_unknowns(), line({0, 1, 2, 3, 4}, {1, 8, 9, 18, 19}));
  const auto again = solve(line_unknowns(), line({0, 1, 2, 3, 4}, {1, 8, 9, 18, 19}));
  for (std::size_t u = 0; u < 2; ++u) {
    CHECK(once.unknowns[u].value == again.unknowns[u].value);
    CHECK(once.unknowns[u].standard_error == again.unknowns[u].standard_error);
  }
}

}  // namespace
}  // namespace corecast::calibration
