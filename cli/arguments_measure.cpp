#include "cli/arguments_measure.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cmath>
#include <memory>

#include "base/quantity_text.hpp"
#include "calibration/adaptor/adaptor.hpp"
#include "cli/measure_settings.hpp"
#include "cli/option_values.hpp"
#include "graphs/builtin.hpp"

namespace corecast::cli {
namespace {

constexpr const char* kExamples =
    "Example:\n"
    "  corecast measure mobilenet_v2 -o runs.csv\n"
    "  corecast measure model.onnx --axes \"intra=1-8 spin=on,off\" \\\n"
    "      --axes \"instances=2,4 intra=2\" -o runs.csv\n"
    "  corecast measure inception_v3 --framework-version legacy --budget 600 \\\n"
    "      -o runs.csv\n"
    "  corecast measure model.pt --shape x=1x3x224x224 --framework pytorch \\\n"
    "      -o runs.csv\n"
    "The same command continues what was interrupted.\n"
    "`corecast validate --measured runs.csv` compares.\n";

constexpr double kMostSeconds = 1e6;

using Text = std::optional<std::string>;

struct Raw {
  std::string model, framework = "onnxruntime", settings = "grid";
  std::vector<std::string> axes, shapes, values;
  Text version, output, batch, sequence, type, budget, date;
  Text processes, repetitions, warmup, minimum, process_budget, stable, timeout, seed;
  bool json = false;
};

double number_of(const char* option, const std::string& text, double least, double most) {
  const std::string wanted = fmt::format("a number from {} to {}", least, most);
  try {
    const double value = parse_number(text, wanted);
    if (value >= least && value <= most) return value;
  } catch (const InputError&) {
  }
  throw InputError(option, fmt::format("found {}, wanted {}", quote(text), wanted));
}

adaptor::Method method_of(const Raw& raw) {
  adaptor::Method method;
  const auto count = [](const char* option, const Text& text, int& member, long long least) {
    if (text) member = static_cast<int>(count_of(option, *text, 100'000, least));
  };
  count("--processes", raw.processes, method.processes, 1);
  count("--repetitions", raw.repetitions, method.repetitions, 1);
  count("--warmup", raw.warmup, method.warmup, 0);
  const auto seconds = [](const char* option, const Text& text, double& member, double least) {
    if (text) member = number_of(option, *text, least, kMostSeconds);
  };
  seconds("--min-time", raw.minimum, method.min_time_s, 0.0);
  seconds("--process-budget", raw.process_budget, method.budget_s, 0.0);
  seconds("--timeout", raw.timeout, method.timeout_s, 1.0);
  if (raw.stable) method.stable = number_of("--stable", *raw.stable, 0.0, 100.0) / 100.0;
  if (raw.seed) method.seed = static_cast<std::uint32_t>(count_of("--seed", *raw.seed, UINT32_MAX, 0));
  if (method.timeout_s <= method.budget_s + method.min_time_s)
    throw InputError("--timeout",
                     fmt::format("found {} s, and a process may warm up and measure for {} s",
                                 method.timeout_s, method.budget_s + method.min_time_s),
                     "a longer --timeout, or a shorter --process-budget");
  return method;
}

ModelOptions model_of(const Raw& raw) {
  ModelOptions options;
  options.model = raw.model;
  if (raw.batch) options.import.batch = count_of("--batch", *raw.batch, graphs::kMostBatch);
  options.import.shapes = shapes_of(raw.shapes);
  if (raw.sequence) options.form.sequence = count_of("--seq", *raw.sequence, graphs::kMostSequence);
  if (raw.type) {
    options.form.type = word_of<DataType>(
        "--dtype", *raw.type, {{"fp32", DataType::fp32}, {"bf16", DataType::bf16}, {"int8", DataType::int8}});
  }
  return options;
}

void check_value(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const std::string wanted = "NAME=NUMBER: an input and what it is filled with";
  if (equals == std::string::npos || equals == 0)
    throw InputError("--value", fmt::format("found {}, wanted {}", quote(text), wanted));
  try {
    (void)parse_number(text.substr(equals + 1), wanted);
  } catch (const InputError&) {
    throw InputError("--value", fmt::format("found {}, wanted {}", quote(text), wanted));
  }
}

MeasureOptions options_of(const Raw& raw) {
  MeasureOptions options;
  options.model = model_of(raw);
  const adaptor::Framework& framework = adaptor::framework_named(raw.framework);
  options.framework = framework.name;
  if (raw.version) {
    if (!framework.takes_version)
      throw InputError("--framework-version",
                       fmt::format("{} is the one that its Python has", framework.name),
                       "onnxruntime (of Node) is installed in several versions by setup.sh");
    options.version = *raw.version;
    if (options.version.empty())
      throw InputError("--framework-version", "is empty", "current, legacy or 1.30.0");
  }
  options.settings = raw.settings;
  options.axes = raw.axes;
  if (!raw.axes.empty() && raw.settings != "grid")
    throw InputError("--axes", "a file of settings is given too",
                     "--settings FILE or --axes, one of the two");
  for (const std::string& text : raw.values) check_value(text);
  options.values = raw.values;
  if (raw.output->empty() || *raw.output == "-")
    throw InputError("--output", fmt::format("found {}, wanted the name of a file", quote(*raw.output)),
                     "the report is what goes to standard output");
  options.output = *raw.output;
  options.method = method_of(raw);
  if (raw.budget) options.budget_s = number_of("--budget", *raw.budget, 1.0, kMostSeconds);
  if (raw.date) options.date = *raw.date;
  options.json = raw.json;
  return options;
}

std::vector<std::string> framework_names() {
  std::vector<std::string> names;
  for (const adaptor::Framework& framework : adaptor::frameworks()) names.push_back(framework.name);
  return names;
}

}  // namespace

Verb add_measure(CLI::App& parent) {
  auto raw = std::make_shared<Raw>();
  CLI::App* app = parent.add_subcommand(
      "measure",
      "The real framework over many settings: latencies in a CSV, and what they were measured on.");
  app->footer(kExamples);
  const auto text = [&](const char* name, Text& value, const char* type, const std::string& what) {
    return app
        ->add_option_function<std::string>(
            name, [&value](const std::string& given) { value = given; }, what)
        ->type_name(type);
  };
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* type,
                        const std::string& what) {
    app->add_option(name, values, what)
        ->type_name(type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  };
  app->add_option("MODEL", raw->model,
                  "an .onnx file, a built-in model's name, or for PyTorch a TorchScript .pt file")
      ->required()
      ->type_name("");
  text("-o,--output", raw->output, "FILE",
       "rows (CSV); FILE.json beside it has all samples; both are continued")
      ->required();
  app->add_option("--framework", raw->framework,
                  fmt::format("{}; default onnxruntime, the one that setup.sh installs for Node",
                              fmt::join(framework_names(), ", ")))
      ->type_name("F");
  text("--framework-version", raw->version, "V",
       "of onnxruntime: current (default), legacy (1.13), or 1.30.0");
  app->add_option(
         "--settings", raw->settings,
         "grid (default): thread counts up to twice the CPUs, spinning, two instances; or a CSV or JSON file")
      ->type_name("S");
  list("--axes", raw->axes, "AXES",
       fmt::format(
           "instead: all combinations of KEY=LIST ...; lists: 1,2,4 or 1-4 or 1-16*2; keys: {}; what is "
           "not named is as the framework has it (repeat)",
           fmt::join(measure_keys(), ", ")));
  text("--batch", raw->batch, "B", "size of the batch; default 1");
  text("--seq", raw->sequence, "L", "length of a built-in model's sequence; default: the model's own");
  text("--dtype", raw->type, "T", "of a built-in model: fp32 (default), bf16 or int8 (quantised)");
  list("--shape", raw->shapes, "S", "shape of an input the model leaves open: name=1x3x224x224 (repeat)");
  list("--value", raw->values, "N=X", "fill an input with a number instead of random ones (repeat)");
  text("--budget", raw->budget, "SEC", "stop after so long, and say what remains; the same command goes on");
  text("--processes", raw->processes, "N", "fresh processes of each setting, one a round; default 3");
  text("--repetitions", raw->repetitions, "N", "timed runs of a process, at least; default 10");
  text("--stable", raw->stable, "PCT",
       "more, until the median's 95 % interval is within PCT; default 2; 0: no more");
  text("--process-budget", raw->process_budget, "SEC", "but no longer than this; default 5");
  text("--warmup", raw->warmup, "N", "untimed runs before; default 5");
  text("--min-time", raw->minimum, "SEC", "least time of warm-up and of timing; default 0.2");
  text("--timeout", raw->timeout, "SEC", "give a process up after this time; default 120");
  text("--seed", raw->seed, "N", "of the inputs' random values; default 1");
  text("--date", raw->date, "TEXT", "kept in the file's context");
  app->add_flag("--json", raw->json, "print JSON instead of text");
  return {app, [raw]() -> Command { return options_of(*raw); }};
}

}  // namespace corecast::cli
