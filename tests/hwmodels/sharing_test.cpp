#include "hwmodels/sharing.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/aborts.hpp"

namespace corecast::hwmodels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Shares solve(const std::vector<Activity>& activities, const std::vector<double>& capacities) {
  return max_min_shares(activities, capacities);
}

TEST_CASE("two activities of unlike hunger get equal rates") {
  // x + 2 x = 3: one each.
  const Shares s = solve({{.uses = {{0, 1.0}}}, {.uses = {{0, 2.0}}}}, {3.0});
  CHECK(s.rate == std::vector{1.0, 1.0});
  CHECK(s.limited_by == std::vector<std::size_t>{0, 0});
}

TEST_CASE("what a bounded activity leaves goes to the other") {
  // x0 stops at 0.4; 3 - 0.4 = 2.6 is left for 2 x1.
  const Shares s = solve({{.bound = 0.4, .uses = {{0, 1.0}}}, {.uses = {{0, 2.0}}}}, {3.0});
  CHECK(s.rate[0] == 0.4);
  CHECK(s.rate[1] == doctest::Approx(1.3));
  CHECK(s.limited_by == std::vector<std::size_t>{Shares::kOwnBound, 0});
}

TEST_CASE("weights share in proportion") {
  const Shares s = solve({{.weight = 1.0, .uses = {{0, 1.0}}}, {.weight = 3.0, .uses = {{0, 1.0}}}}, {8.0});
  CHECK(s.rate == std::vector{2.0, 6.0});
}

TEST_CASE("one flow over two links meets one short flow on each") {
  // The classical line: link 0 of 1 and link 1 of 3. At 0.5 link 0 is full and freezes the long flow and its neighbour;
  // the other short flow takes what is left of link 1: 2.5.
  const Shares s =
      solve({{.uses = {{0, 1.0}, {1, 1.0}}}, {.uses = {{0, 1.0}}}, {.uses = {{1, 1.0}}}}, {1.0, 3.0});
  CHECK(s.rate == std::vector{0.5, 0.5, 2.5});
  CHECK(s.limited_by == std::vector<std::size_t>{0, 0, 1});
}

TEST_CASE("a resource named twice counts twice") {
  const Shares s = solve({{.uses = {{0, 1.0}, {0, 1.0}}}}, {4.0});
  CHECK(s.rate == std::vector{2.0});
}

TEST_CASE("nothing is had of an empty resource, and nobody else suffers") {
  const Shares s = solve({{.uses = {{0, 1.0}, {1, 1.0}}}, {.uses = {{1, 1.0}}}}, {0.0, 5.0});
  CHECK(s.rate == std::vector{0.0, 5.0});
  CHECK(s.limited_by == std::vector<std::size_t>{0, 1});
}

TEST_CASE("amounts of zero take nothing and are not limited") {
  const Shares s = solve({{.bound = 7.0, .uses = {{0, 0.0}}}, {.uses = {{0, 1.0}}}}, {0.0});
  CHECK(s.rate == std::vector{7.0, 0.0});
}

TEST_CASE("without bound and resource a rate is infinite") {
  const Shares s = solve({{}, {.uses = {{0, 1.0}}}, {.bound = 0.0}}, {kInfinity});
  CHECK(s.rate == std::vector{kInfinity, kInfinity, 0.0});
  CHECK(s.limited_by == std::vector<std::size_t>(3, Shares::kOwnBound));
  CHECK(solve({}, {}).rate.empty());
}

TEST_CASE("a bound that is met as the resource fills is named as the limit") {
  const Shares s = solve({{.bound = 1.0, .uses = {{0, 1.0}}}, {.uses = {{0, 1.0}}}}, {2.0});
  CHECK(s.rate == std::vector{1.0, 1.0});
  CHECK(s.limited_by == std::vector<std::size_t>{Shares::kOwnBound, 0});
}

TEST_CASE("of resources that fill together the first is named") {
  const Shares s = solve({{.uses = {{1, 1.0}, {0, 1.0}}}}, {1.0, 1.0});
  CHECK(s.limited_by == std::vector<std::size_t>{0});
}

TEST_CASE("widely different weights on one resource keep their small share exact") {
  const Shares s =
      solve({{.weight = 1e12, .bound = 1.0, .uses = {{0, 1.0}}}, {.weight = 1.0, .uses = {{0, 1.0}}}}, {3.0});
  CHECK(s.rate[1] == doctest::Approx(2.0).epsilon(1e-12));
}

TEST_CASE("a solver that is used again forgets the last problem") {
  SharingSolver solver;
  const std::vector<Activity> two{{.uses = {{0, 1.0}}}, {.uses = {{1, 2.0}}}};
  (void)solver.solve(two, std::vector{3.0, 4.0});
  const std::vector<Activity> one{{.uses = {{0, 1.0}}}};
  CHECK(solver.solve(one, std::vector{5.0}).rate == std::vector{5.0});
}

TEST_CASE("wrong input is the caller's bug") {
  CHECK(test::aborts([] { (void)solve({{.weight = 0.0}}, {}); }));
  CHECK(test::aborts([] { (void)solve({{.uses = {{0, -1.0}}}}, {1.0}); }));
  CHECK(test::aborts([] { (void)solve({{.uses = {{1, 1.0}}}}, {1.0}); }));
  CHECK(test::aborts([] { (void)solve({{}}, {-1.0}); }));
  CHECK(test::aborts([] { (void)solve({{.bound = std::nan("")}}, {}); }));
}

// ---- properties

struct Problem {
  std::vector<Activity> activities;
  std::vector<double> capacities;
};

double eighths(int low, int high) {
  return *rc::gen::inRange(low, high) / 8.0;
}

Problem any_problem(int most_activities, int most_resources) {
  Problem p;
  const int resources = *rc::gen::inRange(1, most_resources + 1);
  for (int j = 0; j < resources; ++j) p.capacities.push_back(eighths(0, 80));
  const int activities = *rc::gen::inRange(0, most_activities + 1);
  for (int i = 0; i < activities; ++i) {
    Activity a;
    a.weight = eighths(1, 40);
    a.bound = *rc::gen::inRange(0, 3) == 0 ? kInfinity : eighths(0, 40);
    for (int j = 0; j < resources; ++j) {
      if (*rc::gen::inRange(0, 2) == 1) a.uses.push_back({static_cast<std::size_t>(j), eighths(0, 24)});
    }
    p.activities.push_back(a);
  }
  return p;
}

double taken(const Problem& p, const std::vector<double>& rate, std::size_t resource) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.activities.size(); ++i) {
    for (const Use& use : p.activities[i].uses) {
      if (use.resource == resource && use.amount > 0.0) sum += use.amount * rate[i];
    }
  }
  return sum;
}

bool close(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

TEST_CASE("no capacity and no bound is ever exceeded") {
  CHECK(rc::check("shares are feasible", [] {
    const Problem p = any_problem(12, 6);
    const Shares s = solve(p.activities, p.capacities);
    for (std::size_t j = 0; j < p.capacities.size(); ++j)
      RC_ASSERT(taken(p, s.rate, j) <= p.capacities[j] * (1.0 + 1e-9));
    for (std::size_t i = 0; i < p.activities.size(); ++i) {
      RC_ASSERT(s.rate[i] >= 0.0);
      RC_ASSERT(s.rate[i] <= p.activities[i].bound);
    }
  }));
}

TEST_CASE("nobody can grow without shrinking one that is no larger") {
  CHECK(rc::check("shares are max-min fair", [] {
    const Problem p = any_problem(12, 6);
    const Shares s = solve(p.activities, p.capacities);
    for (std::size_t i = 0; i < p.activities.size(); ++i) {
      if (s.limited_by[i] == Shares::kOwnBound) {
        RC_ASSERT(s.rate[i] == p.activities[i].bound);
        continue;
      }
      // Its bottleneck: it uses the resource, the resource is full, and nobody on it has a larger level.
      const std::size_t j = s.limited_by[i];
      RC_ASSERT(close(taken(p, s.rate, j), p.capacities[j]));
      bool uses = false;
      for (const Use& use : p.activities[i].uses) uses = uses || (use.resource == j && use.amount > 0.0);
      RC_ASSERT(uses);
      const double level = s.rate[i] / p.activities[i].weight;
      for (std::size_t k = 0; k < p.activities.size(); ++k) {
        for (const Use& use : p.activities[k].uses) {
          if (use.resource == j && use.amount > 0.0)
            RC_ASSERT(s.rate[k] / p.activities[k].weight <= level * (1.0 + 1e-9));
        }
      }
    }
  }));
}

TEST_CASE("capacities and bounds times k give rates times k") {
  CHECK(rc::check("shares scale", [] {
    const Problem p = any_problem(8, 4);
    Problem scaled = p;
    const double k = std::exp2(*rc::gen::inRange(-20, 20)) * 3.0;
    for (double& c : scaled.capacities) c *= k;
    for (Activity& a : scaled.activities) a.bound *= k;
    const Shares s = solve(p.activities, p.capacities);
    const Shares t = solve(scaled.activities, scaled.capacities);
    for (std::size_t i = 0; i < s.rate.size(); ++i) RC_ASSERT(close(t.rate[i], s.rate[i] * k));
  }));
}

TEST_CASE("the order of activities does not matter") {
  CHECK(rc::check("shares do not depend on order", [] {
    const Problem p = any_problem(8, 4);
    std::vector<std::size_t> order(p.activities.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
    std::vector<Activity> shuffled;
    for (const std::size_t i : order) shuffled.push_back(p.activities[i]);
    const Shares s = solve(p.activities, p.capacities);
    const Shares t = solve(shuffled, p.capacities);
    for (std::size_t i = 0; i < order.size(); ++i) RC_ASSERT(close(t.rate[i], s.rate[order[i]]));
  }));
}

// The definition itself, without filling: levels are raised one activity at a time by bisection, largest common level
// first. The smallest level is as large as possible; of those at it, the ones that could not go on alone are fixed.
std::vector<double> by_definition(const Problem& p) {
  const std::size_t n = p.activities.size();
  std::vector<double> rate(n, 0.0);
  std::vector<bool> fixed(n, false);
  const auto feasible = [&](const std::vector<double>& x) {
    for (std::size_t j = 0; j < p.capacities.size(); ++j) {
      if (taken(p, x, j) > p.capacities[j] + 1e-12) return false;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (x[i] > p.activities[i].bound + 1e-12) return false;
    }
    return true;
  };
  for (std::size_t round = 0; round < n; ++round) {
    const auto at = [&](double level) {
      std::vector<double> x = rate;
      for (std::size_t i = 0; i < n; ++i) {
        if (!fixed[i]) x[i] = p.activities[i].weight * level;
      }
      return x;
    };
    double low = 0.0;
    double high = 1e6;
    for (int step = 0; step < 100; ++step) (feasible(at((low + high) / 2)) ? low : high) = (low + high) / 2;
    const std::vector<double> reached = at(low);
    for (std::size_t i = 0; i < n; ++i) {
      if (fixed[i]) continue;
      std::vector<double> more = reached;
      more[i] += 1e-6;
      rate[i] = reached[i];
      if (!feasible(more)) fixed[i] = true;
    }
  }
  return rate;
}

TEST_CASE("up to three by three, filling finds what the definition asks for") {
  CHECK(rc::check("filling agrees with the definition", [] {
    Problem p = any_problem(3, 3);
    for (Activity& a : p.activities) a.bound = std::min(a.bound, 100.0);
    const Shares s = solve(p.activities, p.capacities);
    const std::vector<double> x = by_definition(p);
    for (std::size_t i = 0; i < x.size(); ++i) RC_ASSERT(std::abs(s.rate[i] - x[i]) <= 1e-4);
  }));
}

}  // namespace
}  // namespace corecast::hwmodels
