#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/json_views.hpp"
#include "cli/paragraphs.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "graphs/builtin.hpp"
#include "graphs/graph_json.hpp"

namespace corecast::cli {

std::string run(const ModelListOptions& options) {
  if (options.json) {
    Tree tree = report("model_list");
    tree["models"] = Tree::array();
    for (const auto& model : graphs::builtin_models()) {
      tree["models"].push_back({{"name", model.name}, {"description", model.description}});
    }
    return text_of(tree);
  }
  std::vector<Row> rows;
  for (const auto& model : graphs::builtin_models()) rows.push_back({{model.name}, model.description});
  return table({{"name"}}, rows, terminal_width(), 0);
}

// The graph itself is the result where no file is named; else what was written is.
std::string run(const ModelWriteOptions& options) {
  if (options.output) check_output("--output", *options.output);
  ModelInput model;
  model.graph = graphs::build_model(options.name, options.batch);
  const std::string text = graphs::to_json_text(model.graph);
  if (!options.output) return text;
  write_file(*options.output, text);
  model.name = options.name;
  if (!options.json)
    return heading_of(model, terminal_width()) + "written to " + options.output->string() + "\n";
  Tree tree = report("model");
  tree["name"] = options.name;
  tree["batch"] = model.graph.batch;
  tree["operators"] = model.graph.size();
  tree["flop"] = number(model.graph.total_flops().value());
  tree["parameters"] = model.graph.total_parameters();
  tree["file"] = options.output->string();
  return text_of(tree);
}

}  // namespace corecast::cli
