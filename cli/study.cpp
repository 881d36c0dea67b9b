// The evaluation of the study behind corecast (Wang et al., "Exploiting Parallelism Opportunities with Deep Learning
// Frameworks", ACM TACO 18(1) 9, 2020), forecast: its workloads on its platforms.
#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/commands.hpp"
#include "cli/data_directory.hpp"
#include "cli/inputs.hpp"
#include "cli/progress_bar.hpp"
#include "cli/study_report.hpp"
#include "cli/terminal.hpp"
#include "graphs/builtin.hpp"
#include "graphs/metrics.hpp"
#include "graphs/training.hpp"
#include "hwmodels/machine_json.hpp"
#include "sim/search.hpp"

namespace corecast::cli {
namespace {

struct Platform {
  const char* name;
  const char* machine;
  const char* change;  // of the catalogue's machine, or ""
};

// The study's: a desktop of four cores, and one and two sockets of Skylake-SP with 24 cores, all with SMT.
constexpr std::array kPlatforms{
    Platform{"4 cores", "core-i7-6700k", ""},
    Platform{"24 cores", "xeon-8175m", "topology.sockets=1"},
    Platform{"2 x 24 cores", "xeon-8175m", ""},
};

struct Workload {
  graphs::BuiltinModel model;
  bool training = false;
};

// Every built-in model for inference; those that the study trains (images, recommenders, sequences without a step of
// decoding) for training too.
std::vector<Workload> workloads_of(const std::vector<std::string>& names) {
  std::vector<Workload> all;
  for (const graphs::BuiltinModel& model : graphs::builtin_models()) {
    if (!names.empty() && std::find(names.begin(), names.end(), model.name) == names.end()) continue;
    all.push_back({model, false});
    if (model.group != "synthetic" && !model.name.ends_with("_decode")) all.push_back({model, true});
  }
  for (const std::string& name : names) (void)graphs::builtin_named(name);  // tells an unknown one
  return all;
}

StudyCase case_of(const Workload& workload, double width, const graphs::Graph& graph,
                  const graphs::Graph& prepared, const Platform& platform, const sim::Target& target,
                  const StudyOptions& options, const sim::Runtime& runtime) {
  const sim::SearchResult found =
      sim::search(graph, prepared, target, runtime, {sim::Objective::latency, 1, options.jobs});
  StudyCase result;
  result.model = workload.model.name;
  result.group = workload.model.group;
  result.training = workload.training;
  result.platform = platform.name;
  result.width = width;
  result.pick = found.best.setting;
  result.latency = found.best.forecast.latency;
  for (std::size_t r = 0; r < kStudyRules.size(); ++r) {
    const auto rule = std::find_if(found.baselines.begin(), found.baselines.end(),
                                   [&](const auto& baseline) { return baseline.name == kStudyRules[r]; });
    CORECAST_CHECK(rule != found.baselines.end() && rule->feasible, "rule {}", kStudyRules[r]);
    result.rules[r] = {rule->setting, rule->forecast.latency};
  }
  return result;
}

std::vector<StudySummary> summaries_of(const StudyReport& report) {
  std::vector<StudySummary> summaries;
  const auto add = [&](const std::string& title, auto wanted) {
    std::vector<const StudyCase*> cases;
    for (const StudyCase& one : report.cases) {
      if (wanted(one)) cases.push_back(&one);
    }
    if (!cases.empty()) summaries.push_back(summary_of(title, cases));
  };
  for (const StudyPlatform& platform : report.platforms)
    add(platform.name, [&](const StudyCase& one) { return one.platform == platform.name; });
  add("inference", [](const StudyCase& one) { return !one.training; });
  add("training", [](const StudyCase& one) { return one.training; });
  add("all", [](const StudyCase&) { return true; });
  return summaries;
}

}  // namespace

std::string run(const StudyOptions& options) {
  if (options.csv) check_output("--csv", *options.csv);
  const std::vector<Workload> workloads = workloads_of(options.models);
  StudyReport report;
  report.runtime = load_runtime(options.runtime);
  report.batch = options.batch;
  const auto catalogue = hwmodels::read_catalogue(data_directory() / "machines");
  std::vector<sim::Target> targets;
  for (const Platform& platform : kPlatforms) {
    hwmodels::Machine machine = hwmodels::find_machine(catalogue, platform.machine);
    if (*platform.change != '\0')
      machine = hwmodels::changed(machine, {hwmodels::parse_change(platform.change)});
    report.platforms.push_back(
        {platform.name, (*platform.change == '\0' ? "" : "one socket of ") + machine.description});
    targets.push_back({std::move(machine), std::nullopt, std::nullopt});
  }
  {
    ProgressBar progress("forecasting the study");
    for (std::size_t w = 0; w < workloads.size(); ++w) {
      const Workload& workload = workloads[w];
      progress.step(workload.model.name, static_cast<double>(w) / static_cast<double>(workloads.size()));
      const graphs::WrittenModel written = graphs::write_model(
          workload.model.name, {.batch = options.batch, .sequence = {}, .type = DataType::fp32});
      const graphs::Graph graph = workload.training ? graphs::training_step(written) : written.graph;
      const graphs::Graph prepared = sim::prepare(graph, report.runtime);
      const double width = graphs::measure(graph).average_width;
      for (std::size_t p = 0; p < kPlatforms.size(); ++p) {
        report.cases.push_back(
            case_of(workload, width, graph, prepared, kPlatforms[p], targets[p], options, report.runtime));
      }
    }
  }
  report.summaries = summaries_of(report);
  if (options.csv) write_file(*options.csv, csv_of(report));
  return options.json ? json_of(report) : text_of(report, terminal_width());
}

}  // namespace corecast::cli
