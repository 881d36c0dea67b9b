#include "calibration/evidence/rules.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.hpp"
#include "sim/baselines.hpp"

namespace corecast::evidence {
namespace {

int inter_op_of(const sim::Setting& setting) {
  return setting.mode == sim::Mode::parallel ? setting.inter_op : 1;
}

double octaves(int a, int b) {
  return std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b)));
}

// Larger is better; both kinds of value are above zero.
double merit_measured(const Point& point, sim::Objective objective) {
  return objective == sim::Objective::latency ? 1.0 / point.measured_ms : point.measured_per_s;
}

double merit_forecast(const Point& point, sim::Objective objective) {
  return objective == sim::Objective::latency ? 1.0 / point.forecast_ms : point.forecast_per_s;
}

std::int64_t threads_asked(const sim::Setting& setting) {
  return std::int64_t{setting.instances} * inter_op_of(setting) * setting.intra_op;
}

}  // namespace

Nearest nearest_point(std::span<const Point> points, const sim::Setting& wanted) {
  CORECAST_CHECK(!points.empty(), "points={}", points.size());
  const auto distance = [&](const Point& point) {
    const sim::Setting& have = point.setting;
    return std::make_tuple(octaves(have.intra_op, wanted.intra_op),
                           octaves(inter_op_of(have), inter_op_of(wanted)),
                           octaves(have.instances, wanted.instances), have.mode != wanted.mode,
                           have.spin != wanted.spin, have.runtime != wanted.runtime);
  };
  const auto found = std::min_element(points.begin(), points.end(), [&](const Point& a, const Point& b) {
    return distance(a) < distance(b);
  });
  const auto far = distance(*found);
  return {static_cast<std::size_t>(found - points.begin()),
          std::get<0>(far) == 0.0 && std::get<1>(far) == 0.0 && std::get<2>(far) == 0.0};
}

std::vector<Rule> rules_for(std::span<const Point> points, const ModelGraph& model, const sim::Target& target,
                            const sim::Runtime& runtime, sim::Objective objective) {
  std::vector<Rule> rules;
  for (sim::Baseline& one : sim::baseline_rules(model.graph, model.metrics, target, runtime, objective))
    rules.push_back({std::move(one.name), std::move(one.title), std::move(one.setting)});
  sim::Setting setting;
  setting.runtime = runtime.name;
  setting.batch = model.graph.batch;
  const auto add = [&](const char* name, const char* title, int threads) {
    setting.intra_op = std::max(1, threads);
    rules.push_back({name, title, setting});
  };
  int most = 1;
  for (const Point& point : points) most = std::max(most, point.setting.intra_op);
  add("most_threads_measured", "most threads measured", most);
  add("socket_cores", "one socket's cores", target.machine.cores_per_socket());
  add("socket_cores_minus_2", "one socket's cores minus 2", target.machine.cores_per_socket() - 2);
  add("physical_cores_minus_2", "physical cores minus 2", target.physical_cores() - 2);
  return rules;
}

Decision decide(std::span<const Point> points, const std::vector<Rule>& rules, sim::Objective objective) {
  CORECAST_CHECK(!points.empty(), "points={}", points.size());
  Decision decision;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (merit_measured(points[i], objective) > merit_measured(points[decision.best], objective))
      decision.best = i;
    const Point& best = points[decision.pick.point];
    const double forecast = merit_forecast(points[i], objective), so_far = merit_forecast(best, objective);
    if (forecast > so_far ||
        (forecast == so_far && threads_asked(points[i].setting) < threads_asked(best.setting)))
      decision.pick.point = i;
  }
  const double most = merit_measured(points[decision.best], objective);
  const auto regret = [&](std::size_t point) {
    return most / merit_measured(points[point], objective) - 1.0;
  };
  decision.pick.asked = points[decision.pick.point].setting;
  decision.pick.regret = regret(decision.pick.point);
  for (const Rule& rule : rules) {
    const Nearest near = nearest_point(points, rule.setting);
    decision.rules.push_back(
        {rule.name, rule.title, rule.setting, near.point, near.exact, regret(near.point)});
  }
  return decision;
}

}  // namespace corecast::evidence
