// The only file that calls Ceres' solver (its headers take seconds to compile).
#include "calibration/fit/robust_problem.hpp"

#include <ceres/ceres.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"

namespace corecast::calibration {
namespace {

constexpr double kAtBound = 1e-6;  // of the range
constexpr double kTiny = 1e-300;   // a prior of zero may be held where logarithms are fitted

// Unknowns are fitted as x = ln p or x = p.
double to_x(const Unknown& unknown, double p) {
  return unknown.logarithmic ? std::log(std::max(p, kTiny)) : p;
}
double to_p(const Unknown& unknown, double x) {
  return unknown.logarithmic ? std::exp(x) : x;
}

class TermCost : public ceres::CostFunction {
 public:
  TermCost(const Term& term, const std::vector<Unknown>& unknowns) : term_(term) {
    for (const std::size_t u : term.unknowns) {
      logarithmic_.push_back(unknowns[u].logarithmic);
      mutable_parameter_block_sizes()->push_back(1);
    }
    set_num_residuals(1);
  }

  bool Evaluate(double const* const* x, double* residual, double** jacobians) const override {
    const std::size_t count = logarithmic_.size();
    if (jacobians == nullptr) {
      std::array<double, kMostUnknownsOfTerm> p{};
      for (std::size_t i = 0; i < count; ++i) p[i] = logarithmic_[i] ? std::exp(x[i][0]) : x[i][0];
      *residual = term_.value(std::span(p).first(count));
      return std::isfinite(*residual);
    }
    std::array<Jet, kMostUnknownsOfTerm> p;
    for (std::size_t i = 0; i < count; ++i) {
      const Jet variable(x[i][0], static_cast<int>(i));
      p[i] = logarithmic_[i] ? exp(variable) : variable;
    }
    const Jet result = term_.jet(std::span(p).first(count));
    *residual = result.a;
    bool finite = std::isfinite(result.a);
    for (std::size_t i = 0; i < count; ++i) {
      const double derivative = result.v[static_cast<int>(i)];
      finite = finite && std::isfinite(derivative);
      if (jacobians[i] != nullptr) *jacobians[i] = derivative;
    }
    return finite;
  }

 private:
  const Term& term_;
  std::vector<bool> logarithmic_;
};

}  // namespace

RobustProblem::RobustProblem(const std::vector<Unknown>& unknowns, const std::vector<Term>& terms,
                             int max_iterations)
    : unknowns_(unknowns), terms_(terms), max_iterations_(max_iterations), held_(unknowns.size(), false) {
  for (std::size_t u = 0; u < unknowns.size(); ++u) {
    const Unknown& unknown = unknowns[u];
    if (unknown.held) {
      held_[u] = true;
      x_.push_back(to_x(unknown, unknown.prior));
      continue;
    }
    CORECAST_CHECK(unknown.lower < unknown.upper && (!unknown.logarithmic || unknown.lower > 0.0),
                   "{}: [{}, {}]", unknown.name, unknown.lower, unknown.upper);
    x_.push_back(to_x(unknown, std::clamp(unknown.start, unknown.lower, unknown.upper)));
  }
  for (const Term& term : terms) {
    CORECAST_CHECK(term.unknowns.size() <= kMostUnknownsOfTerm, "{} unknowns", term.unknowns.size());
  }
}

RobustProblem::~RobustProblem() = default;

double RobustProblem::value(std::size_t u) const {
  return to_p(unknowns_[u], x_[u]);
}

bool RobustProblem::at_bound(std::size_t u) const {
  const double low = to_x(unknowns_[u], unknowns_[u].lower);
  const double high = to_x(unknowns_[u], unknowns_[u].upper);
  const double margin = kAtBound * (high - low);
  return !held_[u] && (x_[u] <= low + margin || x_[u] >= high - margin);
}

void RobustProblem::hold(std::size_t u) {
  held_[u] = true;
  x_[u] = to_x(unknowns_[u], unknowns_[u].prior);
}

void RobustProblem::restore(const State& state) {
  std::copy(state.x.begin(), state.x.end(), x_.begin());
  held_ = state.held;
  message_.clear();
}

// By x, at the unknowns' values.
Jet RobustProblem::jet_of(const Term& term) const {
  std::array<Jet, kMostUnknownsOfTerm> p;
  for (std::size_t i = 0; i < term.unknowns.size(); ++i) {
    const std::size_t u = term.unknowns[i];
    const Jet variable(x_[u], static_cast<int>(i));
    p[i] = unknowns_[u].logarithmic ? exp(variable) : variable;
  }
  return term.jet(std::span(p).first(term.unknowns.size()));
}

// Ceres would say so too, but on stderr. Steps that lead out of the domain later are shortened without a
// word.
bool RobustProblem::finite_at_start() {
  for (const Term& term : terms_) {
    const Jet residual = jet_of(term);
    if (std::isfinite(residual.a) && residual.v.allFinite()) continue;
    message_ = "the model is not finite at the start";
    return false;
  }
  return true;
}

void RobustProblem::build(double loss_at) {
  problem_ = std::make_unique<ceres::Problem>();
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    problem_->AddParameterBlock(&x_[u], 1);
    if (held_[u]) {
      problem_->SetParameterBlockConstant(&x_[u]);
      continue;
    }
    problem_->SetParameterLowerBound(&x_[u], 0, to_x(unknowns_[u], unknowns_[u].lower));
    problem_->SetParameterUpperBound(&x_[u], 0, to_x(unknowns_[u], unknowns_[u].upper));
  }
  for (const Term& term : terms_) {
    std::vector<double*> blocks;
    for (const std::size_t u : term.unknowns) blocks.push_back(&x_[u]);
    auto cost = std::make_unique<TermCost>(term, unknowns_);
    auto loss = std::make_unique<ceres::HuberLoss>(loss_at);
    problem_->AddResidualBlock(cost.release(), loss.release(), blocks);  // Ceres owns both
  }
}

bool RobustProblem::solve(double loss_at) {
  build(loss_at);
  if (!run_ceres()) return false;
  // At a bound Ceres projects its steps and stops early: with the bound taken as a value, the rest settles
  // exactly.
  bool bounded = false;
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    if (!at_bound(u)) continue;
    problem_->SetParameterBlockConstant(&x_[u]);
    bounded = true;
  }
  if (bounded && !run_ceres()) return false;
  return evaluate();
}

bool RobustProblem::run_ceres() {
  const auto constant = [&](double& x) { return problem_->IsParameterBlockConstant(&x); };
  if (std::all_of(x_.begin(), x_.end(), constant)) return true;
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.num_threads = 1;
  options.max_num_iterations = max_iterations_;
  // The cost is about N/2 variances: a step that gains a millionth of it moves an estimate by a fiftieth of
  // its standard error at most. Going on would be crawling where two terms beyond the loss's bend pull
  // against each other and the cost is nearly flat between them (one fit in a few hundred, without end).
  options.function_tolerance = 1e-6;
  options.gradient_tolerance = 1e-10;
  options.parameter_tolerance = 1e-9;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, problem_.get(), &summary);
  if (summary.termination_type == ceres::CONVERGENCE) return true;
  message_ = summary.message;
  return false;
}

// Residuals without the loss.
bool RobustProblem::evaluate() {
  ceres::Problem::EvaluateOptions options;
  options.apply_loss_function = false;
  options.num_threads = 1;
  residuals_.clear();
  if (problem_->Evaluate(options, nullptr, &residuals_, nullptr, nullptr)) return true;
  message_ = "the model is not finite there";
  return false;
}

// Ceres leaves out the columns of what is held.
Eigen::MatrixXd RobustProblem::jacobian(const std::vector<std::size_t>& columns) const {
  constexpr Eigen::Index kNone = -1;
  std::vector<Eigen::Index> column_of(unknowns_.size(), kNone);
  for (std::size_t i = 0; i < columns.size(); ++i) column_of[columns[i]] = static_cast<Eigen::Index>(i);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(terms_.size()),
                                                static_cast<Eigen::Index>(columns.size()));
  for (std::size_t row = 0; row < terms_.size(); ++row) {
    const std::vector<std::size_t>& unknowns = terms_[row].unknowns;
    const Jet residual = jet_of(terms_[row]);
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      const Eigen::Index column = column_of[unknowns[i]];
      if (column != kNone) dense(static_cast<Eigen::Index>(row), column) = residual.v[static_cast<int>(i)];
    }
  }
  return dense;
}

bool RobustProblem::covariance(const std::vector<std::size_t>& free, Eigen::MatrixXd& matrix) {
  ceres::Covariance::Options options;
  options.algorithm_type = ceres::DENSE_SVD;
  options.null_space_rank = -1;
  options.apply_loss_function = false;
  options.num_threads = 1;
  // What is at a bound no longer moves: solve() has made it a constant.
  std::vector<const double*> blocks;
  for (const std::size_t u : free) blocks.push_back(&x_[u]);
  ceres::Covariance covariance(options);
  const auto size = static_cast<Eigen::Index>(free.size());
  std::vector<double> flat(free.size() * free.size(), 0.0);
  if (!covariance.Compute(blocks, problem_.get()) || !covariance.GetCovarianceMatrix(blocks, flat.data())) {
    message_ = "the covariance could not be computed";
    return false;
  }
  matrix = Eigen::Map<Eigen::MatrixXd>(flat.data(), size, size);
  return true;
}

}  // namespace corecast::calibration
