// Robust nonlinear least squares with bounds, standard errors and a verdict on each unknown.
//
//   minimise  sum over terms i of  rho( r_i(p) )        within bounds of p
//   rho(r) = r^2                        for |r| <= a    (Huber)
//            2 a |r| - a^2              beyond,  a = 2 c
//   c = max(1, 1.4826 median|r_i| sqrt(N / (N - P)))    scale of the residuals, found by solving again
//
//   covariance = (J^T J)^-1  v,   v = K^2  sum psi(r_i)^2 / (N - P)  /  m^2,   K = 1 + P/N (1 - m) / m
//   standard error = hypot( sqrt(diagonal) t(N - P) / 2,  inherited )
//   inherited_i^2 = sum over held h of ( ((J^T J)^-1 J^T J_h)_i  s_h )^2
//
// r_i residuals that are 1 where the model misses by one standard deviation of the term, N terms, P unknowns
// that are neither held nor at a bound, J their Jacobian, psi = rho'/2, m = mean(psi') the share of terms
// within a. v is the residual variance RSS / (N - P) where no term lies beyond a, else Huber's form of it
// (Robust Statistics, 1981, 7.10), and never below 1: a handful of terms that agree by chance do not beat
// what each of them is known to. t(f) is the quantile of Student's distribution that 2 is of the normal one
// (97.72 %), so that two standard errors cover 95.4 % however few terms there are. What is held at its prior
// is known to s_h only (J_h its column of the Jacobian): an estimate that rests on it inherits that error,
// to first order and as if the priors erred independently.
//
// Huber's loss because it is convex, so it adds no minimum of its own and the result does not depend on the
// start (a redescending loss such as Cauchy's may lock on to a minority), and at a = 2 it loses 2 % against
// least squares on normal noise. Positive unknowns are fitted as logarithms: their standard errors are
// relative, and a step cannot leave the domain. An unknown that the terms do not determine (its column of J
// is in the null space, or its standard error is beyond `least_known`, or all told not even its order of
// magnitude is known) is held at its prior, and the rest is solved again. So is one that ran into a bound, unless its
// prior would fit worse by two standard deviations.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "calibration/fit/scalar.hpp"

namespace corecast::calibration {

struct Unknown {
  std::string name;
  double prior = 1.0;  // where it stays when it is not determined
  double start = 1.0;
  double lower = 0.0, upper = 0.0;
  bool logarithmic = true;  // fitted as ln p: lower must then be above zero
  // Standard error (of ln p, or of p over its range) beyond which it is not determined.
  double least_known = 0.3;
  int rank = 0;  // of several that only together are not determined, the one of highest rank is held
  double prior_error = 0.0;  // standard error of the prior, of ln p or p
  bool held = false;         // at its prior from the start: bounds and start do not matter
};

// One residual: a function of some unknowns.
struct Term {
  std::vector<std::size_t> unknowns;  // kMostUnknownsOfTerm at most
  std::function<double(std::span<const double>)> value;
  std::function<Jet(std::span<const Jet>)> jet;
};

// `residual` takes std::span<const T> for T = double and Jet, and returns T.
template <typename Residual>
[[nodiscard]] Term term(std::vector<std::size_t> unknowns, const Residual& residual) {
  return {std::move(unknowns), [residual](std::span<const double> p) { return residual(p); },
          [residual](std::span<const Jet> p) { return residual(p); }};
}

struct SolveOptions {
  int max_iterations = 200;
};

enum class Verdict { fitted, at_bound, not_identified };

struct Estimate {
  double value = 0.0;
  double standard_error = 0.0;  // of ln p, hence relative, or of p
  Verdict verdict = Verdict::fitted;
  int terms = 0;  // that depend on it
};

struct StrongCorrelation {
  std::size_t first = 0, second = 0;
  double value = 0.0;
};

struct Solution {
  std::vector<Estimate> unknowns;
  std::vector<StrongCorrelation> correlations;  // beyond +-0.95
  std::vector<double> residuals;                // by term
  double scale = 1.0;                           // c
  bool converged = true;
  std::string message;  // why not
};

[[nodiscard]] Solution solve(const std::vector<Unknown>& unknowns, const std::vector<Term>& terms,
                             const SolveOptions& options = {});

// t(f) / 2 of above; f at least 1.
[[nodiscard]] double student_factor(int degrees_of_freedom);

}  // namespace corecast::calibration
