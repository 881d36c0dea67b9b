#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/commands.hpp"
#include "cli/inputs.hpp"
#include "cli/json_views.hpp"
#include "cli/paragraphs.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "graphs/builtin.hpp"
#include "graphs/graph_json.hpp"
#include "graphs/onnx_export.hpp"
#include "graphs/training.hpp"

namespace corecast::cli {
namespace {

bool is_onnx(const std::optional<std::filesystem::path>& file) {
  return file && file->extension() == ".onnx";
}

// What is written follows from the name: a typing error in it must not give the other form. A device or pipe has no say.
void check_extension(const std::filesystem::path& file) {
  std::error_code code;
  const bool device = std::filesystem::exists(file, code) && !std::filesystem::is_regular_file(file, code);
  if (device || file.extension() == ".onnx" || file.extension() == ".json") return;
  throw InputError("--output", fmt::format("found {}, wanted a name that ends in .onnx or .json",
                                           quote(file.filename().string())));
}

void check(const ModelWriteOptions& options) {
  if (options.output) check_extension(*options.output);
  if (options.form.training && is_onnx(options.output)) {
    throw InputError("--training", "a training step is a graph, and has no form that onnxruntime runs",
                     "write it to a .json file");
  }
}

}  // namespace

std::string run(const ModelListOptions& options) {
  if (options.json) {
    Tree tree = report("model_list");
    tree["models"] = Tree::array();
    for (const auto& model : graphs::builtin_models()) {
      Tree item{{"name", model.name}, {"group", model.group}, {"description", model.description}};
      if (model.sequence) item["sequence"] = *model.sequence;
      tree["models"].push_back(std::move(item));
    }
    return text_of(tree);
  }
  std::vector<Row> rows;
  for (const auto& model : graphs::builtin_models())
    rows.push_back({{model.name, model.group}, model.description});
  return table({{"name"}, {"kind"}}, rows, terminal_width(), 0);
}

// The graph itself is the result where no file is named; else what was written is.
std::string run(const ModelWriteOptions& options) {
  check(options);
  if (options.output) check_output("--output", *options.output);
  const graphs::WrittenModel written = write_builtin(options.name, options.batch, options.form);
  ModelInput model;
  model.form = form_of(options.name, options.form);
  model.graph = options.form.training ? graphs::training_step(written) : written.graph;
  const std::string text =
      is_onnx(options.output) ? graphs::to_onnx(written) : graphs::to_json_text(model.graph);
  if (!options.output) return text;
  write_file(*options.output, text);
  model.name = options.name;
  if (!options.json)
    return heading_of(model, terminal_width()) + "written to " + options.output->string() + "\n";
  Tree tree = report("model");
  tree["name"] = options.name;
  tree["batch"] = model.graph.batch;
  add_form(tree, *model.form);
  tree["operators"] = model.graph.size();
  tree["flop"] = number(model.graph.total_flops().value());
  tree["parameters"] = model.graph.total_parameters();
  tree["file"] = options.output->string();
  return text_of(tree);
}

}  // namespace corecast::cli
