#include <nlohmann/json.hpp>

#include "cli/json_views.hpp"
#include "cli/whatif_report.hpp"

namespace corecast::cli {
namespace {

Tree tree_of(const std::vector<hwmodels::Change>& changes) {
  Tree tree = Tree::array();
  for (const hwmodels::Change& change : changes)
    tree.push_back({{"path", change.path}, {"value", change.value}});
  return tree;
}

Tree tree_of(const WhatIfPoint& point) {
  Tree tree = {{"changes", tree_of(point.changes)},
               {"best", tree_of_candidate(point.best)},
               {"speedup", number(point.speedup)}};
  if (point.kept) {
    tree["old_setting_kept"] = {{"forecast", cli::tree_of(point.kept->forecast)},
                                {"speedup", number(point.kept->speedup)}};
  }
  return tree;
}

}  // namespace

std::string json_of(const WhatIfReport& r) {
  Tree tree = report("whatif");
  tree["model"] = cli::tree_of(r.model);
  tree["machine"] = cli::tree_of(r.machine);
  tree["runtime"] = cli::tree_of(r.runtime);
  tree["objective"] = sim::name_of(r.objective);
  tree["base"] = {{"best", tree_of_candidate(r.base)}};
  tree["points"] = Tree::array();
  for (const WhatIfPoint& point : r.points) tree["points"].push_back(tree_of(point));
  tree["elasticities"] = Tree::array();  // none are asked for yet
  if (r.seconds) tree["seconds"] = number(*r.seconds);
  tree["warnings"] = cli::tree_of(r.warnings);
  return text_of(tree);
}

}  // namespace corecast::cli
