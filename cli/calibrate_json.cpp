#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/calibrate_report.hpp"

namespace corecast::cli {
namespace {

using calibration::Calibration;

constexpr std::size_t kWorstRows = 10;

Tree tree_of_parameters(const Calibration& fit) {
  Tree list = Tree::array();
  for (const calibration::Parameter& parameter : fit.parameters) {
    Tree item = {{"path", parameter.path},
                 {"value", number(parameter.value)},
                 {"unit", parameter.unit},
                 {"std_error", number(parameter.value * parameter.relative_error)},
                 {"relative_error", number(parameter.relative_error)},
                 {"prior", number(parameter.prior)},
                 {"status", calibration::name_of(parameter.status)},
                 {"rows", parameter.rows}};
    if (!parameter.why.empty()) item["why"] = parameter.why;
    list.push_back(std::move(item));
  }
  return list;
}

Tree tree_of_row(const calibration::Row& row, const calibration::Residual& residual) {
  Tree tree = {
      {"row", residual.row}, {"group", residual.group}, {"kernel", row.kernel}, {"threads", row.threads}};
  if (row.working_set > Bytes(0.0)) tree["working_set_bytes"] = number(row.working_set.value());
  tree["measured"] = number(residual.measured);
  tree["modelled"] = number(residual.modelled);
  tree["unit"] = calibration::name_of(row.unit);
  tree["relative"] = number(residual.relative);
  return tree;
}

Tree tree_of_groups(const std::vector<calibration::ResidualGroup>& list) {
  Tree groups = Tree::array();
  for (const calibration::ResidualGroup& group : list) {
    groups.push_back({{"name", group.name},
                      {"rows", group.rows},
                      {"median", number(group.median)},
                      {"p95", number(group.p95)},
                      {"worst", number(group.worst)}});
  }
  return groups;
}

// Half of the core counts, forecast by a fit to the other half.
Tree tree_of_hold_out(const calibration::HoldOut& hold_out, const calibration::Measurements& measurements) {
  Tree rows = Tree::array();
  for (const calibration::Residual& residual : hold_out.residuals) {
    rows.push_back(tree_of_row(measurements.rows[residual.row], residual));
  }
  return {{"groups", tree_of_groups(hold_out.groups)}, {"rows", rows}};
}

Tree tree_of_residuals(const CalibrateReport& report) {
  const Calibration& fit = *report.fit;
  Tree worst = Tree::array();
  for (const calibration::Residual& residual : worst_of(fit, kWorstRows)) {
    worst.push_back(tree_of_row(report.measurements.rows[residual.row], residual));
  }
  return {{"groups", tree_of_groups(fit.groups)}, {"worst", worst}};
}

}  // namespace

std::vector<calibration::Residual> worst_of(const Calibration& fit, std::size_t most) {
  std::vector<calibration::Residual> list = fit.residuals;
  std::stable_sort(list.begin(), list.end(),
                   [](const calibration::Residual& a, const calibration::Residual& b) {
                     return std::abs(a.relative) > std::abs(b.relative);
                   });
  list.resize(std::min(list.size(), most));
  return list;
}

Tree tree_of(const CalibrateReport& report) {
  Tree tree = cli::report("calibrate");
  const calibration::Context& context = report.measurements.context;
  tree["source"] = context.source;
  tree["date"] = context.date;
  tree["measurements"] = report.measurements.rows.size();
  if (report.seconds) tree["seconds"] = number(*report.seconds);
  if (report.measurement_file) tree["measurement_file"] = report.measurement_file->string();
  if (report.machine_file) tree["machine_file"] = report.machine_file->string();
  if (report.fit) {
    tree["measurements_used"] = report.fit->residuals.size();
    tree["converged"] = report.fit->converged;
    tree["parameters"] = tree_of_parameters(*report.fit);
    tree["correlations"] = Tree::array();
    for (const calibration::Correlation& correlation : report.fit->correlations) {
      tree["correlations"].push_back({{"first", correlation.first},
                                      {"second", correlation.second},
                                      {"value", number(correlation.value)}});
    }
    tree["residuals"] = tree_of_residuals(report);
    if (report.hold_out) tree["hold_out"] = tree_of_hold_out(*report.hold_out, report.measurements);
  }
  tree["not_measured"] = context.not_measured;
  tree["warnings"] = all_warnings(report);
  return tree;
}

std::vector<std::string> all_warnings(const CalibrateReport& report) {
  std::vector<std::string> list = report.measurements.context.warnings;
  if (report.fit) list.insert(list.end(), report.fit->warnings.begin(), report.fit->warnings.end());
  list.insert(list.end(), report.warnings.begin(), report.warnings.end());
  // The fit repeats what the measurements warn of.
  std::vector<std::string> distinct;
  for (std::string& line : list) {
    if (std::find(distinct.begin(), distinct.end(), line) == distinct.end())
      distinct.push_back(std::move(line));
  }
  return distinct;
}

}  // namespace corecast::cli
