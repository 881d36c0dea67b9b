#include "cli/arguments.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "cli/arguments_calibrate_runtime.hpp"
#include "cli/arguments_measure.hpp"
#include "cli/arguments_profile.hpp"
#include "cli/arguments_validate.hpp"
#include "cli/calibrate_runtime_program.hpp"
#include "cli/help.hpp"
#include "cli/host_calibration.hpp"
#include "cli/option_values.hpp"
#include "cli/snippets.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "graphs/builtin.hpp"
#include "hwmodels/machine_json.hpp"
#include "hwmodels/text_columns.hpp"

namespace corecast::cli {
namespace {

constexpr int kUsageError = 1;

// The text of each option as it was written. All values are text here, so that a wrong one gets our message
// and exit code 2, not the parser's. Empty text is a value, and seldom a right one: not the same as not
// given.
using Text = std::optional<std::string>;

struct Raw {
  Text calibrated;  // runtime
  std::string model, machine = "host", runtime = "onnxruntime", objective = "latency", jobs = "0";
  std::map<std::string, Text> setting;  // by key of setting_keys()
  Text batch, current, top, snippet, trace, output, measurements_only, from, date;
  Text sequence, type, csv;
  ProfileText profile;
  std::vector<std::string> shapes, changes, groups, models;
  bool strict = false, json = false, timing = false, quick = false, thorough = false, report = false,
       hold_out = false, force = false, training = false;
};

std::optional<std::filesystem::path> path_of(const char* option, const Text& text) {
  if (!text) return std::nullopt;
  if (text->empty()) throw InputError(option, "found \"\", wanted the name of a file");
  return std::filesystem::path(*text);
}

// For files beside the report, which has standard output.
std::optional<std::filesystem::path> side_path_of(const char* option, const Text& text) {
  if (text && *text == "-") {
    throw InputError(option, "found \"-\", but the report is what goes to standard output",
                     "give the name of a file");
  }
  return path_of(option, text);
}

FormOptions form_of(const Raw& raw) {
  FormOptions form;
  if (raw.sequence) form.sequence = count_of("--seq", *raw.sequence, graphs::kMostSequence);
  if (raw.type) {
    form.type = word_of<DataType>(
        "--dtype", *raw.type, {{"fp32", DataType::fp32}, {"bf16", DataType::bf16}, {"int8", DataType::int8}});
  }
  form.training = raw.training;
  return form;
}

ModelOptions model_of(const Raw& raw) {
  ModelOptions options;
  options.model = raw.model;
  if (raw.batch) options.import.batch = count_of("--batch", *raw.batch, graphs::kMostBatch);
  options.import.shapes = shapes_of(raw.shapes);
  options.import.strict = raw.strict;
  options.form = form_of(raw);
  return options;
}

SearchChoice search_of(const Raw& raw) {
  SearchChoice choice;
  choice.objective = word_of<sim::Objective>(
      "--objective", raw.objective,
      {{"latency", sim::Objective::latency}, {"throughput", sim::Objective::throughput}});
  choice.jobs = static_cast<int>(count_of("--jobs", raw.jobs, 1024, 0));
  choice.timing = raw.timing;
  return choice;
}

int rows_of(const Raw& raw, int otherwise) {
  return raw.top ? static_cast<int>(count_of("--top", *raw.top, kMostRows)) : otherwise;
}

SimulateOptions simulate_of(const Raw& raw) {
  SimulateOptions options;
  options.model = model_of(raw);
  options.target = {raw.machine, raw.runtime};
  for (const std::string& key : setting_keys()) {
    const auto given = raw.setting.find(key);
    if (given != raw.setting.end() && given->second)
      set_member(options.setting, key, "--" + key, *given->second);
  }
  options.top = rows_of(raw, options.top);
  options.profile = profile_of(raw.profile);
  options.trace = side_path_of("--trace", raw.trace);
  options.json = raw.json;
  return options;
}

TuneOptions tune_of(const Raw& raw) {
  TuneOptions options;
  options.model = model_of(raw);
  options.target = {raw.machine, raw.runtime};
  options.search = search_of(raw);
  options.top = rows_of(raw, options.top);
  if (raw.current) options.current = setting_of("--current", *raw.current);
  options.profile = profile_of(raw.profile);
  if (raw.snippet) {
    std::vector<std::pair<std::string, std::string>> words;
    for (const std::string& name : snippet_choices()) words.emplace_back(name, name);
    options.snippet = word_of<std::string>("--snippet", *raw.snippet, words);
  }
  options.json = raw.json;
  return options;
}

CalibrateOptions calibrate_of(const Raw& raw) {
  CalibrateOptions options;
  options.output = side_path_of("--output", raw.output);
  options.measurements_only = side_path_of("--measurements-only", raw.measurements_only);
  options.from = path_of("--from", raw.from);
  using calibration::microbench::Effort;
  if (raw.quick) options.effort = Effort::quick;
  if (raw.thorough) options.effort = Effort::thorough;
  std::vector<std::pair<std::string, calibration::Group>> words;
  for (const std::string_view name : calibration::kGroupNames) {
    words.emplace_back(name, *calibration::group_named(name));
  }
  for (const std::string& group : raw.groups) options.only.insert(word_of("--only", group, words));
  if (raw.date) {
    if (!days_between(*raw.date, *raw.date)) {
      throw InputError(
          "--date", "found " + quote(*raw.date) + ", wanted a date like 2026-01-31 or 2026-01-31T12:00:00Z");
    }
    options.date = *raw.date;
  }
  if (options.output && options.measurements_only)
    throw InputError("--output", "no machine is fitted with --measurements-only", "give one of the two");
  options.report = raw.report;
  options.hold_out = raw.hold_out;
  options.force = raw.force;
  options.json = raw.json;
  return options;
}

// --- groups of options that several commands share ---

CLI::Option* add_text(CLI::App* app, const std::string& name, Text& text, const std::string& what) {
  return app->add_option_function<std::string>(
      name, [&text](const std::string& given) { text = given; }, what);
}

void add_json(CLI::App* app, Raw& raw) {
  app->add_flag("--json", raw.json, "print JSON instead of text");
}

void add_form(CLI::App* app, Raw& raw) {
  add_text(app, "--seq", raw.sequence, "length of a built-in model's sequence; default: the model's own")
      ->type_name("L");
  add_text(app, "--dtype", raw.type, "of a built-in model: fp32 (default), bf16 or int8 (quantised)")
      ->type_name("T");
  app->add_flag("--training", raw.training, "a built-in model's forward, backward and optimizer step");
}

void add_model(CLI::App* app, Raw& raw) {
  app->add_option("MODEL", raw.model,
                  "an .onnx file, a corecast.graph/1 JSON file, or a built-in model's name")
      ->required()
      ->type_name("");
  add_text(app, "--batch", raw.batch,
           fmt::format("size of the batch, where the model leaves it open, 1 to {}", graphs::kMostBatch))
      ->type_name("B");
  add_form(app, raw);
  // One shape an option: what follows it may be the model.
  app->add_option("--shape", raw.shapes, "shape of an input the model leaves open: name=1x3x224x224 (repeat)")
      ->type_name("S")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app->add_flag("--strict", raw.strict, "stop at an operator that has no work rule");
}

void add_machine(CLI::App* app, Raw& raw) {
  app->add_option("--machine", raw.machine, "host (default), a name of `machine list`, or a machine file")
      ->type_name("M");
}

void add_runtime(CLI::App* app, Raw& raw) {
  app->add_option("--runtime", raw.runtime,
                  "a name of `runtime list`, or a runtime file; default onnxruntime")
      ->type_name("R");
}

void add_search(CLI::App* app, Raw& raw) {
  app->add_option("--objective", raw.objective, "latency (default) or throughput")->type_name("O");
  app->add_option("--jobs", raw.jobs,
                  "threads of the search; 0 (default): one a CPU; does not change its result")
      ->type_name("N");
  app->add_flag("--timing", raw.timing, "tell how long the search took");
}

// --- the commands ---

using Verbs = std::vector<Verb>;

CLI::App* subcommand(CLI::App& parent, const std::string& name, const std::string& what,
                     const std::string& examples) {
  CLI::App* app = parent.add_subcommand(name, what);
  app->footer("Example:\n" + examples);
  return app;
}

void add_inspect(CLI::App& parent, Verbs& verbs) {
  auto raw = std::make_shared<Raw>();
  CLI::App* app =
      subcommand(parent, "inspect", "What a model asks of any machine: flop, bytes, width, critical path.",
                 "  corecast inspect model.onnx --shape input=1x3x224x224\n"
                 "  corecast inspect bert_base --seq 384 --dtype int8\n");
  add_model(app, *raw);
  add_text(app, "--top", raw->top, "operators to list, by flop; default 10")->type_name("K");
  add_json(app, *raw);
  verbs.push_back({app, [raw]() -> Command {
                     InspectOptions options;
                     options.model = model_of(*raw);
                     options.top = rows_of(*raw, options.top);
                     options.json = raw->json;
                     return options;
                   }});
}

void add_machine_commands(CLI::App& parent, Verbs& verbs) {
  CLI::App* machine = subcommand(parent, "machine", "This host, and the machines corecast knows.",
                                 "  corecast machine show host\n  corecast machine list\n");
  machine->require_subcommand(1);
  auto raw = std::make_shared<Raw>();
  CLI::App* show = subcommand(*machine, "show",
                              "Topology, capacities with their origin, and what the operating system grants.",
                              "  corecast machine show\n  corecast machine show xeon-8180 -o mine.json\n");
  show->add_option("MACHINE", raw->machine, "host (default), a name of `machine list`, or a machine file")
      ->type_name("");
  add_text(show, "-o,--output", raw->output,
           "write the machine file, to be edited and given to --machine; -: print it")
      ->type_name("FILE");
  add_json(show, *raw);
  verbs.push_back({show, [raw]() -> Command {
                     return MachineShowOptions{raw->machine, path_of("--output", raw->output), raw->json};
                   }});
  auto list_raw = std::make_shared<Raw>();
  CLI::App* list =
      subcommand(*machine, "list", "The machines of the catalogue.", "  corecast machine list --json\n");
  add_json(list, *list_raw);
  verbs.push_back({list, [list_raw]() -> Command { return MachineListOptions{list_raw->json}; }});
}

void add_setting(CLI::App* app, Raw& raw) {
  const auto add = [&](const std::string& key, const std::string& what, const char* type = "X") {
    add_text(app, "--" + key, raw.setting[key], what)->type_name(type);
  };
  add("inter", fmt::format("inter-op threads, 1 to {}; default 1", kMostThreads), "I");
  add("intra",
      fmt::format("intra-op threads, the caller included, 1 to {}; default: physical cores", kMostThreads),
      "N");
  add("mode", "sequential or parallel; default: parallel when --inter is above 1");
  add("instances", fmt::format("processes side by side, 1 to {}; default 1", kMostThreads), "N");
  add("smt", "on: fill both hardware threads of a core first; default off");
  add("placement", "compact (default) or scatter over the sockets");
  add("spin", "idle threads spin: on (default) or off");
  add("memory", "pages lie where they were first written: first-touch (default), or interleave");
  add("allocator", "of outputs: framework (its own, default), system (malloc), caching (tcmalloc, jemalloc)");
  add("pinning", "instances have CPUs of their own: distinct (default), or all the same: stacked");
}

void add_simulate(CLI::App& parent, Verbs& verbs) {
  auto raw = std::make_shared<Raw>();
  CLI::App* app =
      subcommand(parent, "simulate", "One setting: its latency, and where the time goes.",
                 "  corecast simulate model.onnx --machine xeon-8180 --intra 28 --trace t.json\n"
                 "  corecast simulate inception_v3 --runtime onnxruntime-1.13 --inter 3 --intra 4\n"
                 "  corecast simulate resnet50 --runtime pytorch --profile trace.json \\\n"
                 "      --profile-setting intra=1\n");
  add_model(app, *raw);
  add_machine(app, *raw);
  add_runtime(app, *raw);
  add_setting(app, *raw);
  add_profile(app, raw->profile);
  add_text(app, "--top", raw->top, "operators to list, by time; default 10")->type_name("K");
  add_text(app, "--trace", raw->trace, "write a Chrome trace, for ui.perfetto.dev")->type_name("FILE");
  add_json(app, *raw);
  verbs.push_back({app, [raw]() -> Command { return simulate_of(*raw); }});
}

void add_tune(CLI::App& parent, Verbs& verbs) {
  auto raw = std::make_shared<Raw>();
  CLI::App* app = subcommand(parent, "tune", "The best settings, ranked, beside what the usual rules give.",
                             "  corecast tune model.onnx\n"
                             "  corecast tune model.onnx --machine xeon-8480plus --objective throughput \\\n"
                             "      --batch 8\n"
                             "  corecast tune bert_base --seq 384 --dtype int8\n"
                             "  corecast tune model.onnx --current intra=8,instances=4\n"
                             "  corecast tune model.onnx --profile onnxruntime_profile.json\n"
                             "  corecast tune resnet50 --training --batch 32 --runtime tensorflow-onednn\n");
  add_model(app, *raw);
  add_machine(app, *raw);
  add_runtime(app, *raw);
  add_search(app, *raw);
  add_text(
      app, "--current", raw->current,
      fmt::format("your setting, to compare with the best, and what is wrong with it: KEY=VALUE,... of {}; "
                  "others: the framework's default",
                  fmt::join(setting_keys(), ", ")))
      ->type_name("S");
  add_profile(app, raw->profile);
  add_text(app, "--top", raw->top, "settings to list; default 5")->type_name("K");
  add_text(app, "--snippet", raw->snippet,
           fmt::format("{}; default: the runtime's own", fmt::join(snippet_choices(), ", ")))
      ->type_name("X");
  add_json(app, *raw);
  verbs.push_back({app, [raw]() -> Command { return tune_of(*raw); }});
}

std::string path_list() {
  std::string text = "\nPaths:\n";
  for (const auto& row : hwmodels::machine_path_table())
    text += wrapped(row.meaning, kHelpWidth, fmt::format("  {:<34} ", row.path));
  return text;
}

void add_whatif(CLI::App& parent, Verbs& verbs) {
  auto raw = std::make_shared<Raw>();
  CLI::App* app = subcommand(
      parent, "whatif", "Tune again on a machine with some values changed.",
      "  corecast whatif model.onnx --machine xeon-8180 \\\n      --set memory.bandwidth=+50% smt=off\n" +
          path_list());
  add_model(app, *raw);
  add_machine(app, *raw);
  add_runtime(app, *raw);
  app->add_option("--set", raw->changes,
                  "path=value: absolute with a unit, +50%, -10% or *1.5 (several, or repeat)")
      ->type_name("P=V")
      ->required();
  add_search(app, *raw);
  add_json(app, *raw);
  verbs.push_back(
      {app, [raw]() -> Command {
         return WhatIfOptions{
             model_of(*raw), {raw->machine, raw->runtime}, search_of(*raw), raw->changes, raw->json};
       }});
}

void add_calibrate(CLI::App& parent, Verbs& verbs) {
  auto raw = std::make_shared<Raw>();
  CLI::App* app =
      subcommand(parent, "calibrate", "Measure this host and fit a machine file to it, in about two minutes.",
                 "  corecast calibrate\n"
                 "  corecast calibrate --measurements-only host.json --quick\n"
                 "  corecast calibrate --from host.json -o machine.json --report\n"
                 "  corecast calibrate --runtime onnxruntime\n"
                 "  CORECAST_PYTHON=/usr/bin/python3 corecast calibrate --runtime pytorch\n");
  add_text(app, "--runtime", raw->calibrated,
           fmt::format("measure this framework's kernels instead, in about 10 minutes (--quick: 3): {}",
                       fmt::join(calibrated_runtimes(), ", ")))
      ->type_name("R");
  add_text(app, "-o,--output", raw->output,
           "the machine file; default: this host's own, which `tune` then uses; with --from: none")
      ->type_name("FILE");
  CLI::Option* quick = app->add_flag("--quick", raw->quick, "under 20 s, fewer points, wider errors");
  CLI::Option* thorough = app->add_flag("--thorough", raw->thorough, "about 8 minutes, smaller errors");
  thorough->excludes(quick);
  CLI::Option* only = app->add_option("--only", raw->groups,
                                      fmt::format("a group of benchmarks (repeat): {}",
                                                  fmt::join(calibration::kGroupNames, ", ")))
                          ->type_name("GROUP")
                          ->expected(1)
                          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                          ->allow_extra_args(false);
  CLI::Option* measure =
      add_text(app, "--measurements-only", raw->measurements_only, "write the measurements, fit nothing")
          ->type_name("FILE");
  CLI::Option* from =
      add_text(app, "--from", raw->from, "fit this measurement file, measure nothing")->type_name("FILE");
  CLI::Option* date =
      add_text(app, "--date", raw->date, "of the measurements, ISO 8601; default: now")->type_name("D");
  for (CLI::Option* other : {quick, thorough, only, measure, date}) from->excludes(other);
  CLI::Option* report =
      app->add_flag("--report", raw->report, "all parameters with their status, and the worst rows");
  CLI::Option* hold_out =
      app->add_flag("--hold-out", raw->hold_out,
                    "also fit every second core count and say how well it forecasts the others");
  CLI::Option* force = app->add_flag("--force", raw->force,
                                     "write the machine although the fit did not converge, and over "
                                     "measurements of another run");
  for (CLI::Option* of_the_fit : {report, hold_out, force}) measure->excludes(of_the_fit);
  add_json(app, *raw);
  verbs.push_back({app, [raw]() -> Command {
                     const CalibrateOptions options = calibrate_of(*raw);
                     if (raw->calibrated) return runtime_calibration_of(*raw->calibrated, options);
                     return options;
                   }});
}

ModelWriteOptions model_write_of(const Raw& raw) {
  ModelWriteOptions options;
  options.name = raw.model;
  options.output = path_of("--output", raw.output);
  if (options.output == std::filesystem::path("-")) options.output.reset();
  if (raw.batch) options.batch = count_of("--batch", *raw.batch, graphs::kMostBatch);
  options.form = form_of(raw);
  options.json = raw.json;
  return options;
}

ModelListOptions model_list_of(const Raw& raw) {
  const auto refuse = [](const char* option, bool given) {
    if (given) throw InputError(option, "means nothing to `model list`");
  };
  refuse("--batch", raw.batch.has_value());
  refuse("--output", raw.output.has_value());
  refuse("--seq", raw.sequence.has_value());
  refuse("--dtype", raw.type.has_value());
  refuse("--training", raw.training);
  return ModelListOptions{raw.json};
}

void add_model_command(CLI::App& parent, Verbs& verbs) {
  auto raw = std::make_shared<Raw>();
  CLI::App* app =
      subcommand(parent, "model", "The built-in models: list them, or write one as a graph or as ONNX.",
                 "  corecast model list\n"
                 "  corecast model resnet50 --batch 8 -o resnet50.onnx\n"
                 "  corecast model bert_base --seq 64 --training -o bert_training.json\n");
  app->add_option("NAME", raw->model, "`list`, or the name of a built-in model")->required()->type_name("");
  add_text(app, "--batch", raw->batch,
           fmt::format("size of the batch, 1 to {}; default 1", graphs::kMostBatch))
      ->type_name("B");
  add_form(app, *raw);
  add_text(app, "-o,--output", raw->output,
           "file to write: NAME.onnx is a model that frameworks run, any other name a graph; default, or -: "
           "the graph "
           "on standard output")
      ->type_name("FILE");
  add_json(app, *raw);
  verbs.push_back({app, [raw]() -> Command {
                     if (raw->model == "list") return model_list_of(*raw);
                     return model_write_of(*raw);
                   }});
}

void add_study(CLI::App& parent, Verbs& verbs) {
  auto raw = std::make_shared<Raw>();
  raw->runtime = "tensorflow-onednn";
  CLI::App* app =
      subcommand(parent, "study",
                 "The evaluation of the study behind corecast, forecast: built-in models on its platforms.",
                 "  corecast study --csv study.csv\n  corecast study --model resnet50 --batch 1\n");
  app->add_option("--model", raw->models, "only this built-in model (repeat); default: all")
      ->type_name("NAME");
  add_runtime(app, *raw);
  add_text(app, "--batch", raw->batch, "size of the batch; default 16")->type_name("B");
  add_text(app, "--csv", raw->csv, "also write a table of all cases and rules")->type_name("FILE");
  app->add_option("-j,--jobs", raw->jobs, "threads of the search; 0 = all of this host")->type_name("J");
  add_json(app, *raw);
  verbs.push_back({app, [raw]() -> Command {
                     StudyOptions options;
                     options.runtime = raw->runtime;
                     if (raw->batch) options.batch = count_of("--batch", *raw->batch, graphs::kMostBatch);
                     options.models = raw->models;
                     options.csv = side_path_of("--csv", raw->csv);
                     options.jobs = static_cast<int>(count_of("--jobs", raw->jobs, 1024, 0));
                     options.json = raw->json;
                     return options;
                   }});
}

void add_runtime_command(CLI::App& parent, Verbs& verbs) {
  CLI::App* runtime =
      subcommand(parent, "runtime", "The frameworks corecast has a model of.", "  corecast runtime list\n");
  runtime->require_subcommand(1);
  auto raw = std::make_shared<Raw>();
  CLI::App* list = subcommand(*runtime, "list", "Names and versions.", "  corecast runtime list --json\n");
  add_json(list, *raw);
  verbs.push_back({list, [raw]() -> Command { return RuntimeListOptions{raw->json}; }});
}

// The parser only says that a word was not expected.
std::string verb_hint(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    verbs.push_back(verb->get_name());
  if (std::find(verbs.begin(), verbs.end(), argv[1]) != verbs.end()) return {};
  const std::string near = did_you_mean(argv[1], verbs);
  return fmt::format("unknown command {}{}\n", quote(argv[1]), near.empty() ? "" : ", " + near);
}

std::string printable_line(const std::string& message) {
  return hwmodels::printable(message) + "\n";
}

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv) {
  CLI::App app("Forecasts how fast a deep-learning model runs on a CPU under any threading setting.",
               "corecast");
  app.formatter(help_format());
  app.set_version_flag("--version", "corecast " CORECAST_VERSION);
  app.footer(
      "Example:\n  corecast tune model.onnx\n\nExit codes: 0 done, 1 wrong usage, 2 bad input, 3 no "
      "answer.\n");
  app.require_subcommand(1);
  Verbs verbs;
  add_tune(app, verbs);
  add_simulate(app, verbs);
  add_whatif(app, verbs);
  add_calibrate(app, verbs);
  add_inspect(app, verbs);
  add_machine_commands(app, verbs);
  add_study(app, verbs);
  add_model_command(app, verbs);
  add_runtime_command(app, verbs);
  verbs.push_back(add_measure(app));
  verbs.push_back(add_validate(app));

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool wrong = error.get_exit_code() != 0;
    const std::string hint = wrong ? verb_hint(app, argc, argv) : "";
    if (!wrong) {
      std::ostringstream help;
      app.exit(error, help, std::cerr);
      return {std::nullopt, 0, help.str()};
    }
    std::cerr << "corecast: " << (hint.empty() ? printable_line(error.what()) : hint)
              << "Run with --help for more information.\n";
    return {std::nullopt, kUsageError, ""};
  }
  for (const Verb& verb : verbs) {
    if (verb.app->parsed()) return {verb.command(), 0, ""};
  }
  return {std::nullopt, kUsageError, ""};  // unreachable: a command is required
}

}  // namespace corecast::cli
