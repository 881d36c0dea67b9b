#include "calibration/evidence/anchoring.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/error.hpp"

namespace corecast::evidence {
namespace {

bool fits(const Point& point, const Anchor& anchor) {
  const sim::Setting& setting = point.setting;
  return anchor.intra_op.value_or(setting.intra_op) == setting.intra_op &&
         anchor.inter_op.value_or(setting.inter_op) == setting.inter_op &&
         anchor.instances.value_or(setting.instances) == setting.instances;
}

GroupKey without_batch(GroupKey key) {
  key.batch = 0;
  return key;
}

}  // namespace

std::vector<Group> anchor_groups(std::vector<Group>& groups, const Anchor& anchor) {
  // By the group's key; without its batch where one batch anchors the others.
  std::map<GroupKey, double> scales;
  const auto family = [&](const Group& group) { return anchor.batch ? without_batch(group.key) : group.key; };
  for (Group& group : groups) {
    if (anchor.batch && group.key.batch != *anchor.batch) continue;
    const auto point = std::find_if(group.points.begin(), group.points.end(),
                                    [&](const Point& one) { return fits(one, anchor); });
    if (point == group.points.end()) continue;
    point->anchor = true;
    scales[family(group)] = point->measured_ms / point->forecast_ms;
  }
  std::vector<Group> anchored, rest;
  for (Group& group : groups) {
    const auto scale = scales.find(family(group));
    if (scale == scales.end()) {
      rest.push_back(std::move(group));
      continue;
    }
    group.scale = scale->second;
    for (Point& point : group.points) {
      point.forecast_ms = point.anchor ? point.measured_ms : point.forecast_ms * scale->second;
      point.forecast_per_s = static_cast<double>(point.setting.instances) *
                             static_cast<double>(point.setting.batch) * 1e3 / point.forecast_ms;
    }
    anchored.push_back(std::move(group));
  }
  groups = std::move(anchored);
  return rest;
}

std::string text_of(const Anchor& anchor) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::optional<long long>& value) {
    if (value) parts.push_back(fmt::format("{}={}", name, *value));
  };
  add("intra_op", anchor.intra_op);
  add("inter_op", anchor.inter_op);
  add("instances", anchor.instances);
  add("batch", anchor.batch);
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace corecast::evidence
