#include <nlohmann/json.hpp>

#include "cli/json_views.hpp"
#include "cli/simulate_report.hpp"

namespace corecast::cli {
namespace {

// Dates are whole picoseconds: all their digits, so that they can be compared.
double microseconds(sim::Picoseconds t) {
  return static_cast<double>(t) * 1e-6;
}

}  // namespace

std::string json_of(const SimulateReport& r) {
  Tree tree = report("simulate");
  tree["model"] = tree_of(r.model);
  tree["machine"] = tree_of(r.machine);
  tree["runtime"] = tree_of(r.runtime);
  tree["setting"] = tree_of(r.setting);
  tree["effective_setting"] = tree_of(r.effective);
  if (r.profile) tree["profile"] = profile_tree(*r.profile);
  tree["forecast"] = tree_of(r.evaluation.forecast);
  tree["operators"] = Tree::array();
  for (const sim::Run& run : r.evaluation.timeline.runs) {
    const graphs::Operator& op = r.prepared.op(run.op);
    tree["operators"].push_back({{"name", op.name},
                                 {"class", name_of(op.kernel)},
                                 {"start_us", microseconds(run.start)},
                                 {"end_us", microseconds(run.end)},
                                 {"bound_by", run.limited_by},
                                 {"workers", run.threads}});
  }
  const sim::Candidate candidate{r.effective, r.evaluation.forecast, 0.0, ""};
  tree["confidence"] = tree_of(confidence_of(r.machine.target.machine, r.runtime, {candidate}));
  tree["advice"] = Tree::array();
  for (const sim::Advice& advice : r.advice) tree["advice"].push_back(tree_of(advice));
  for (Tree& message : tree_of(r.more)) tree["advice"].push_back(std::move(message));
  tree["warnings"] = tree_of(r.warnings);
  return text_of(tree);
}

}  // namespace corecast::cli
