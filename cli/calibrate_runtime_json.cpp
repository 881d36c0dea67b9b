#include <nlohmann/json.hpp>

#include "cli/calibrate_runtime_report.hpp"

namespace corecast::cli {
namespace {

// Of nothing there are no figures.
Tree tree_of(const runtime_fit::ErrorSummary& error) {
  if (error.samples == 0)
    return {{"samples", 0}, {"median", nullptr}, {"p90", nullptr}, {"worst", nullptr}, {"bias", nullptr}};
  return {{"samples", error.samples},
          {"median", number(error.median)},
          {"p90", number(error.p90)},
          {"worst", number(error.worst)},
          {"bias", number(error.bias)}};
}

Tree tree_of(const runtime_fit::FittedNumber& fitted) {
  Tree tree{{"path", fitted.path},
            {"value", number(fitted.value)},
            {"relative_error", number(fitted.relative_error)},
            {"prior", number(fitted.prior)},
            {"status", runtime_fit::name_of(fitted.status)},
            {"models", fitted.cases}};
  if (!fitted.why.empty()) tree["why"] = fitted.why;
  return tree;
}

Tree tree_of(const runtime_fit::HoldOut& held) {
  Tree entries = Tree::array();
  for (const runtime_fit::HoldOutEntry& entry : held.entries) {
    entries.push_back({{"entry", entry.entry},
                       {"models", entry.cases},
                       {"before", tree_of(entry.before)},
                       {"after", tree_of(entry.after)}});
  }
  return {{"before", tree_of(held.before)}, {"after", tree_of(held.after)}, {"entries", std::move(entries)}};
}

}  // namespace

Tree tree_of(const CalibrateRuntimeReport& calibration) {
  const runtime_fit::Runs& runs = calibration.runs;
  Tree tree = report("runtime_calibration");
  tree["runtime"] = runs.runtime;
  tree["framework_version"] = runs.framework_version;
  if (!runs.libraries.empty()) tree["libraries"] = runs.libraries;
  tree["date"] = runs.date;
  tree["machine"] = runs.machine.description;
  tree["runs"] = runs.runs.size();
  tree["rounds"] = runs.rounds;
  if (calibration.fit) {
    Tree numbers = Tree::array(), entries = Tree::array(), cases = Tree::array();
    for (const runtime_fit::FittedNumber& fitted : calibration.fit->numbers)
      numbers.push_back(tree_of(fitted));
    for (const runtime_fit::EntryResult& entry : calibration.fit->entries) {
      entries.push_back({{"entry", entry.entry},
                         {"models", entry.cases},
                         {"error", tree_of(entry.error)},
                         {"rms_log_error", number(entry.rms)}});
    }
    for (const runtime_fit::CaseResult& one : calibration.fit->cases) {
      cases.push_back({{"model", one.name},
                       {"entry", one.entry},
                       {"threads", one.threads},
                       {"measured_s", number(one.measured)},
                       {"forecast_s", number(one.forecast)},
                       {"spread", number(one.spread)}});
    }
    tree["numbers"] = std::move(numbers);
    tree["entries"] = std::move(entries);
    tree["hold_out"] = tree_of(*calibration.hold_out);
    tree["models"] = std::move(cases);
  }
  tree["warnings"] = calibration.warnings;
  if (calibration.runtime_file) tree["runtime_file"] = calibration.runtime_file->string();
  if (calibration.measurement_file) tree["measurement_file"] = calibration.measurement_file->string();
  return tree;
}

}  // namespace corecast::cli
