#include "calibration/adaptor/plan.hpp"

#include <nlohmann/json.hpp>

namespace corecast::adaptor {
namespace {

using Tree = nlohmann::ordered_json;

Tree tree_of(const PlanSetting& setting) {
  Tree tree{
      {"mode", setting.mode},         {"instances", setting.instances},      {"inter_op", setting.inter_op},
      {"intra_op", setting.intra_op}, {"spin", setting.spin ? "on" : "off"}, {"batch", setting.batch}};
  if (!setting.allocator.empty()) tree["allocator"] = setting.allocator;
  if (setting.cpu_quota) tree["cpu_quota"] = *setting.cpu_quota;
  if (!setting.cpus.empty()) tree["cpus"] = setting.cpus;
  return tree;
}

Tree tree_of(const Method& method) {
  Tree tree{{"warmup", method.warmup},
            {"repetitions", method.repetitions},
            {"min_time_seconds", method.min_time_s},
            {"budget_seconds", method.budget_s}};
  tree["stable"] = method.stable > 0.0 ? Tree(method.stable) : Tree(false);
  tree["processes"] = method.processes;
  tree["timeout_seconds"] = method.timeout_s;
  tree["seed"] = method.seed;
  return tree;
}

}  // namespace

std::string to_json_text(const Plan& plan) {
  Tree tree{{"schema", "corecast.measure_plan/1"},
            {"model", {{"name", plan.model_name}, {"file", plan.model_file.string()}}},
            {"framework", plan.framework}};
  tree["settings"] = Tree::array();
  for (const PlanSetting& setting : plan.settings) tree["settings"].push_back(tree_of(setting));
  tree["method"] = tree_of(plan.method);
  tree["shapes"] = plan.shapes;
  tree["values"] = plan.values;
  return tree.dump(1, ' ', false, Tree::error_handler_t::replace) + "\n";
}

Duration estimated_duration(const Plan& plan, double start_s) {
  constexpr double kQuotaPeriods_s = 3.0;  // under a quota samples span 30 periods of 100 ms at least
  const Method& method = plan.method;
  const double warm = method.warmup > 0 ? method.min_time_s : 0.0;
  Duration duration;
  for (const PlanSetting& setting : plan.settings) {
    const double least = setting.cpu_quota ? kQuotaPeriods_s : 0.0;
    const double shortest = std::max(method.min_time_s, least);
    const double longest = std::max(method.budget_s, least);
    duration.least_s += method.processes * (start_s + warm + shortest);
    duration.most_s += method.processes * (start_s + warm + std::max(shortest, longest));
  }
  return duration;
}

}  // namespace corecast::adaptor
