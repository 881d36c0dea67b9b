#include <nlohmann/json.hpp>

#include "cli/json_views.hpp"
#include "cli/measure_report.hpp"

namespace corecast::cli {
namespace {

Tree setting_of(const MeasureRow& row) {
  Tree tree = tree_of(row.asked.setting);
  tree["runtime"] = row.run.runtime.empty() ? row.asked.setting.runtime : row.run.runtime;
  tree["mode"] = row.asked.mode;
  if (row.plan.cpus.empty()) tree["pinning"] = "none";
  tree["cpu_quota"] = row.asked.quota ? number(*row.asked.quota) : Tree();
  tree["cpus"] = row.plan.cpus.empty() ? Tree() : Tree(row.plan.cpus);
  return tree;
}

Tree result_of(const MeasureReport& report, const MeasureRow& row) {
  Tree tree{{"setting", setting_of(row)}, {"rounds", row.run.rounds}};
  if (row.measured()) {
    const adaptor::Latencies& latencies = *row.run.latencies;
    tree["latency_ms"] = number(latencies.mean);
    tree["latency_ms_median"] = number(latencies.median);
    tree["latency_min_ms"] = number(latencies.least);
    tree["latency_max_ms"] = number(latencies.most);
    tree["spread"] = latencies.spread ? number(*latencies.spread) : Tree();
    tree["throughput_per_s"] = number(throughput_of(row.run));
    tree["noisy"] = row.noisy();
    tree["best_latency"] = &row == report.best_latency();
    tree["best_throughput"] = &row == report.best_throughput();
    tree["other_cpus"] = row.run.other_cpus ? number(*row.run.other_cpus) : Tree();
  }
  if (!row.run.failure.empty()) tree["error"] = row.run.failure;
  return tree;
}

}  // namespace

std::string json_of(const MeasureReport& report) {
  Tree tree = cli::report("measure");
  Tree model{{"name", report.model.name}, {"batch", report.model.batch}, {"checksum", report.model.checksum}};
  if (report.model.sequence) model["sequence"] = *report.model.sequence;
  tree["model"] = std::move(model);
  tree["framework"] = report.framework;
  tree["machine"] = {{"name", report.machine},
                     {"granted_cpus", report.cpus},
                     {"cpu_quota", report.quota ? number(*report.quota) : Tree()}};
  tree["method"] = {{"warmup", report.method.warmup},
                    {"repetitions", report.method.repetitions},
                    {"min_time_seconds", number(report.method.min_time_s)},
                    {"budget_seconds", number(report.method.budget_s)},
                    {"stable", number(report.method.stable)},
                    {"processes", report.method.processes},
                    {"timeout_seconds", number(report.method.timeout_s)},
                    {"seed", report.method.seed}};
  tree["results"] = Tree::array();
  for (const MeasureRow& row : report.rows) tree["results"].push_back(result_of(report, row));
  tree["remaining"] = report.remaining();
  tree["warnings"] = report.warnings;
  tree["files"] = {{"csv", report.csv.string()}, {"runs", report.state.string()}};
  return text_of(tree);
}

}  // namespace corecast::cli
