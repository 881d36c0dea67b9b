#include "cli/measure_model.hpp"

#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/checksum.hpp"
#include "cli/inputs.hpp"
#include "graphs/onnx_export.hpp"

namespace corecast::cli {
namespace {

namespace fs = std::filesystem;

bool is_torchscript(const fs::path& file) {
  const std::string extension = file.extension().string();
  return extension == ".pt" || extension == ".pth" || extension == ".ts";
}

void check_file(const fs::path& file, const FormOptions& form) {
  const std::string name = quote(file.filename().string());
  if (file.extension() == ".json")
    throw InputError("", fmt::format("{} is a graph, which no framework runs", name),
                     "wanted an .onnx file, a TorchScript .pt file or a built-in model's name");
  for (const auto& [option, given] :
       {std::pair{"--seq", form.sequence.has_value()}, std::pair{"--dtype", form.type.has_value()}}) {
    if (given)
      throw InputError(option, fmt::format("{} is a file, not a built-in model", name),
                       "what a file leaves open is set by --batch and --shape");
  }
}

std::vector<std::string> shape_texts(const std::map<std::string, std::vector<std::int64_t>>& shapes) {
  std::vector<std::string> texts;
  for (const auto& [name, dims] : shapes) texts.push_back(fmt::format("{}={}", name, fmt::join(dims, "x")));
  return texts;
}

MeasuredModel of_file(const ModelOptions& options) {
  check_file(options.model, options.form);
  MeasuredModel model;
  model.file = fs::absolute(options.model);
  model.name = model.file.stem().string();
  model.batch = options.import.batch.value_or(1);
  model.torchscript = is_torchscript(model.file);
  model.shapes = shape_texts(options.import.shapes);
  return model;
}

MeasuredModel of_builtin(const ModelOptions& options, const fs::path& folder) {
  const ModelInput input = load_model_input(options);  // tells what is wrong with the name and the options
  MeasuredModel model;
  model.name = options.model;
  if (options.form.type && *options.form.type != DataType::fp32)
    model.name += fmt::format("-{}", name_of(*options.form.type));
  model.batch = options.import.batch.value_or(1);
  model.batch_is_free = false;
  model.built_in = true;
  model.sequence = input.form->sequence;
  model.file = folder / (model.name + ".onnx");
  write_file(model.file, graphs::to_onnx(write_builtin(options.model, model.batch, options.form)));
  return model;
}

}  // namespace

MeasuredModel measured_model(const ModelOptions& options, const fs::path& folder) {
  if (options.form.training)
    throw InputError("--training", "a training step has no form that an inference framework runs");
  std::error_code code;
  MeasuredModel model = fs::exists(options.model, code) ? of_file(options) : of_builtin(options, folder);
  model.checksum = Checksum().add(read_file(model.file)).text();
  return model;
}

}  // namespace corecast::cli
