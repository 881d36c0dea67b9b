// The problem of least_squares.hpp as Ceres sees it: unknowns as logarithms where they are so fitted, one
// residual block a term, Huber's loss. For least_squares.cpp only, which decides what is held and at which
// scale.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "calibration/fit/least_squares.hpp"

namespace ceres {
class Problem;
}

namespace corecast::calibration {

class RobustProblem {
 public:
  RobustProblem(const std::vector<Unknown>& unknowns, const std::vector<Term>& terms, int max_iterations);
  ~RobustProblem();
  RobustProblem(const RobustProblem&) = delete;
  RobustProblem& operator=(const RobustProblem&) = delete;

  [[nodiscard]] double value(std::size_t u) const;  // p
  [[nodiscard]] bool held(std::size_t u) const { return held_[u]; }
  [[nodiscard]] bool at_bound(std::size_t u) const;  // not of held ones
  void hold(std::size_t u);                          // at its prior
  // What to go back to: values and what is held.
  struct State {
    std::vector<double> x;
    std::vector<bool> held;
  };
  [[nodiscard]] State state() const { return {x_, held_}; }
  void restore(const State& state);

  // From where the unknowns are; the loss bends at `loss_at`. False: message() says why.
  [[nodiscard]] bool finite_at_start();
  [[nodiscard]] bool solve(double loss_at);
  [[nodiscard]] const std::vector<double>& residuals() const { return residuals_; }  // without the loss
  [[nodiscard]] const std::string& message() const { return message_; }

  // At the last solution and without the loss: one row a term, one column an unknown of `columns`, held or not.
  [[nodiscard]] Eigen::MatrixXd jacobian(const std::vector<std::size_t>& columns) const;
  // Of the unknowns `free`, none of them held or at a bound.
  [[nodiscard]] bool covariance(const std::vector<std::size_t>& free, Eigen::MatrixXd& matrix);

 private:
  [[nodiscard]] Jet jet_of(const Term& term) const;
  void build(double loss_at);
  [[nodiscard]] bool run_ceres();
  [[nodiscard]] bool evaluate();

  const std::vector<Unknown>& unknowns_;
  const std::vector<Term>& terms_;
  int max_iterations_;
  std::vector<bool> held_;
  std::vector<double> x_;  // ln p or p; never resized: Ceres keeps addresses
  std::unique_ptr<ceres::Problem> problem_;
  std::vector<double> residuals_;
  std::string message_;
};

}  // namespace corecast::calibration
