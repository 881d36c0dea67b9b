// How well one list of numbers orders another.
//
//   Spearman  rho = cov(r, s) / (sd(r) sd(s)),  r and s the ranks, equal values share the mean of theirs
//   Kendall   tau-b = (C - D) / sqrt((n0 - n1)(n0 - n2)),  C and D pairs ordered alike and oppositely, n0 = n(n-1)/2,
//             n1 and n2 pairs that are equal in x and in y
//   pairs     of those whose x differ by more than `apart` (|ln(x_i / x_j)| > apart): the share that y orders alike;
//             a pair equal in y counts as half
// All in O(n^2) at the most. Nothing where it is not defined: fewer than two values, or all of them equal. Source: M. G. Kendall,
// Rank Correlation Methods, 1948.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace corecast::evidence {

[[nodiscard]] std::vector<double> ranks_of(std::span<const double> values);  // from 1
[[nodiscard]] std::optional<double> spearman(std::span<const double> x, std::span<const double> y);
[[nodiscard]] std::optional<double> kendall_tau_b(std::span<const double> x, std::span<const double> y);

struct PairOrder {
  std::int64_t compared = 0;
  double alike = 0.0;  // pairs, halves possible
  [[nodiscard]] std::optional<double> share() const;
};
// x must be above zero.
[[nodiscard]] PairOrder pair_order(std::span<const double> x, std::span<const double> y, double apart);

}  // namespace corecast::evidence
