// What the commands work on, loaded from what the options name: model, machine, runtime.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/host_calibration.hpp"
#include "cli/options.hpp"
#include "graphs/graph.hpp"
#include "graphs/written_model.hpp"
#include "hwmodels/host.hpp"
#include "sim/forecast.hpp"
#include "sim/runtime.hpp"

namespace corecast::cli {

// What a built-in model was expanded to.
struct ModelForm {
  std::optional<std::int64_t> sequence;  // of a model that has one, its own where none is asked for
  DataType type = DataType::fp32;
  bool training = false;  // forward, backward and optimizer step
};

struct ModelInput {
  graphs::Graph graph;
  std::string name;               // the file's name without its folder, or the built-in model's
  std::string origin;             // "file", "built-in"
  std::string checksum;           // of the graph as it was understood; equal graphs have equal ones
  std::optional<ModelForm> form;  // of a built-in model
};

// A file of that name when there is one, else the built-in model.
[[nodiscard]] ModelInput load_model_input(const ModelOptions& options);

// A built-in model as a builder wrote it (or its int8 form): what an export and a training step are made of.
// InputError for an unknown name and for a form that it does not have.
[[nodiscard]] graphs::WrittenModel write_builtin(const std::string& name, std::int64_t batch,
                                                 const FormOptions& form);
[[nodiscard]] ModelForm form_of(const std::string& name, const FormOptions& form);

// What to know before trusting the numbers: what the import could not do exactly, and that `runtime` does not train.
[[nodiscard]] std::vector<sim::Message> model_warnings(const ModelInput& model, const sim::Runtime& runtime);

struct MachineInput {
  hwmodels::Machine machine;  // as the hardware is
  std::string origin;         // "host", "catalogue", "file"
  std::string checksum;
  sim::Target target;  // the part that may be used
  std::optional<hwmodels::Host> host;
  std::optional<HostCalibration> calibration;  // of this host, when it has one
  std::vector<sim::Message> warnings;          // of the detection
  std::vector<sim::Message> advice;            // that follow from what is granted
};

// It has a slash, or ends in .json.
[[nodiscard]] bool looks_like_a_file(const std::string& name);

// "host", else a name of the catalogue, else a file.
[[nodiscard]] MachineInput load_machine_input(const std::string& name);

// A name of the catalogue, or a runtime file, as `calibrate --runtime` writes them.
[[nodiscard]] sim::Runtime load_runtime(const std::string& name);
// On this host as `calibrate --runtime` found it, where it did. With its library's kernels as a calibration of that machine
// measured them.
[[nodiscard]] sim::Runtime load_runtime(const std::string& name, const MachineInput& machine);

// Before long work: throws InputError when `path` cannot become a file, or is one of the files that the command
// reads. An input may be empty, or the name of what is no file.
void check_output(const char* option, const std::filesystem::path& path,
                  const std::vector<std::string>& inputs = {});

}  // namespace corecast::cli
