#include "calibration/evidence/forecaster.hpp"

#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "calibration/profile/fit.hpp"
#include "calibration/profile/profile.hpp"
#include "calibration/profile/trace.hpp"
#include "graphs/builtin.hpp"
#include "graphs/graph_json.hpp"
#include "sim/placement.hpp"

namespace corecast::evidence {
namespace {

graphs::Graph make(const ModelForm& form) {
  if (form.file) {
    graphs::ImportOptions options;
    options.batch = form.batch;
    return graphs::load_model(form.model, options);
  }
  return graphs::write_model(form.model,
                             {.batch = form.batch, .sequence = form.sequence, .type = DataType::fp32})
      .graph;
}

std::string text_of(const sim::Setting& s) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {}", s.runtime, name_of(s.mode), s.instances, s.inter_op,
                     s.intra_op, s.smt, name_of(s.placement), s.spin, name_of(s.memory), name_of(s.allocator),
                     name_of(s.pinning));
}

}  // namespace

struct Forecaster::State {
  const KnownMachines& machines;
  const std::vector<sim::Runtime>& runtimes;
  std::map<ModelForm, Or<ModelGraph>> graphs;
  std::map<std::pair<ModelForm, std::string>, graphs::Graph> prepared;
  std::map<std::pair<std::string, std::string>, sim::Runtime> with_kernels;
  std::map<std::string, calibration::profile::Profile> profiles;  // by file
  std::map<std::tuple<ModelForm, std::string, std::string>, sim::Runtime> fitted;
  std::map<std::string, sim::Seats> seats;
  std::map<std::tuple<ModelForm, std::string, std::optional<double>, std::string>, Or<sim::Forecast>>
      forecasts;
};

Forecaster::Forecaster(const KnownMachines& machines, const std::vector<sim::Runtime>& runtimes)
    : state_(new State{machines, runtimes, {}, {}, {}, {}, {}, {}, {}}) {}
Forecaster::~Forecaster() = default;

Or<const ModelGraph*> Forecaster::graph(const ModelForm& form) {
  auto found = state_->graphs.find(form);
  if (found == state_->graphs.end()) {
    Or<ModelGraph> made = Reason{};
    try {
      graphs::Graph graph = make(form);
      graphs::Metrics metrics = graphs::measure(graph);
      made = ModelGraph{std::move(graph), std::move(metrics)};
    } catch (const InputError& error) {
      // By the file's name, not its path: the same data gives the same report everywhere.
      made = Reason{
          fmt::format("{}: {}", std::filesystem::path(form.model).filename().string(), error.problem())};
    }
    found = state_->graphs.emplace(form, std::move(made)).first;
  }
  if (const auto* reason = std::get_if<Reason>(&found->second)) return *reason;
  return &std::get<ModelGraph>(found->second);
}

const sim::Runtime& Forecaster::runtime(const std::string& machine, const std::string& runtime) {
  const auto key = std::make_pair(machine, runtime);
  const auto found = state_->with_kernels.find(key);
  if (found != state_->with_kernels.end()) return found->second;
  return state_->with_kernels
      .emplace(key, sim::with_kernels_of(sim::find_runtime(state_->runtimes, runtime),
                                         state_->machines.at(machine).machine))
      .first->second;
}

const sim::Runtime& Forecaster::fitted(const ModelForm& form, const graphs::Graph& graph,
                                       const std::string& machine, const std::string& name) {
  namespace prof = calibration::profile;
  const sim::Runtime& plain = runtime(machine, name);
  if (form.profile.empty()) return plain;
  auto read = state_->profiles.find(form.profile);
  if (read == state_->profiles.end()) {
    read = state_->profiles
               .emplace(form.profile,
                        prof::profile_of(prof::read_trace(form.profile), prof::heavy_operators(graph)))
               .first;
  }
  const prof::Profile& profile = read->second;
  if (plain.framework != name_of(profile.source)) return plain;
  const auto key = std::make_tuple(form, machine, name);
  const auto found = state_->fitted.find(key);
  if (found != state_->fitted.end()) return found->second;
  if (!profile.intra_op) {
    throw InputError("--profile", fmt::format("{} does not tell how many threads its run had", form.profile),
                     "`corecast tune --profile` can be told; here the trace has to tell");
  }
  sim::Setting setting;
  setting.runtime = name;
  setting.batch = form.batch;
  setting.intra_op = *profile.intra_op;
  return state_->fitted
      .emplace(key, prof::fit_profile(profile, graph, target(machine, std::nullopt), plain, setting).runtime)
      .first->second;
}

sim::Target Forecaster::target(const std::string& machine, std::optional<double> quota) const {
  sim::Target target = state_->machines.at(machine).target;
  if (quota) target.quota_cpus = quota;
  return target;
}

Or<sim::Forecast> Forecaster::forecast(const ModelForm& form, const std::string& machine,
                                       std::optional<double> quota, const sim::Setting& setting) {
  const auto model = graph(form);
  if (const auto* reason = std::get_if<Reason>(&model)) return *reason;
  const sim::Runtime& own = fitted(form, std::get<const ModelGraph*>(model)->graph, machine, setting.runtime);
  const sim::Target use = target(machine, quota);
  const sim::Setting real = sim::effective(use, own, setting);
  const auto key = std::make_tuple(form, machine, quota, text_of(real));
  if (const auto found = state_->forecasts.find(key); found != state_->forecasts.end()) return found->second;
  auto prepared = state_->prepared.find({form, setting.runtime});
  if (prepared == state_->prepared.end()) {
    prepared = state_->prepared
                   .emplace(std::make_pair(form, setting.runtime),
                            sim::prepare(std::get<const ModelGraph*>(model)->graph, own))
                   .first;
  }
  auto seats = state_->seats.find(machine);
  if (seats == state_->seats.end()) seats = state_->seats.emplace(machine, use.machine).first;
  Or<sim::Forecast> made = Reason{};
  try {
    sim::Plan plan = sim::make_plan(prepared->second, use, own, real, seats->second);
    made = sim::evaluate_plan(prepared->second, use, own, real, std::move(plan)).forecast;
  } catch (const InputError& error) {
    made = Reason{error.what()};
  }
  return state_->forecasts.emplace(key, std::move(made)).first->second;
}

std::size_t Forecaster::simulated() const {
  return state_->forecasts.size();
}

}  // namespace corecast::evidence
