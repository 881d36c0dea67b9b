// What the commands work on, loaded from what the options name: model, machine, runtime.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/host_calibration.hpp"
#include "cli/options.hpp"
#include "graphs/graph.hpp"
#include "hwmodels/host.hpp"
#include "sim/forecast.hpp"
#include "sim/runtime.hpp"

namespace corecast::cli {

struct ModelInput {
  graphs::Graph graph;
  std::string name;      // the file's name without its folder, or the built-in model's
  std::string origin;    // "file", "built-in"
  std::string checksum;  // of the graph as it was understood; equal graphs have equal ones
};

// A file of that name when there is one, else the built-in model.
[[nodiscard]] ModelInput load_model_input(const ModelOptions& options);

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

// "host", else a name of the catalogue, else a file.
[[nodiscard]] MachineInput load_machine_input(const std::string& name);

[[nodiscard]] sim::Runtime load_runtime(const std::string& name);

// Before long work: throws InputError when `path` cannot become a file, or is one that the command reads.
void check_output(const char* option, const std::filesystem::path& path, const std::string& input = {});

}  // namespace corecast::cli
