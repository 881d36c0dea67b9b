#include <nlohmann/json.hpp>

#include "cli/json_views.hpp"
#include "cli/tune_report.hpp"

namespace corecast::cli {
namespace {

Tree tree_of(const sim::Baseline& baseline) {
  Tree tree = {{"name", baseline.name},
               {"title", baseline.title},
               {"source", baseline.source},
               {"setting", cli::tree_of(baseline.setting)},
               {"feasible", baseline.feasible}};
  if (baseline.feasible) {
    tree["forecast"] = cli::tree_of(baseline.forecast);
    tree["loss"] = number(baseline.loss);
  }
  if (!baseline.note.empty()) tree["note"] = baseline.note;
  return tree;
}

// For the user's setting first; where there is none, all of it is about the best and need not say so.
Tree advice_of(const TuneReport& r) {
  if (!r.current) return cli::tree_of(r.advice);
  Tree tree = Tree::array();
  const auto add = [&](Tree entry, const char* about) {
    entry["about"] = about;
    tree.push_back(std::move(entry));
  };
  for (const sim::Advice& advice : r.current->advice) add(cli::tree_of(advice), "current");
  for (const Tree& entry : cli::tree_of(r.advice)) add(entry, "best");
  return tree;
}

}  // namespace

std::string json_of(const TuneReport& r) {
  Tree tree = report("tune");
  tree["model"] = cli::tree_of(r.model);
  tree["machine"] = cli::tree_of(r.machine);
  tree["runtime"] = cli::tree_of(r.runtime);
  tree["objective"] = sim::name_of(r.objective);
  if (r.profile) tree["profile"] = profile_tree(*r.profile);
  tree["best"] = tree_of_candidate(r.result.best);
  tree["ranking"] = Tree::array();
  for (const sim::Candidate& candidate : r.result.ranking)
    tree["ranking"].push_back(tree_of_candidate(candidate));
  tree["baselines"] = Tree::array();
  for (const sim::Baseline& baseline : r.result.baselines) tree["baselines"].push_back(tree_of(baseline));
  if (r.current) tree["current"] = tree_of_candidate(r.current->candidate);
  tree["search"] = {{"space", r.result.space},   {"covered", r.result.covered},
                    {"merged", r.result.merged}, {"infeasible", r.result.infeasible},
                    {"pruned", r.result.pruned}, {"simulated", r.result.simulated}};
  if (r.seconds) tree["search"]["seconds"] = number(*r.seconds);
  tree["confidence"] = cli::tree_of(r.confidence);
  tree["advice"] = advice_of(r);
  tree["snippets"] = Tree::object();
  for (const Snippet& snippet : r.snippets) tree["snippets"][snippet.name] = snippet.text;
  tree["warnings"] = cli::tree_of(r.warnings);
  return text_of(tree);
}

}  // namespace corecast::cli
