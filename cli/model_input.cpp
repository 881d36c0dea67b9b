#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "cli/checksum.hpp"
#include "cli/inputs.hpp"
#include "cli/paragraphs.hpp"
#include "graphs/builtin.hpp"
#include "graphs/graph_json.hpp"
#include "graphs/quantize.hpp"
#include "graphs/training.hpp"

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
    for (const double value :
         {work.flops.value(), work.activations_read.value(), work.weights_read.value(), work.written.value(),
          work.working_set.value(), work.serial_fraction, work.weights_per_step.value()}) {
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

[[noreturn]] void fail_unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& model : graphs::builtin_models()) names.push_back(model.name);
  const std::string near = did_you_mean(name, names);
  throw InputError("", fmt::format("no file and no built-in model is called {}", quote(name)),
                   near.empty() ? fmt::format("built in: {}", fmt::join(names, ", ")) : near);
}

graphs::Graph load_file(const ModelOptions& options) {
  const std::string file = fs::path(options.model).filename().string();
  const FormOptions& form = options.form;
  if (form.sequence) {
    throw InputError(
        "--seq", fmt::format("found {}, but {} is a file, not a built-in model", *form.sequence, quote(file)),
        "what an ONNX file leaves open is set by --shape, for instance ids=1x384");
  }
  if (form.type) {
    throw InputError("--dtype",
                     fmt::format("found {}, but {} is a file, whose types are written in",
                                 name_of(*form.type), quote(file)),
                     "export it in that type");
  }
  if (form.training) {
    throw InputError(
        "--training",
        fmt::format("{} is a file: a training step is made of built-in models only", quote(file)),
        "see `corecast model list`; a graph that `corecast model NAME --training` wrote is a step already");
  }
  return graphs::load_model(options.model, options.import);
}

ModelInput expand_builtin(const ModelOptions& options) {
  const graphs::BuiltinModel* known = graphs::find_builtin(options.model);
  if (known == nullptr) fail_unknown(options.model);
  if (!options.import.shapes.empty()) {
    throw InputError("--shape",
                     fmt::format("the built-in model {} has its shapes written in", quote(options.model)),
                     known->sequence ? "--batch sets its batch, --seq the length of its sequence"
                                     : "--batch sets its batch");
  }
  ModelInput input;
  graphs::WrittenModel written = write_builtin(options.model, options.import.batch.value_or(1), options.form);
  input.form = form_of(options.model, options.form);
  input.graph = input.form->training ? graphs::training_step(written) : std::move(written.graph);
  return input;
}

}  // namespace

graphs::WrittenModel write_builtin(const std::string& name, std::int64_t batch, const FormOptions& form) {
  const DataType type = form.type.value_or(DataType::fp32);
  const bool quantise = type == DataType::int8;
  if (form.training && quantise)
    throw InputError("--training", "quantised models are not trained", "--dtype fp32 or bf16");
  graphs::WrittenModel model = graphs::write_model(
      name, {.batch = batch, .sequence = form.sequence, .type = quantise ? DataType::fp32 : type});
  return quantise ? graphs::quantized(model) : std::move(model);
}

ModelForm form_of(const std::string& name, const FormOptions& form) {
  const auto& usual = graphs::builtin_named(name).sequence;
  return {form.sequence ? form.sequence : usual, form.type.value_or(DataType::fp32), form.training};
}

ModelInput load_model_input(const ModelOptions& options) {
  ModelInput input;
  std::error_code code;
  // A name that cannot be looked up (no permission for its folder) is still meant as a file.
  if (fs::exists(options.model, code) || (code && code != std::errc::no_such_file_or_directory)) {
    input.graph = load_file(options);
    input.name = fs::path(options.model).filename().string();
    input.origin = "file";
  } else {
    input = expand_builtin(options);
    input.name = options.model;
    input.origin = "built-in";
  }
  input.checksum = checksum_of(input.graph);
  return input;
}

// The forecast is then of kernels that this framework does not have.
std::vector<sim::Message> model_warnings(const ModelInput& model, const sim::Runtime& runtime) {
  std::vector<sim::Message> warnings = notes_of(model.graph);
  if (model.form && model.form->training && runtime.framework == "onnxruntime") {
    warnings.push_back(
        {"NO_TRAINING",
         fmt::format("{} runs no training step: gradients are forecast as if it had kernels for "
                     "them; `--runtime tensorflow-onednn` is of a framework that trains",
                     runtime.name)});
  }
  return warnings;
}

}  // namespace corecast::cli
