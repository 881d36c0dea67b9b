#include "calibration/evidence/figures.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.hpp"
#include "calibration/evidence/ranks.hpp"
#include "calibration/measurements.hpp"
#include "calibration/statistics.hpp"

namespace corecast::evidence {
namespace {

struct Errors {
  std::vector<double> absolute;
  double log_sum = 0.0;
  void add(const Point& point) {
    absolute.push_back(std::abs(point.error()));
    log_sum += std::log(point.forecast_ms / point.measured_ms);
  }
  [[nodiscard]] double bias() const {
    return absolute.empty() ? 1.0 : std::exp(log_sum / static_cast<double>(absolute.size()));
  }
};

std::optional<DecisionSummary> decisions_of(const std::vector<const Group*>& groups,
                                            std::optional<Decision> Group::*which) {
  std::vector<double> regrets;
  struct OfRule {
    RuleSummary summary;
    std::vector<double> regrets;
  };
  std::vector<OfRule> rules;
  for (const Group* group : groups) {
    const std::optional<Decision>& decision = group->*which;
    if (!decision) continue;
    regrets.push_back(decision->pick.regret);
    for (const Choice& choice : decision->rules) {
      auto rule = std::find_if(rules.begin(), rules.end(),
                               [&](const OfRule& one) { return one.summary.name == choice.name; });
      if (rule == rules.end())
        rule = rules.insert(rule, OfRule{RuleSummary{choice.name, choice.title, {}, 0}, {}});
      rule->regrets.push_back(choice.regret);
      rule->summary.nearest += choice.exact ? 0 : 1;
    }
  }
  const auto own = quantiles_of(regrets);
  if (!own) return std::nullopt;
  DecisionSummary summary{*own, {}};
  for (OfRule& rule : rules) {
    rule.summary.regret = quantiles_of(std::move(rule.regrets)).value();
    summary.rules.push_back(std::move(rule.summary));
  }
  return summary;
}

}  // namespace

std::optional<Quantiles> quantiles_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  double sum = 0.0;
  for (const double value : values) sum += value;
  using calibration::quantile;
  return Quantiles{values.size(),          sum / static_cast<double>(values.size()),
                   quantile(values, 0.5),  quantile(values, 0.9),
                   quantile(values, 0.95), values.back()};
}

Noise noise_of(const std::vector<Point>& points) {
  const std::pair<const char*, std::optional<double> Point::*> kinds[] = {
      {"repeats", &Point::repeats}, {"spread", &Point::spread}, {"range", &Point::range}};
  for (const auto& kind : kinds) {
    std::vector<double> values;
    for (const Point& point : points) {
      if (const auto& value = point.*kind.second) values.push_back(*value);
    }
    if (!values.empty()) return {calibration::median(values), kind.first};
  }
  return {0.0, "none"};
}

void fill_figures(Group& group) {
  group.noise = noise_of(group.points);
  Errors errors;
  std::vector<double> measured, forecast;
  for (const Point& point : group.points) {
    measured.push_back(point.measured_ms);
    forecast.push_back(point.forecast_ms);
    if (!point.anchor) errors.add(point);
  }
  if (const auto found = quantiles_of(errors.absolute))
    group.errors = Group::Errors{found->median, found->p90, found->max, errors.bias(), found->count};
  if (group.points.size() < kLeastSettings) return;
  group.spearman = spearman(measured, forecast);
  group.kendall = kendall_tau_b(measured, forecast);
  const PairOrder order = pair_order(measured, forecast, 2.0 * group.noise.floor);
  group.pairs = order.compared;
  group.pairs_right = order.share();
}

Summary summary_of(const std::vector<const Group*>& groups) {
  Summary summary;
  Errors errors;
  std::size_t inside = 0;
  for (const Group* group : groups) {
    ++summary.groups;
    summary.points += group->points.size();
    summary.rows += static_cast<std::size_t>(group->rows);
    for (const Point& point : group->points) {
      if (!point.anchor) errors.add(point);
      const double seconds = point.measured_ms / 1e3;
      inside += seconds >= point.forecast.low.value() && seconds <= point.forecast.high.value();
    }
  }
  summary.bias = errors.bias();
  summary.errors = quantiles_of(std::move(errors.absolute));
  if (summary.points > 0)
    summary.within_interval = static_cast<double>(inside) / static_cast<double>(summary.points);
  summary.latency = decisions_of(groups, &Group::latency);
  summary.throughput = decisions_of(groups, &Group::throughput);
  return summary;
}

std::vector<BetweenSources> between_sources(const std::vector<Group>& groups) {
  // Machine; then all else that makes two runs the same one, in any source; then source.
  std::map<std::string, std::map<std::string, std::map<std::string, std::vector<double>>>> times;
  for (const Group& group : groups) {
    const GroupKey& key = group.key;
    for (const Point& point : group.points) {
      const sim::Setting& s = point.setting;
      const std::string same =
          fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", key.framework, key.model, key.mode,
                      key.batch, key.sequence, key.quota_cpus, s.runtime, name_of(s.mode), s.instances,
                      s.inter_op, s.intra_op, s.smt, name_of(s.placement), s.spin, name_of(s.memory),
                      std::string(name_of(s.allocator)) + std::string(name_of(s.pinning)));
      times[key.machine][same][key.source].push_back(point.measured_ms);
    }
  }
  std::vector<BetweenSources> out;
  for (const auto& machine : times) {
    std::vector<double> differences;
    for (const auto& setting : machine.second) {
      if (setting.second.size() < 2) continue;
      std::vector<double> middles;
      for (const auto& source : setting.second) middles.push_back(calibration::median(source.second));
      const auto [least, most] = std::minmax_element(middles.begin(), middles.end());
      differences.push_back(*most / *least - 1.0);
    }
    if (const auto found = quantiles_of(differences)) out.push_back({machine.first, *found});
  }
  return out;
}

}  // namespace corecast::evidence
