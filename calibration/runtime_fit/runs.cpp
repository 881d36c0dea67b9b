#include "calibration/runtime_fit/runs.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "hwmodels/machine_json.hpp"

namespace corecast::runtime_fit {
namespace {

constexpr const char* kSchema = "corecast.runtime_measurements/1";
constexpr int kMostThreads = 1 << 20;
constexpr double kMostSeconds = 1e5;

using Tree = nlohmann::ordered_json;

Run read_run(const json::Value& value) {
  json::Object object = value.object();
  Run run;
  run.name = object.required("case").text();
  run.threads = static_cast<int>(object.required("threads").whole(1, kMostThreads));
  if (const auto seconds = object.optional("seconds")) {
    for (const json::Value& one : seconds->array()) {
      const double time = one.number(0.0, kMostSeconds);
      if (!(time > 0.0)) one.fail("is not a time: wanted more than 0 s");
      run.seconds.push_back(time);
    }
  }
  if (const auto error = object.optional("error")) run.error = error->text();
  object.finish();
  if (run.seconds.empty() && run.error.empty()) value.fail("has neither \"seconds\" nor an \"error\"");
  return run;
}

void read_context(json::Object context, Runs& runs) {
  runs.source = context.required("source").text();
  runs.runtime = context.required("runtime").text();
  if (const auto date = context.optional("date")) runs.date = date->text();
  if (const auto version = context.optional("framework_version")) runs.framework_version = version->text();
  if (const auto libraries = context.optional("libraries")) {
    for (const json::Value& library : libraries->array()) runs.libraries.push_back(library.text());
  }
  if (const auto cpu = context.optional("cpu")) runs.cpu = cpu->text();
  if (const auto rounds = context.optional("rounds")) runs.rounds = static_cast<int>(rounds->whole(1, 1000));
  if (const auto warnings = context.optional("warnings")) {
    for (const json::Value& warning : warnings->array()) runs.warnings.push_back(warning.text());
  }
  context.finish();
}

}  // namespace

Runs parse_runs_json(std::string_view text, const std::string& file) {
  const json::Document document = json::parse(text, file);
  json::Object root = document.root().object();
  const json::Value schema = root.required("schema");
  if (schema.text() != kSchema)
    schema.fail(fmt::format("wanted \"{}\", found {}", kSchema, quote(schema.text())));
  Runs runs;
  read_context(root.required("context").object(), runs);
  runs.machine = hwmodels::parse_machine_json(root.required("machine").dump(), file + ": /machine");
  std::set<std::pair<std::string, int>> known;
  const json::Value list = root.required("runs");
  for (const json::Value& item : list.array()) {
    Run run = read_run(item);
    if (!known.emplace(run.name, run.threads).second)
      item.fail(fmt::format("case {} stands twice with {} threads", quote(run.name), run.threads));
    runs.runs.push_back(std::move(run));
  }
  if (runs.runs.empty()) list.fail("is empty, wanted a run of each case");
  root.finish();
  return runs;
}

Runs read_runs(const std::filesystem::path& path) {
  return parse_runs_json(read_file(path), path.string());
}

std::string to_json_text(const Runs& runs) {
  Tree context;
  context["source"] = runs.source;
  if (!runs.date.empty()) context["date"] = runs.date;
  context["runtime"] = runs.runtime;
  if (!runs.framework_version.empty()) context["framework_version"] = runs.framework_version;
  if (!runs.libraries.empty()) context["libraries"] = runs.libraries;
  if (!runs.cpu.empty()) context["cpu"] = runs.cpu;
  context["rounds"] = runs.rounds;
  if (!runs.warnings.empty()) context["warnings"] = runs.warnings;
  const auto dump = [](const Tree& tree) {
    return tree.dump(-1, ' ', false, Tree::error_handler_t::replace);
  };
  std::string text =
      fmt::format("{{\n \"schema\": \"{}\",\n \"context\": {},\n \"machine\": {},\n \"runs\": [", kSchema,
                  dump(context), dump(Tree::parse(hwmodels::to_json_text(runs.machine))));
  const char* separator = "\n  ";
  for (const Run& run : runs.runs) {
    Tree tree = {{"case", run.name}, {"threads", run.threads}};
    if (!run.seconds.empty()) tree["seconds"] = run.seconds;
    if (!run.error.empty()) tree["error"] = run.error;
    text += separator + dump(tree);
    separator = ",\n  ";
  }
  return text + "\n ]\n}\n";
}

}  // namespace corecast::runtime_fit
