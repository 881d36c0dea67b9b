#include "tests/cases/checks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "graphs/builtin.hpp"
#include "graphs/quantize.hpp"
#include "graphs/training.hpp"
#include "hwmodels/host.hpp"
#include "hwmodels/machine_json.hpp"
#include "sim/advice.hpp"

namespace corecast::cases {
namespace {

constexpr double kNoise = 1.1;  // below: no difference that two runs tell apart
constexpr double kLarge = 1.3;  // above: half of the effect is asked for
constexpr double kSameWithin = 1.25;

bool within(double a, double b, double factor) {
  return std::abs(std::log(a / b)) <= std::log(factor) * (1.0 + 1e-9);
}

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

// The best first: of latencies the shortest, of rates the highest; of equal ones the earlier.
std::size_t best_of(const std::vector<double>& values, Metric metric) {
  const auto found = metric == Metric::latency ? std::min_element(values.begin(), values.end())
                                               : std::max_element(values.begin(), values.end());
  return static_cast<std::size_t>(found - values.begin());
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

Outcome Forecaster::ordering(const Case& one, const Check& check) {
  const double faster = value_of(one, check.points[0], check.metric);
  const double slower = value_of(one, check.points[1], check.metric);
  const double ratio = check.metric == Metric::latency ? slower / faster : faster / slower;
  Outcome outcome{.forecast = fmt::format("{:.3g} x", ratio), .measured = "faster"};
  if (check.measured.empty()) {
    outcome.holds = ratio > 1.0;
    return outcome;
  }
  const double measured = check.measured.front();
  outcome.measured = fmt::format("{:.3g} x", measured);
  if (measured < kNoise) {
    outcome.holds = within(ratio, measured, kSameWithin);
  } else {
    outcome.holds = measured > kLarge ? ratio >= std::sqrt(measured) : ratio > 1.0;
    outcome.overstated = ratio > measured * measured;
  }
  return outcome;
}

Outcome Forecaster::curve(const Case& one, const Check& check) {
  std::vector<double> values;
  for (const std::string& point : check.points) values.push_back(value_of(one, point, check.metric));
  const std::vector<double> forecast = ratios(values), measured = ratios(check.measured);
  Outcome outcome{.holds = true, .forecast = listed(forecast), .measured = listed(measured)};
  for (std::size_t i = 1; i < measured.size(); ++i) {
    if (check.tolerance && !within(forecast[i], measured[i], 1.0 + *check.tolerance)) outcome.holds = false;
    const double step = measured[i] / measured[i - 1];
    if (within(step, 1.0, kNoise)) continue;
    const double ours = forecast[i] / forecast[i - 1];
    if (step > 1.0 ? ours <= 1.0 : ours >= 1.0) outcome.holds = false;
  }
  return outcome;
}

Outcome Forecaster::best(const Case& one, const Check& check) {
  std::vector<double> values;
  for (const std::string& point : check.points) values.push_back(value_of(one, point, check.metric));
  const std::size_t pick = best_of(values, check.metric), best = best_of(check.measured, check.metric);
  const double regret = check.metric == Metric::latency ? check.measured[pick] / check.measured[best] - 1.0
                                                        : check.measured[best] / check.measured[pick] - 1.0;
  return {.holds = regret <= *check.tolerance + 1e-9,
          .forecast =
              fmt::format("{}: +{:.1f} %; {}", check.points[pick], 100.0 * regret, listed(ratios(values))),
          .measured = fmt::format("{}; {}", check.points[best], listed(ratios(check.measured)))};
}

Outcome Forecaster::advice(const Case& one, const Check& check) {
  const Point& point = one.point(check.points[0]);
  const Graphs& graphs = graphs_of(point.model, one.runtime);
  sim::AdviceOptions options;
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
