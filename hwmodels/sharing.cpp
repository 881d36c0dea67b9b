#include "hwmodels/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"

namespace corecast::hwmodels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Levels this close are one level: rounding must not decide who is limited by what. Overshoots a capacity by as much.
constexpr double kSameLevel = 1.0 + 1e-12;

void check_input(std::span<const Activity> activities, std::span<const double> capacities) {
  for (const double capacity : capacities) CORECAST_CHECK(capacity >= 0.0, "capacity {}", capacity);
  for (const Activity& activity : activities) {
    CORECAST_CHECK(activity.weight > 0.0 && std::isfinite(activity.weight), "weight {}", activity.weight);
    CORECAST_CHECK(activity.bound >= 0.0, "bound {}", activity.bound);
    for (const Use& use : activity.uses) {
      CORECAST_CHECK(use.resource < capacities.size(), "resource {} of {}", use.resource, capacities.size());
      CORECAST_CHECK(use.amount >= 0.0 && std::isfinite(use.amount), "amount {}", use.amount);
    }
  }
}

}  // namespace

const Shares& SharingSolver::solve(std::span<const Activity> activities, std::span<const double> capacities) {
  check_input(activities, capacities);
  shares_.rate.assign(activities.size(), 0.0);
  shares_.limited_by.assign(activities.size(), Shares::kOwnBound);
  left_.assign(capacities.begin(), capacities.end());
  full_at_.resize(capacities.size());
  growing_.resize(activities.size());
  std::iota(growing_.begin(), growing_.end(), std::size_t{0});
  while (!growing_.empty()) {
    // Summed anew each round: subtracting what froze would leave rounding errors where the rest is small.
    load_.assign(capacities.size(), 0.0);
    double level = kInfinity;
    for (const std::size_t i : growing_) {
      const Activity& activity = activities[i];
      level = std::min(level, activity.bound / activity.weight);
      for (const Use& use : activity.uses) load_[use.resource] += activity.weight * use.amount;
    }
    for (std::size_t j = 0; j < capacities.size(); ++j) {
      full_at_[j] = load_[j] > 0.0 ? left_[j] / load_[j] : kInfinity;
      level = std::min(level, full_at_[j]);
    }
    freeze(activities, level);
  }
  return shares_;
}

// Ends the growth of all whose bound or one of whose resources is met at `level`: at least one is.
void SharingSolver::freeze(std::span<const Activity> activities, double level) {
  const double reached = level * kSameLevel;
  std::size_t kept = 0;
  for (const std::size_t i : growing_) {
    const Activity& activity = activities[i];
    const bool at_bound = activity.bound / activity.weight <= reached;
    std::size_t limit = Shares::kOwnBound;
    if (!at_bound) {
      for (const Use& use : activity.uses) {
        if (use.amount > 0.0 && full_at_[use.resource] <= reached) limit = std::min(limit, use.resource);
      }
      if (limit == Shares::kOwnBound) {
        growing_[kept++] = i;
        continue;
      }
    }
    const double rate = at_bound ? activity.bound : activity.weight * level;
    shares_.rate[i] = rate;
    shares_.limited_by[i] = limit;
    for (const Use& use : activity.uses) {
      if (use.amount > 0.0) left_[use.resource] = std::max(0.0, left_[use.resource] - rate * use.amount);
    }
  }
  growing_.resize(kept);
}

Shares max_min_shares(std::span<const Activity> activities, std::span<const double> capacities) {
  SharingSolver solver;
  return solver.solve(activities, capacities);
}

}  // namespace corecast::hwmodels
