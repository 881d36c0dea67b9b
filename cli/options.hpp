// What each command was asked for: plain values, checked for form but not for sense. Filled by arguments.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/data_type.hpp"
#include "calibration/adaptor/plan.hpp"
#include "calibration/evidence/evidence.hpp"
#include "calibration/microbench/suite.hpp"
#include "graphs/onnx_import.hpp"
#include "sim/search.hpp"
#include "sim/setting.hpp"

namespace corecast::cli {

// What a built-in model is expanded to; int8 is made from fp32 by quantising. Nothing of it can be asked of a file.
struct FormOptions {
  std::optional<std::int64_t> sequence;
  std::optional<DataType> type;  // none: fp32
  bool training = false;
};

struct ModelOptions {
  std::string model;  // a file, or a built-in model's name
  graphs::ImportOptions import;
  FormOptions form;
};

struct TargetOptions {
  std::string machine = "host";
  std::string runtime = "onnxruntime";
};

struct SearchChoice {
  sim::Objective objective = sim::Objective::latency;
  int jobs = 0;         // 0: all of this host
  bool timing = false;  // tell how long the search took
};

struct InspectOptions {
  ModelOptions model;
  int top = 10;
  bool json = false;
};

struct MachineShowOptions {
  std::string machine = "host";
  std::optional<std::filesystem::path> output;  // the machine file
  bool json = false;
};

struct MachineListOptions {
  bool json = false;
};

// What was said of a setting; the rest is as somebody else has it.
struct AskedSetting {
  std::optional<sim::Mode> mode;
  std::optional<int> inter_op;
  std::optional<int> intra_op;
  std::optional<int> instances;
  std::optional<bool> smt;
  std::optional<sim::Placement> placement;
  std::optional<bool> spin;
  std::optional<sim::MemoryPolicy> memory;
  std::optional<sim::Allocator> allocator;
  std::optional<sim::Pinning> pinning;
  friend bool operator==(const AskedSetting&, const AskedSetting&) = default;
};

// One profiled run of the model, and what was said of its setting.
struct ProfileChoice {
  std::filesystem::path file;
  AskedSetting setting;
};

struct SimulateOptions {
  ModelOptions model;
  TargetOptions target;
  AskedSetting setting;
  std::optional<ProfileChoice> profile;
  int top = 10;
  std::optional<std::filesystem::path> trace;
  bool json = false;
};

struct TuneOptions {
  ModelOptions model;
  TargetOptions target;
  SearchChoice search;
  int top = 5;
  std::optional<AskedSetting> current;  // the user's own, to be compared with the best
  std::optional<ProfileChoice> profile;
  std::string snippet;  // empty: the runtime's framework
  bool json = false;
};

struct WhatIfOptions {
  ModelOptions model;
  TargetOptions target;
  SearchChoice search;
  std::vector<std::string> changes;  // "path=value"
  bool json = false;
};

struct ModelListOptions {
  bool json = false;
};

struct ModelWriteOptions {
  std::string name;
  std::int64_t batch = 1;
  FormOptions form;
  std::optional<std::filesystem::path> output;  // none: standard output
  bool json = false;
};

struct StudyOptions {
  std::string runtime = "tensorflow-onednn";
  std::int64_t batch = 16;
  std::vector<std::string> models;  // empty: all that are built in
  std::optional<std::filesystem::path> csv;
  int jobs = 0;
  bool json = false;
};

struct RuntimeListOptions {
  bool json = false;
};

struct CalibrateOptions {
  std::optional<std::filesystem::path> output;             // none: this host's own file
  std::optional<std::filesystem::path> measurements_only;  // measure, write these, fit nothing
  std::optional<std::filesystem::path> from;               // fit these, measure nothing
  calibration::microbench::Effort effort = calibration::microbench::Effort::normal;
  std::set<calibration::Group> only;  // empty: all
  std::string date;                   // of the measurements; empty: now
  bool report = false;
  bool hold_out = false;  // say how well half of the core counts forecast the other half
  bool force = false;     // write a machine although the fit did not converge
  bool json = false;
};

// `calibrate --runtime NAME`.
struct CalibrateRuntimeOptions {
  std::string runtime;
  std::optional<std::filesystem::path> output;             // none: this host's own file
  std::optional<std::filesystem::path> measurements_only;  // measure, write these, fit nothing
  std::optional<std::filesystem::path> from;               // fit these, measure nothing
  bool quick = false;
  std::string date;     // of the measurements; empty: now
  bool report = false;  // all numbers and the worst models
  bool force = false;   // write a file although it forecasts held-out models no better than what there is
  bool json = false;
};

// "NAME=VALUE", or VALUE alone: the name is empty then.
struct NamedChoice {
  std::string name, value;
};

struct ValidateOptions {
  std::vector<std::filesystem::path> measured;
  std::vector<NamedChoice> graphs, machines, runtimes, profiles;
  std::optional<evidence::Anchor> anchor;
  bool by_mode = false, by_inter_op = false, by_spin = false, by_runtime = false;
  int top = 10;
  bool rows = false;  // all settings in the JSON
  std::optional<std::filesystem::path> csv, plot;
  bool json = false;
};

struct MeasureOptions {
  ModelOptions model;
  std::string framework = "onnxruntime";
  std::string version;              // of the framework, where several are installed; empty: its current one
  std::string settings = "grid";    // or a file
  std::vector<std::string> axes;    // in place of `settings`
  std::vector<std::string> values;  // "NAME=NUMBER": what an input is filled with
  std::filesystem::path output;
  adaptor::Method method;
  std::optional<double> budget_s;  // of all
  std::string date;
  bool json = false;
};

using Command =
    std::variant<InspectOptions, MachineShowOptions, MachineListOptions, SimulateOptions, TuneOptions,
                 WhatIfOptions, ModelListOptions, ModelWriteOptions, RuntimeListOptions, CalibrateOptions,
                 CalibrateRuntimeOptions, StudyOptions, ValidateOptions, MeasureOptions>;

}  // namespace corecast::cli
