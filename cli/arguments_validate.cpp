#include "cli/arguments_validate.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "cli/option_values.hpp"

namespace corecast::cli {
namespace {

constexpr const char* kExamples =
    "Example:\n"
    "  corecast validate --measured runs.csv\n"
    "  corecast validate --measured a.csv b.csv --anchor intra_op=1 --plot a.svg\n"
    "  corecast validate --measured runs.csv --machine host --graph mine=model.onnx\n"
    "Columns of the files: calibration/evidence/README.md\n";

struct Raw {
  std::vector<std::string> measured, graphs, machines, runtimes, profiles, by;
  std::optional<std::string> anchor, top, csv, plot;
  bool rows = false, json = false;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// "NAME=VALUE", or a plain value where `plain` allows it.
NamedChoice choice_of(const char* option, const std::string& text, bool plain, const char* wanted) {
  const std::size_t equals = text.find('=');
  NamedChoice choice;
  if (equals == std::string::npos) {
    choice.value = text;
  } else {
    choice.name = text.substr(0, equals);
    choice.value = text.substr(equals + 1);
  }
  if (choice.value.empty() || (equals == std::string::npos ? !plain : choice.name.empty()))
    throw InputError(option, fmt::format("found {}, wanted {}", quote(text), wanted));
  return choice;
}

evidence::Anchor anchor_of(const std::string& text) {
  evidence::Anchor anchor;
  const std::vector<std::pair<std::string, std::optional<long long> evidence::Anchor::*>> keys{
      {"intra_op", &evidence::Anchor::intra_op},
      {"inter_op", &evidence::Anchor::inter_op},
      {"instances", &evidence::Anchor::instances},
      {"batch", &evidence::Anchor::batch}};
  for (const std::string& part : split(text)) {
    const NamedChoice choice = choice_of("--anchor", part, false, "KEY=COUNT, for instance intra_op=1");
    auto& member = anchor.*word_of("--anchor", choice.name, keys);
    if (member) throw InputError("--anchor", fmt::format("{} is given twice", quote(choice.name)));
    member = count_of("--anchor " + choice.name, choice.value, 1'000'000);
  }
  return anchor;
}

std::optional<std::filesystem::path> file_of(const char* option, const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  if (text->empty() || *text == "-")
    throw InputError(option, fmt::format("found {}, wanted the name of a file", quote(*text)),
                     "the report is what goes to standard output");
  return std::filesystem::path(*text);
}

ValidateOptions options_of(const Raw& raw) {
  ValidateOptions options;
  options.measured.assign(raw.measured.begin(), raw.measured.end());
  for (const std::string& text : raw.graphs)
    options.graphs.push_back(
        choice_of("--graph", text, false, "NAME=MODEL: a name in the data and its model"));
  for (const std::string& text : raw.machines)
    options.machines.push_back(choice_of("--machine", text, true, "M, or NAME=M for a name in the data"));
  for (const std::string& text : raw.runtimes)
    options.runtimes.push_back(choice_of("--runtime", text, true, "R, MODE=R or FRAMEWORK=R"));
  for (const std::string& text : raw.profiles)
    options.profiles.push_back(
        choice_of("--profile", text, false, "NAME=FILE: a name in the data and a profile of its model"));
  if (raw.anchor) options.anchor = anchor_of(*raw.anchor);
  using Key = bool ValidateOptions::*;
  for (const std::string& text : raw.by) {
    for (const std::string& key : split(text)) {
      options.*word_of<Key>("--by", key,
                            {{"mode", &ValidateOptions::by_mode},
                             {"inter_op", &ValidateOptions::by_inter_op},
                             {"spin", &ValidateOptions::by_spin},
                             {"runtime", &ValidateOptions::by_runtime}}) = true;
    }
  }
  if (raw.top) options.top = static_cast<int>(count_of("--top", *raw.top, kMostRows));
  options.csv = file_of("--csv", raw.csv);
  options.plot = file_of("--plot", raw.plot);
  options.rows = raw.rows;
  options.json = raw.json;
  return options;
}

}  // namespace

Verb add_validate(CLI::App& parent) {
  auto raw = std::make_shared<Raw>();
  CLI::App* app = parent.add_subcommand(
      "validate", "Forecasts against measurements: errors, and what a pick by forecast would have cost.");
  app->footer(kExamples);
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* type,
                        const char* what) {
    return app->add_option(name, values, what)
        ->type_name(type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  };
  const auto text = [&](const char* name, std::optional<std::string>& value, const char* type,
                        const char* what) {
    app->add_option_function<std::string>(
           name, [&value](const std::string& given) { value = given; }, what)
        ->type_name(type);
  };
  app->add_option("--measured", raw->measured, "CSV files of measurements (several, or repeat)")
      ->type_name("FILE")
      ->required();
  list(
      "--graph", raw->graphs, "N=MODEL",
      "model that the name N in the data stands for: a file or a built-in (repeat); default: the built-in of "
      "that name");
  list("--machine", raw->machines, "[N=]M",
       "of all rows, or of those of the machine M where the data has several; N=M: of the name N in the data "
       "(repeat); default: the catalogue's of that name");
  list("--runtime", raw->runtimes, "[K=]R",
       "of all rows, or of those of the mode or framework K (repeat); default: by framework and mode; a "
       "runtime "
       "file stands in for the runtime of its name");
  list("--profile", raw->profiles, "N=FILE",
       "one profiled run of the model N, to fit its operators to, as in `tune --profile` (repeat); its batch "
       "has to be that of the rows");
  text("--anchor", raw->anchor, "K=N,..",
       "scale each group's forecasts to its row with intra_op, inter_op, instances or batch = N");
  list("--by", raw->by, "KEY,..", "also split groups by mode, inter_op, spin, runtime");
  text("--top", raw->top, "K", "groups and rows to list; default 10");
  app->add_flag("--rows", raw->rows, "all rows in the JSON too");
  text("--csv", raw->csv, "FILE", "write a line a row: forecast, measured, error");
  text("--plot", raw->plot, "FILE", "write an SVG: forecast against measured, and scaling");
  app->add_flag("--json", raw->json, "print JSON instead of text");
  return {app, [raw]() -> Command { return options_of(*raw); }};
}

}  // namespace corecast::cli
