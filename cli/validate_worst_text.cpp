// What to look at first: groups, picks and settings that are furthest off.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "cli/table.hpp"
#include "cli/validate_words.hpp"
#include "cli/words.hpp"

namespace corecast::cli {
namespace {

using evidence::Decision;
using evidence::Group;
using evidence::GroupKey;
using evidence::Point;

// "resnet50", "batch 8": the values that differ between groups, so that a table tells them apart in little room.
std::vector<std::string> parts_of(const GroupKey& key) {
  std::vector<std::string> parts{key.model, fmt::format("batch {}", key.batch)};
  const auto add = [&](const std::string& text) {
    if (!text.empty()) parts.push_back(text);
  };
  if (key.sequence > 0) add(fmt::format("length {}", key.sequence));
  add(key.mode);
  if (!key.smt.empty()) add("SMT " + key.smt);
  add(key.placement);
  if (!key.memory.empty()) add("memory " + key.memory);
  if (!key.allocator.empty()) add(key.allocator + " allocator");
  if (!key.pinning.empty()) add("pinning " + key.pinning);
  if (key.quota_cpus > 0.0) add(fmt::format("quota {:g} CPUs", key.quota_cpus));
  add(key.more);
  add(key.framework);
  add(key.machine);
  add(key.source);
  return parts;
}

std::string milliseconds(double ms) {
  return fmt::format("{:.3g}", ms);
}

std::string groups_text(const ValidateReport& report, int width) {
  std::vector<const Group*> order;
  for (const Group& group : report.evidence.groups) {
    if (group.errors) order.push_back(&group);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Group* a, const Group* b) { return a->errors->median > b->errors->median; });
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::min(order.size(), static_cast<std::size_t>(report.top)); ++i) {
    const Group& group = *order[i];
    rows.push_back(
        {{group.key.model, fmt::format("{}", group.key.batch), fmt::format("{}", group.points.size()),
          percent_text(group.errors->median), percent_text(group.errors->p90),
          percent_text(group.errors->max), signed_percent(group.errors->bias - 1.0),
          group.spearman ? fmt::format("{:.2f}", *group.spearman) : "",
          group.noise.from == "none" ? "" : percent_text(group.noise.floor),
          group.latency ? regret_text(group.latency->pick.regret) : ""},
         group_text(group.key)});
  }
  return fmt::format("\nGroups, largest median error first: {} of {}\n", rows.size(), order.size()) +
         table({{"model", Align::left, true},
                {"batch", Align::right},
                {"n", Align::right},
                {"median", Align::right},
                {"p90", Align::right},
                {"worst", Align::right},
                {"bias", Align::right},
                {"rank", Align::right},
                {"noise", Align::right},
                {"regret", Align::right}},
               rows, width);
}

std::string picks_text(const ValidateReport& report, std::optional<Decision> Group::*which, const char* title,
                       int width) {
  std::vector<const Group*> order;
  for (const Group& group : report.evidence.groups) {
    if (group.*which && (group.*which)->pick.regret > 0.0) order.push_back(&group);
  }
  if (order.empty()) return "";
  std::stable_sort(order.begin(), order.end(), [&](const Group* a, const Group* b) {
    return (a->*which)->pick.regret > (b->*which)->pick.regret;
  });
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::min(order.size(), static_cast<std::size_t>(report.top)); ++i) {
    const Group& group = *order[i];
    const Decision& decision = *(group.*which);
    const Point& pick = group.points[decision.pick.point];
    const Point& best = group.points[decision.best];
    rows.push_back(
        {{regret_text(decision.pick.regret), setting_text(pick.setting), milliseconds(pick.measured_ms),
          setting_text(best.setting), milliseconds(best.measured_ms)},
         group_text(group.key)});
  }
  return fmt::format("\n{}: {} of {} with a regret\n", title, rows.size(), order.size()) +
         table({{"regret", Align::right},
                {"pick", Align::left, true},
                {"ms", Align::right},
                {"best measured", Align::left, true},
                {"ms", Align::right}},
               rows, width);
}

std::string worst_rows_text(const ValidateReport& report, int width) {
  std::vector<std::pair<const Group*, const Point*>> order;
  for (const Group& group : report.evidence.groups) {
    for (const Point& point : group.points) {
      if (!point.anchor) order.emplace_back(&group, &point);
    }
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second->error()) > std::abs(b.second->error());
  });
  if (order.size() > static_cast<std::size_t>(report.top)) order.resize(static_cast<std::size_t>(report.top));
  std::vector<Row> rows;
  for (const auto& one : order) {
    const Point& point = *one.second;
    rows.push_back({{signed_percent(point.error()), milliseconds(point.measured_ms),
                     milliseconds(point.forecast_ms), setting_text(point.setting)},
                    group_text(one.first->key)});
  }
  if (rows.empty()) return "";
  return "\nSettings with the largest errors\n" + table({{"error", Align::right},
                                                         {"measured ms", Align::right},
                                                         {"forecast ms", Align::right},
                                                         {"setting", Align::left, true}},
                                                        rows, width);
}

}  // namespace

std::string regret_text(double regret) {
  return regret < 0.995 ? percent_text(regret) : fmt::format("{:.3g} x", 1.0 + regret);
}

std::string signed_percent(double error) {
  return (error < 0.0 ? "-" : "+") + percent_text(std::abs(error));
}

std::string group_text(const GroupKey& key) {
  return fmt::format("{}", fmt::join(parts_of(key), ", "));
}

std::string worst_text(const ValidateReport& report, int width) {
  std::string text = groups_text(report, width);
  text += picks_text(report, &Group::latency, "Picks for latency, largest regret first", width);
  text += picks_text(report, &Group::throughput, "Picks for throughput, largest regret first", width);
  return text + worst_rows_text(report, width);
}

}  // namespace corecast::cli
