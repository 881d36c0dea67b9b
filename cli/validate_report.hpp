// What `corecast validate` found, for its text, JSON, CSV and plot.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/evidence/evidence.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"

namespace corecast::cli {

struct MeasuredFile {
  std::string name;
  std::size_t rows = 0;
  std::vector<std::string> context;
  std::vector<std::string> ignored_columns;
};

struct ValidateReport {
  std::vector<MeasuredFile> files;
  std::map<std::string, MachineInput> machines;  // by the name in the data
  evidence::Evidence evidence;
  std::map<std::string, std::string> profiles;  // name in the data -> file name
  std::string anchor;                           // "intra_op=1"; empty: not anchored
  std::vector<sim::Message> warnings;
  int top = 10;
  bool rows = false;  // all points in the JSON
};

// Machines, runtimes and models that the options and the data name; InputError for an option that fits no row.
[[nodiscard]] evidence::Request request_of(const ValidateOptions& options, ValidateReport& report);

[[nodiscard]] std::string text_of(const ValidateReport& report, int width);
[[nodiscard]] std::string json_of(const ValidateReport& report);
[[nodiscard]] std::string csv_of(const ValidateReport& report);
[[nodiscard]] std::string plot_of(const ValidateReport& report);  // SVG

// "resnet50 batch 8, torchscript, tcmalloc": what tells a group from others, in words.
[[nodiscard]] std::string group_text(const evidence::GroupKey& key);

}  // namespace corecast::cli
