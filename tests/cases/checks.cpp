#include "tests/cases/checks.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "graphs/builtin.hpp"
#include "graphs/quantize.hpp"
#include "graphs/training.hpp"
#include "hwmodels/host.hpp"
#include "hwmodels/machine_json.hpp"
#include "sim/advice.hpp"
#include "tests/cases/bars.hpp"

namespace corecast::cases {
namespace {

graphs::Graph built(const Model& model) {
  const bool quantise = model.type == DataType::int8;
  graphs::WrittenModel written = graphs::write_model(
      model.name,
      {.batch = model.batch, .sequence = model.sequence, .type = quantise ? DataType::fp32 : model.type});
  if (quantise) written = graphs::quantized(written);
  return model.training ? graphs::training_step(written) : std::move(written.graph);
}

std::string listed(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{:.3g}", text.empty() ? "" : " ", value);
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Against the first.
std::vector<double> ratios(const std::vector<double>& values) {
  std::vector<double> out;
  for (const double value : values) out.push_back(value / values.front());
  return out;
}

}  // namespace

Forecaster::Forecaster(const std::filesystem::path& data, const UserCases& cases)
    : machines_(hwmodels::read_catalogue(data / "machines")),
      runtimes_(sim::read_runtimes(data / "runtimes")) {
  machines_.insert(machines_.end(), cases.machines.begin(), cases.machines.end());
}

hwmodels::Machine Forecaster::machine_named(const std::string& name) const {
  return hwmodels::find_machine(machines_, name);
}

const Forecaster::Graphs& Forecaster::graphs_of(const Model& model, const std::string& runtime) {
  const auto key = std::pair(runtime, model);
  auto found = graphs_.find(key);
  if (found == graphs_.end()) {
    graphs::Graph imported = built(model);
    graphs::Graph prepared = sim::prepare(imported, sim::find_runtime(runtimes_, runtime));
    found = graphs_.emplace(key, Graphs{std::move(imported), std::move(prepared)}).first;
  }
  return found->second;
}

sim::Target Forecaster::target_of(const Case& one, const Point& point) const {
  hwmodels::Host host;
  host.machine = machine_named(one.machine);
  host.grant.online.resize(static_cast<std::size_t>(host.machine.logical_cpus()));
  std::iota(host.grant.online.begin(), host.grant.online.end(), 0);
  host.grant.affinity = host.grant.online;
  if (!point.grant.cpus.empty()) host.grant.cpuset = point.grant.cpus;
  sim::Target target;
  target.machine = hwmodels::granted_machine(host);
  target.quota_cpus = point.grant.quota_cpus;
  return target;
}

double Forecaster::value_of(const Case& one, const std::string& name, Metric metric) {
  const Point& point = one.point(name);
  const sim::Runtime runtime = sim::find_runtime(runtimes_, one.runtime);
  const sim::Forecast forecast = sim::evaluate(graphs_of(point.model, one.runtime).prepared,
                                               target_of(one, point), runtime, point.setting)
                                     .forecast;
  return metric == Metric::latency ? forecast.latency.value() : forecast.throughput_per_s;
}

std::vector<double> Forecaster::values_of(const Case& one, const Check& check) {
  std::vector<double> values;
  for (const std::string& point : check.points) values.push_back(value_of(one, point, check.metric));
  return values;
}

Outcome Forecaster::ordering(const Case& one, const Check& check) {
  const double faster = value_of(one, check.points[0], check.metric);
  const double slower = value_of(one, check.points[1], check.metric);
  const double ratio = check.metric == Metric::latency ? slower / faster : faster / slower;
  const std::optional<double> measured =
      check.measured.empty() ? std::nullopt : std::optional(check.measured.front());
  return {.holds = agrees(ratio, measured),
          .overstated = overstates(ratio, measured),
          .forecast = fmt::format("{:.3g} x", ratio),
          .measured = measured ? fmt::format("{:.3g} x", *measured) : "faster"};
}

Outcome Forecaster::curve(const Case& one, const Check& check) {
  const std::vector<double> values = values_of(one, check);
  return {.holds = follows(values, check.measured, check.tolerance),
          .forecast = listed(ratios(values)),
          .measured = listed(ratios(check.measured))};
}

Outcome Forecaster::best(const Case& one, const Check& check) {
  const std::vector<double> values = values_of(one, check);
  const Pick pick = check.metric == Metric::latency ? pick_least(values, check.measured)
                                                    : pick_most(values, check.measured);
  return {.holds = pick.regret <= *check.tolerance + 1e-9,
          .forecast = fmt::format("{}: +{:.1f} %; {}", check.points[pick.forecast], 100.0 * pick.regret,
                                  listed(ratios(values))),
          .measured = fmt::format("{}; {}", check.points[pick.measured], listed(ratios(check.measured)))};
}

Outcome Forecaster::advice(const Case& one, const Check& check) {
  const Point& point = one.point(check.points[0]);
  const Graphs& graphs = graphs_of(point.model, one.runtime);
  sim::AdviceOptions options;
  options.objective = check.objective;
  options.online_cpus = machine_named(one.machine).logical_cpus();
  Outcome outcome{.measured = joined(check.codes)};
  std::vector<std::string> given;
  for (const sim::Advice& piece :
       sim::advise(graphs.imported, graphs.prepared, target_of(one, point),
                   sim::find_runtime(runtimes_, one.runtime), point.setting, options)) {
    for (const std::string& code : {piece.code, piece.cause}) {
      if (code.empty()) continue;
      given.push_back(code);
      if (std::find(check.codes.begin(), check.codes.end(), code) != check.codes.end()) outcome.holds = true;
    }
  }
  outcome.forecast = given.empty() ? "none" : joined(given);
  return outcome;
}

Outcome Forecaster::threads(const Case& one, const Check& check) const {
  const sim::Runtime runtime = sim::find_runtime(runtimes_, one.runtime);
  std::vector<double> extra;
  for (const std::string& point : check.points)
    extra.push_back(sim::threads_of(runtime, one.point(point).setting) - 1.0);
  return {.holds = extra == check.measured, .forecast = listed(extra), .measured = listed(check.measured)};
}

Outcome Forecaster::quota_threads(const Case& one, const Check& check) const {
  std::vector<double> threads;
  for (const std::string& quota : check.points) {
    const sim::Target target{machine_named(one.machine), std::stod(quota), std::nullopt};
    threads.push_back(target.cpus());
  }
  return {
      .holds = threads == check.measured, .forecast = listed(threads), .measured = listed(check.measured)};
}

Outcome Forecaster::run(const Case& one, const Check& check) {
  if (check.type == "ordering") return ordering(one, check);
  if (check.type == "curve") return curve(one, check);
  if (check.type == "best") return best(one, check);
  if (check.type == "advice") return advice(one, check);
  return check.type == "threads" ? threads(one, check) : quota_threads(one, check);
}

}  // namespace corecast::cases
