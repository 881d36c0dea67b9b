#include <nlohmann/json.hpp>

#include "cli/json_views.hpp"
#include "cli/validate_report.hpp"

namespace corecast::cli {
namespace {

using evidence::Choice;
using evidence::Decision;
using evidence::Group;
using evidence::GroupKey;
using evidence::Point;
using evidence::Quantiles;
using evidence::Summary;

// Only what the rows state.
void add_key(Tree& tree, const GroupKey& key) {
  tree["machine"] = key.machine;
  tree["framework"] = key.framework;
  tree["model"] = key.model;
  tree["mode"] = key.mode;
  tree["batch"] = key.batch;
  tree["source"] = key.source;
  if (key.sequence > 0) tree["seq_len"] = key.sequence;
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) tree[name] = text;
  };
  add("smt", key.smt);
  add("placement", key.placement);
  add("memory", key.memory);
  add("allocator", key.allocator);
  add("pinning", key.pinning);
  if (key.quota_cpus > 0.0) tree["cpu_quota"] = number(key.quota_cpus);
  add("split", key.more);
}

void add_quantiles(Tree& tree, const std::string& name, const Quantiles& values, bool mean) {
  if (mean) tree[name + "_mean"] = number(values.mean);
  tree[name + "_median"] = number(values.median);
  tree[name + "_p90"] = number(values.p90);
  tree[name + "_p95"] = number(values.p95);
  tree[name + "_max"] = number(values.max);
}

Tree rules_of(const evidence::DecisionSummary& decisions) {
  Tree tree = Tree::object();
  for (const evidence::RuleSummary& rule : decisions.rules) {
    Tree item = Tree::object();
    add_quantiles(item, "regret", rule.regret, true);
    item["groups"] = rule.regret.count;
    item["nearest_measured"] = rule.nearest;
    tree[rule.name] = std::move(item);
  }
  return tree;
}

Tree tree_of(const Summary& summary, bool anchored) {
  Tree tree{{"groups", summary.groups}, {"settings", summary.points}, {"rows", summary.rows}};
  if (summary.errors) {
    add_quantiles(tree, "error", *summary.errors, false);
    tree["bias"] = number(summary.bias);
    if (!anchored) tree["within_interval"] = number(summary.within_interval);
  }
  if (summary.latency) {
    tree["regret_groups"] = summary.latency->regret.count;
    add_quantiles(tree, "regret", summary.latency->regret, true);
    tree["baselines"] = rules_of(*summary.latency);
  }
  if (summary.throughput) {
    Tree& throughput = tree["throughput"];
    throughput["regret_groups"] = summary.throughput->regret.count;
    add_quantiles(throughput, "regret", summary.throughput->regret, true);
    throughput["baselines"] = rules_of(*summary.throughput);
  }
  return tree;
}

// The counts that tell settings of a group apart.
Tree counts_of(const sim::Setting& setting) {
  return {{"runtime", setting.runtime},   {"mode", name_of(setting.mode)}, {"instances", setting.instances},
          {"inter_op", setting.inter_op}, {"intra_op", setting.intra_op},  {"spin", setting.spin}};
}

Tree tree_of(const Point& point) {
  Tree tree{{"setting", counts_of(point.setting)},
            {"measured_ms", number(point.measured_ms)},
            {"forecast_ms", number(point.forecast_ms)},
            {"error", number(point.error())}};
  if (point.rows > 1) tree["rows"] = point.rows;
  if (point.anchor) tree["anchor"] = true;
  return tree;
}

void add_decision(Tree& tree, const Group& group, const Decision& decision) {
  tree["regret"] = number(decision.pick.regret);
  tree["pick"] = tree_of(group.points[decision.pick.point]);
  tree["best"] = tree_of(group.points[decision.best]);
  Tree& rules = tree["baselines"];
  for (const Choice& choice : decision.rules) {
    Tree item{{"regret", number(choice.regret)}};
    item["asked"] = {{"instances", choice.asked.instances},
                     {"inter_op", choice.asked.inter_op},
                     {"intra_op", choice.asked.intra_op}};
    if (!choice.exact) item["nearest_measured"] = counts_of(group.points[choice.point].setting);
    rules[choice.name] = std::move(item);
  }
}

Tree tree_of(const Group& group, bool all_rows) {
  Tree tree;
  add_key(tree, group.key);
  tree["built_from"] = std::filesystem::path(group.form.model).filename().string();
  tree["runtime"] = group.runtime;
  tree["rows"] = group.rows;
  tree["settings"] = group.points.size();
  if (group.errors) {
    tree["error_median"] = number(group.errors->median);
    tree["error_p90"] = number(group.errors->p90);
    tree["error_max"] = number(group.errors->max);
    tree["bias"] = number(group.errors->bias);
  }
  if (group.scale) tree["anchor_scale"] = number(*group.scale);
  if (group.spearman) tree["rank_correlation"] = number(*group.spearman);
  if (group.kendall) tree["kendall_tau_b"] = number(*group.kendall);
  if (group.pairs_right) {
    tree["pairs_compared"] = group.pairs;
    tree["pairs_ordered_rightly"] = number(*group.pairs_right);
  }
  tree["noise"] = {{"floor", number(group.noise.floor)}, {"from", group.noise.from}};
  if (group.latency) add_decision(tree, group, *group.latency);
  if (group.throughput) add_decision(tree["throughput"], group, *group.throughput);
  if (all_rows) {
    tree["points"] = Tree::array();
    for (const Point& point : group.points) tree["points"].push_back(tree_of(point));
  }
  return tree;
}

}  // namespace

std::string json_of(const ValidateReport& report) {
  const evidence::Evidence& found = report.evidence;
  const bool anchored = !report.anchor.empty();
  Tree tree = cli::report("validate");
  tree["files"] = Tree::array();
  for (const MeasuredFile& file : report.files) {
    Tree item{{"name", file.name}, {"rows", file.rows}};
    if (!file.context.empty()) item["context"] = file.context;
    if (!file.ignored_columns.empty()) item["ignored_columns"] = file.ignored_columns;
    tree["files"].push_back(std::move(item));
  }
  if (!report.profiles.empty()) tree["profiles"] = report.profiles;
  tree["machines"] = Tree::object();
  for (const auto& [name, machine] : report.machines) tree["machines"][name] = tree_of(machine);
  tree["rows"] = found.rows;
  tree["rows_used"] = found.rows_used;
  tree["rows_skipped"] = Tree::array();
  for (const evidence::Skipped& one : found.skipped)
    tree["rows_skipped"].push_back({{"reason", one.reason}, {"count", one.count}});
  tree["anchored"] = anchored;
  if (anchored) {
    tree["anchor"] = report.anchor;
    tree["groups_not_anchored"] = Tree::array();
    for (const GroupKey& key : found.not_anchored) {
      Tree item;
      add_key(item, key);
      tree["groups_not_anchored"].push_back(std::move(item));
    }
  }
  tree["overall"] = tree_of(found.overall, anchored);
  if (found.batch_1) tree["batch_1"] = tree_of(*found.batch_1, anchored);
  for (const auto& [name, summary] : found.by_machine) tree["by_machine"][name] = tree_of(summary, anchored);
  for (const auto& [name, summary] : found.by_model) tree["by_model"][name] = tree_of(summary, anchored);
  tree["between_sources"] = Tree::array();
  for (const evidence::BetweenSources& one : found.between_sources) {
    tree["between_sources"].push_back({{"machine", one.machine},
                                       {"settings", one.difference.count},
                                       {"difference_median", number(one.difference.median)},
                                       {"difference_p90", number(one.difference.p90)},
                                       {"difference_max", number(one.difference.max)}});
  }
  tree["groups"] = Tree::array();
  for (const Group& group : found.groups) tree["groups"].push_back(tree_of(group, report.rows));
  tree["warnings"] = tree_of(report.warnings);
  return text_of(tree);
}

}  // namespace corecast::cli
