#include "calibration/evidence/evidence.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "calibration/evidence/anchoring.hpp"
#include "calibration/evidence/figures.hpp"
#include "calibration/evidence/grouping.hpp"
#include "calibration/evidence/rules.hpp"

namespace corecast::evidence {
namespace {

void decide(Group& group, Forecaster& forecaster) {
  if (group.points.size() < kLeastSettings) return;
  const ModelGraph& model = *std::get<const ModelGraph*>(forecaster.graph(group.form));
  const auto quota = group.key.quota_cpus > 0.0 ? std::optional<double>(group.key.quota_cpus) : std::nullopt;
  const sim::Target target = forecaster.target(group.key.machine, quota);
  const sim::Runtime& runtime = forecaster.runtime(group.key.machine, group.runtime);
  const auto decision = [&](sim::Objective objective) {
    return decide(group.points, rules_for(group.points, model, target, runtime, objective), objective);
  };
  group.latency = decision(sim::Objective::latency);
  const auto instances = [](const Point& a, const Point& b) {
    return a.setting.instances < b.setting.instances;
  };
  const auto [least, most] = std::minmax_element(group.points.begin(), group.points.end(), instances);
  if (least->setting.instances < most->setting.instances)
    group.throughput = decision(sim::Objective::throughput);
}

template <typename Wanted>
std::vector<const Group*> those(const std::vector<Group>& groups, Wanted wanted) {
  std::vector<const Group*> out;
  for (const Group& group : groups) {
    if (wanted(group)) out.push_back(&group);
  }
  return out;
}

void summarize(Evidence& evidence) {
  const std::vector<Group>& groups = evidence.groups;
  evidence.overall = summary_of(those(groups, [](const Group&) { return true; }));
  const auto single = those(groups, [](const Group& group) { return group.key.batch == 1; });
  if (!single.empty()) evidence.batch_1 = summary_of(single);
  std::map<std::string, std::vector<const Group*>> by_machine, by_model;
  for (const Group& group : groups) {
    by_machine[group.key.machine].push_back(&group);
    by_model[group.key.model].push_back(&group);
  }
  for (const auto& [name, its] : by_machine) evidence.by_machine[name] = summary_of(its);
  for (const auto& [name, its] : by_model) evidence.by_model[name] = summary_of(its);
  evidence.between_sources = between_sources(groups);
}

std::vector<Skipped> sorted(const ReasonCounts& counts) {
  std::vector<Skipped> out;
  for (const auto& [reason, count] : counts) out.push_back({reason, count});
  std::stable_sort(out.begin(), out.end(),
                   [](const Skipped& a, const Skipped& b) { return a.count > b.count; });
  return out;
}

}  // namespace

Evidence examine(const Request& request) {
  Evidence evidence;
  for (const MeasuredTable& table : request.tables)
    evidence.rows += static_cast<std::int64_t>(table.rows.size());
  ReasonCounts skipped;
  Forecaster forecaster(request.machines, request.runtimes);
  evidence.groups = groups_of(request, forecaster, skipped);
  if (request.anchor) {
    for (const Group& group : anchor_groups(evidence.groups, *request.anchor)) {
      evidence.not_anchored.push_back(group.key);
      skipped[fmt::format("its group has no row to anchor it ({})", text_of(*request.anchor))] += group.rows;
    }
  }
  for (Group& group : evidence.groups) {
    fill_figures(group);
    decide(group, forecaster);
    evidence.rows_used += group.rows;
  }
  summarize(evidence);
  evidence.skipped = sorted(skipped);
  evidence.simulated = forecaster.simulated();
  return evidence;
}

}  // namespace corecast::evidence
