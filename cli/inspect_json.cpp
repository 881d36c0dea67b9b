#include <nlohmann/json.hpp>

#include "cli/inspect_report.hpp"
#include "cli/json_views.hpp"
#include "cli/paragraphs.hpp"

namespace corecast::cli {
namespace {

Tree tree_of(const graphs::Operator& op) {
  return {{"name", op.name},
          {"type", op.type},
          {"class", name_of(op.kernel)},
          {"flop", number(op.work.flops.value())},
          {"bytes", number(op.work.traffic().value())},
          {"parameters", op.parameters},
          {"output_shape", op.output_shape}};
}

}  // namespace

std::string json_of(const InspectReport& r) {
  const graphs::Graph& graph = r.model.graph;
  const graphs::Metrics& m = r.metrics;
  Tree tree = report("inspect");
  tree["model"] = cli::tree_of(r.model);
  tree["operators"] = m.operators;
  tree["flop"] = number(graph.total_flops().value());
  tree["parameters"] = graph.total_parameters();
  tree["bytes"] = number(graph.total_traffic().value());
  tree["levels"] = m.levels;
  tree["heavy_operators"] = m.heavy;
  tree["heavy_levels"] = m.heavy_levels;
  tree["average_width"] = number(m.average_width);
  tree["max_width"] = m.max_width;
  tree["max_width_exact"] = m.max_width_exact;
  tree["critical_path_share"] = number(m.critical_path_share);
  tree["critical_path_operators"] = m.critical_path.size();
  tree["by_class"] = Tree::object();
  for (const auto& [kernel, row] : m.by_class) {
    tree["by_class"][std::string(name_of(kernel))] = {{"count", row.count},
                                                      {"flop", number(row.flops.value())},
                                                      {"bytes", number(row.traffic.value())},
                                                      {"parameters", row.parameters}};
  }
  tree["top_operators"] = Tree::array();
  for (const OpIndex i : r.top) tree["top_operators"].push_back(tree_of(graph.op(i)));
  tree["not_understood"] = Tree::array();
  for (const OpIndex i : r.not_understood) {
    tree["not_understood"].push_back({{"name", graph.op(i).name}, {"type", graph.op(i).type}});
  }
  tree["warnings"] = cli::tree_of(notes_of(graph));
  return text_of(tree);
}

}  // namespace corecast::cli
