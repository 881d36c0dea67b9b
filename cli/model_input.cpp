#include <algorithm>
#include <system_error>

#include "base/error.hpp"
#include "cli/checksum.hpp"
#include "cli/inputs.hpp"
#include "graphs/builtin.hpp"
#include "graphs/graph_json.hpp"

namespace corecast::cli {
namespace {

namespace fs = std::filesystem;

std::string checksum_of(const graphs::Graph& graph) {
  Checksum sum;
  sum.add(graph.name).add(graph.batch);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const graphs::Operator& op = graph.op(OpIndex(i));
    const graphs::Work& work = op.work;
    sum.add(op.name).add(op.type).add(name_of(op.kernel)).add(op.parameters).add(name_of(work.compute_type));
    for (const double value : {work.flops.value(), work.activations_read.value(), work.weights_read.value(),
                               work.written.value(), work.working_set.value(), work.serial_fraction}) {
      sum.add(value);
    }
    sum.add(work.units).add(work.steps);
    if (op.matrix) sum.add(op.matrix->batch).add(op.matrix->m).add(op.matrix->n).add(op.matrix->k);
  }
  for (const graphs::Connection& edge : graph.connections()) {
    sum.add(std::uint64_t{edge.from.value()}).add(std::uint64_t{edge.to.value()}).add(edge.bytes.value());
  }
  return sum.text();
}

bool is_builtin(const std::string& name) {
  const auto& models = graphs::builtin_models();
  return std::any_of(models.begin(), models.end(), [&](const auto& model) { return model.name == name; });
}

[[noreturn]] void fail_unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& model : graphs::builtin_models()) names.push_back(model.name);
  const std::string near = did_you_mean(name, names);
  throw InputError("", fmt::format("no file and no built-in model is called {}", quote(name)),
                   near.empty() ? fmt::format("built in: {}", fmt::join(names, ", ")) : near);
}

}  // namespace

ModelInput load_model_input(const ModelOptions& options) {
  ModelInput input;
  std::error_code code;
  // A name that cannot be looked up (no permission for its folder) is still meant as a file.
  if (fs::exists(options.model, code) || (code && code != std::errc::no_such_file_or_directory)) {
    input.graph = graphs::load_model(options.model, options.import);
    input.name = fs::path(options.model).filename().string();
    input.origin = "file";
  } else {
    if (!is_builtin(options.model)) fail_unknown(options.model);
    if (!options.import.shapes.empty()) {
      throw InputError("--shape",
                       fmt::format("the built-in model {} has its shapes written in", quote(options.model)),
                       "--batch sets its batch");
    }
    input.graph = graphs::build_model(options.model, options.import.batch.value_or(1));
    input.name = options.model;
    input.origin = "built-in";
  }
  input.checksum = checksum_of(input.graph);
  return input;
}

}  // namespace corecast::cli
