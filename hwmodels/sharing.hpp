// Weighted max-min fair sharing of capacities. Knows no machine and no operator.
//
//   for every resource j:   sum over i of  a_ij x_i  <=  C_j
//   for every variable i:   0 <= x_i <= bound_i
//   x is the max-min fair point: no x_i / w_i can grow without shrinking another x_k / w_k that is no larger.
//
// x_i rate of activity i; a_ij what one unit of rate takes of resource j; C_j capacity; w_i weight (> 0).
// Found by progressive filling: all x_i grow as w_i * lambda until a resource is full or a bound is met; those are frozen
// and the rest goes on.
// Example: two activities on one resource of capacity 3, a = {1, 2}, weights 1: x = {1, 1}.
//   With bound_1 = 0.4 : x = {0.4, 1.3}.
// Source: Bertsekas, Gallager, Data Networks, 2nd ed., 1992, 6.5.2.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace corecast::hwmodels {

struct Use {
  std::size_t resource = 0;
  double amount = 0.0;  // a_ij >= 0
};

struct Activity {
  double weight = 1.0;
  double bound = std::numeric_limits<double>::infinity();
  std::vector<Use> uses{};  // a resource may stand more than once; amounts add up
};

struct Shares {
  static constexpr std::size_t kOwnBound = static_cast<std::size_t>(-1);
  std::vector<double> rate;  // x_i; infinite when nothing limits it
  // Resource that froze it (of several full at once the first), or kOwnBound: its bound (also when a resource fills up
  // at the same level), or nothing at all (the rate is then infinite).
  std::vector<std::size_t> limited_by;
};

// Capacities >= 0 (infinite allowed); weights > 0; bounds >= 0; amounts >= 0 and finite, on resources there are: anything
// else is a bug of the caller (CORECAST_CHECK). No capacity is exceeded by more than 1e-9 of it. Cost: rounds x uses,
// with at most one round per activity.
[[nodiscard]] Shares max_min_shares(std::span<const Activity> activities, std::span<const double> capacities);

// The same for callers that solve often: keeps its memory from one call to the next.
class SharingSolver {
 public:
  // Valid until the next call.
  const Shares& solve(std::span<const Activity> activities, std::span<const double> capacities);

 private:
  void freeze(std::span<const Activity> activities, double level);

  Shares shares_;
  std::vector<double> left_;          // of each capacity, after what the frozen take
  std::vector<double> load_;          // on each resource per unit of level, of those still growing
  std::vector<double> full_at_;       // level at which each resource is full
  std::vector<std::size_t> growing_;  // activities not yet frozen, ascending
};

}  // namespace corecast::hwmodels
