#include "calibration/fit/least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "calibration/fit/robust_problem.hpp"

namespace corecast::calibration {
namespace {

constexpr double kLossScale = 2.0;
constexpr double kStrong = 0.95;
constexpr double kIdle = 4.0;
constexpr double kNullSpace = 1e-7;  // singular value over the largest one
constexpr int kScaleRounds = 8;
constexpr double kMostVariance = 100.0;  // residuals ten times what the terms are known to
constexpr double kNoLoss = 1e6;
constexpr double kHopeless = 1.0;  // standard error of ln p: not even its order of magnitude

class Fitter {
 public:
  Fitter(const std::vector<Unknown>& unknowns, const std::vector<Term>& terms, const SolveOptions& options)
      : unknowns_(unknowns),
        terms_(terms),
        problem_(unknowns, terms, options.max_iterations),
        terms_of_(unknowns.size(), 0),
        tried_(unknowns.size(), false) {
    for (const Term& term : terms) {
      for (const std::size_t u : term.unknowns) ++terms_of_[u];
    }
  }

  Solution run() {
    for (std::size_t u = 0; u < unknowns_.size(); ++u) {
      if (terms_of_[u] == 0) problem_.hold(u);
    }
    converged_ = problem_.finite_at_start();
    // Each round holds or tries one unknown more, so it ends.
    while (converged_) {
      converged_ = solve_at_its_scale();
      if (!converged_) break;
      const auto undetermined = find_undetermined();
      if (undetermined) {
        problem_.hold(*undetermined);
      } else if (!converged_ || !try_bound()) {
        break;
      }
    }
    return result();
  }

 private:
  // Those that the covariance is about.
  [[nodiscard]] std::vector<std::size_t> free_unknowns() const {
    std::vector<std::size_t> free;
    for (std::size_t u = 0; u < unknowns_.size(); ++u) {
      if (!problem_.held(u) && !problem_.at_bound(u)) free.push_back(u);
    }
    return free;
  }

  // sum rho(r / c), with the scale c of the last solution.
  [[nodiscard]] double cost(double scale) const {
    double sum = 0.0;
    for (const double residual : problem_.residuals()) {
      const double r = std::abs(residual / scale);
      sum += r <= kLossScale ? r * r : kLossScale * (2.0 * r - kLossScale);
    }
    return sum;
  }

  // Of a value that ran into its bound, whether its prior would do as well: within two standard deviations,
  // by the ratio of likelihoods. Then it stays held there. True when one was tried: solve again.
  bool try_bound() {
    std::optional<std::size_t> next;
    for (std::size_t u = 0; u < unknowns_.size(); ++u) {
      if (!problem_.at_bound(u) || tried_[u]) continue;
      if (!next || unknowns_[u].rank > unknowns_[*next].rank) next = u;
    }
    if (!next) return false;
    tried_[*next] = true;
    const RobustProblem::State before = problem_.state();
    const double scale = scale_;
    const double cost_before = cost(scale);
    problem_.hold(*next);
    if (!solve_at_its_scale() || cost(scale) - cost_before > kIdle) problem_.restore(before);
    return true;
  }

  bool solve_once() { return problem_.solve(kLossScale * scale_); }

  [[nodiscard]] double degrees_of_freedom() const {
    return static_cast<double>(terms_.size()) - static_cast<double>(free_unknowns().size());
  }

  // From plain least squares (no loss) inwards. Outwards, from a scale that is too small, most terms would
  // lie on the linear part of the loss, where Ceres' steps are half of what they should be and hundreds of
  // them are needed.
  bool solve_at_its_scale() {
    scale_ = kNoLoss;
    for (int round = 0; round < kScaleRounds; ++round) {
      if (!solve_once()) return false;
      if (degrees_of_freedom() < 1.0) {
        scale_ = 1.0;
        return true;
      }
      std::vector<double> sizes;
      for (const double r : problem_.residuals()) sizes.push_back(std::abs(r));
      const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
      std::nth_element(sizes.begin(), middle, sizes.end());
      const double before = scale_;
      scale_ = std::max(
          1.0, 1.4826 * *middle * std::sqrt(static_cast<double>(terms_.size()) / degrees_of_freedom()));
      if (std::abs(scale_ / before - 1.0) < 0.01) return true;
    }
    return solve_once();
  }

  [[nodiscard]] double variance() const {
    const double freedom = degrees_of_freedom();
    if (freedom < 1.0) return 1.0;
    const auto n = static_cast<double>(problem_.residuals().size());
    const double a = kLossScale * scale_;
    double sum = 0.0;
    double within = 0.0;
    for (const double r : problem_.residuals()) {
      sum += std::pow(std::min(std::abs(r), a), 2);
      if (std::abs(r) <= a) within += 1.0;
    }
    const double m = std::max(within / n, 0.5);  // fewer cannot be: a is at least twice their median
    const double correction = 1.0 + (n - freedom) / n * (1.0 - m) / m;
    return std::max(1.0, correction * correction * sum / freedom / (m * m));
  }

  // The unknown to hold next, if any; else the covariance is known.
  std::optional<std::size_t> find_undetermined() {
    free_ = free_unknowns();
    if (free_.empty()) return std::nullopt;
    if (const auto null = in_null_space()) return null;
    converged_ = problem_.covariance(free_, covariance_);
    if (!converged_) return std::nullopt;
    covariance_ *= variance();
    inherited_ = inherited_errors();
    // A model that misses by far is no reason to take its unknowns away: it would miss by more.
    const double scaled = std::sqrt(std::min(1.0, kMostVariance / variance()));
    std::optional<std::size_t> worst;
    double worst_error = 1.0;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const Unknown& unknown = unknowns_[free_[i]];
      const double known =
          unknown.logarithmic ? unknown.least_known : unknown.least_known * (unknown.upper - unknown.lower);
      const double raw = std::sqrt(covariance_(index(i), index(i)));
      const double total = unknown.logarithmic ? std::hypot(raw, inherited_[i]) : 0.0;
      const double error = std::max(scaled * raw / known, total / kHopeless);
      // Of two that cannot be told apart both errors are large: the higher rank goes first.
      const bool higher = worst && unknown.rank > unknowns_[*worst].rank;
      const bool equal = worst && unknown.rank == unknowns_[*worst].rank;
      if (error <= 1.0 || (worst && !higher && !(equal && error > worst_error))) continue;
      worst = free_[i];
      worst_error = error;
    }
    return worst;
  }

  [[nodiscard]] static Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

  std::optional<std::size_t> in_null_space() {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(problem_.jacobian(free_), Eigen::ComputeFullV);
    const auto& values = svd.singularValues();
    const Eigen::Index columns = index(free_.size());
    const bool deficient =
        values.size() < columns || !(values(columns - 1) > kNullSpace * std::max(values(0), 1e-300));
    if (!deficient) return std::nullopt;
    const Eigen::VectorXd direction = svd.matrixV().col(columns - 1).cwiseAbs();
    const double most = direction.maxCoeff();
    std::size_t chosen = 0;
    bool found = false;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (direction(index(i)) < 0.1 * most) continue;
      const int rank = unknowns_[free_[i]].rank;
      const int best_rank = unknowns_[free_[chosen]].rank;
      if (!found || rank > best_rank ||
          (rank == best_rank && direction(index(i)) > direction(index(chosen)))) {
        chosen = i;
        found = true;
      }
    }
    return free_[chosen];
  }

  // By free unknown: what the priors of those held leave uncertain.
  [[nodiscard]] std::vector<double> inherited_errors() const {
    std::vector<std::size_t> held;
    for (std::size_t u = 0; u < unknowns_.size(); ++u) {
      if (problem_.held(u) && terms_of_[u] > 0 && unknowns_[u].prior_error > 0.0) held.push_back(u);
    }
    std::vector<double> errors(free_.size(), 0.0);
    if (held.empty()) return errors;
    const Eigen::MatrixXd moves =
        problem_.jacobian(free_).colPivHouseholderQr().solve(problem_.jacobian(held));
    for (std::size_t i = 0; i < free_.size(); ++i) {
      for (std::size_t h = 0; h < held.size(); ++h) {
        errors[i] = std::hypot(errors[i], moves(index(i), index(h)) * unknowns_[held[h]].prior_error);
      }
    }
    return errors;
  }

  Solution result() {
    Solution solution;
    const int freedom = static_cast<int>(degrees_of_freedom());
    for (std::size_t u = 0; u < unknowns_.size(); ++u) {
      Estimate estimate{problem_.value(u), 0.0, Verdict::fitted, terms_of_[u]};
      if (problem_.held(u)) {
        estimate.value = unknowns_[u].prior;
        estimate.verdict = Verdict::not_identified;
      } else if (problem_.at_bound(u)) {
        estimate.verdict = Verdict::at_bound;
      }
      solution.unknowns.push_back(estimate);
    }
    if (converged_ && !free_.empty()) {
      for (std::size_t i = 0; i < free_.size(); ++i) {
        const double factor = freedom < 1 ? 1.0 : student_factor(freedom);
        solution.unknowns[free_[i]].standard_error =
            std::hypot(std::sqrt(covariance_(index(i), index(i))) * factor, inherited_[i]);
        for (std::size_t j = i + 1; j < free_.size(); ++j) {
          const double r = covariance_(index(i), index(j)) /
                           std::sqrt(covariance_(index(i), index(i)) * covariance_(index(j), index(j)));
          if (std::abs(r) > kStrong) solution.correlations.push_back({free_[i], free_[j], r});
        }
      }
    }
    solution.residuals = problem_.residuals();
    solution.scale = scale_;
    solution.converged = converged_;
    solution.message = converged_ ? std::string{} : problem_.message();
    return solution;
  }

  const std::vector<Unknown>& unknowns_;
  const std::vector<Term>& terms_;
  RobustProblem problem_;
  std::vector<int> terms_of_;
  std::vector<bool> tried_;  // at a bound, whether the prior would do
  std::vector<std::size_t> free_;
  std::vector<double> inherited_;  // by free_
  Eigen::MatrixXd covariance_;
  double scale_ = 1.0;
  bool converged_ = true;
};

}  // namespace

double student_factor(int degrees_of_freedom) {
  CORECAST_CHECK(degrees_of_freedom >= 1, "{} degrees of freedom", degrees_of_freedom);
  if (degrees_of_freedom == 1) return 13.968 / 2.0;
  if (degrees_of_freedom == 2) return 4.527 / 2.0;
  // Cornish-Fisher series for z = 2 (Abramowitz and Stegun 26.7.5); 1 % low at three degrees of freedom, then
  // less.
  const double f = degrees_of_freedom;
  return (2.0 + 2.5 / f + 3.0625 / (f * f) + 2.859 / (f * f * f)) / 2.0;
}

Solution solve(const std::vector<Unknown>& unknowns, const std::vector<Term>& terms,
               const SolveOptions& options) {
  return Fitter(unknowns, terms, options).run();
}

}  // namespace corecast::calibration
