// Forecasts of measured settings: each graph is made once, prepared once for each runtime, and each distinct effective setting is
// simulated once.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibration/evidence/names.hpp"
#include "graphs/graph.hpp"
#include "graphs/metrics.hpp"
#include "sim/forecast.hpp"

namespace corecast::evidence {

// A machine that a name in the data stands for.
struct KnownMachine {
  hwmodels::Machine machine;  // as the hardware is: its measured library kernels count
  sim::Target target;
};
using KnownMachines = std::map<std::string, KnownMachine>;  // by the name in the data

// What a model is made of: a file, or a built-in name.
struct ModelForm {
  std::string model;
  bool file = false;
  std::int64_t batch = 1;
  std::optional<std::int64_t> sequence;
  std::string
      profile;  // file of one profiled run that its operators are fitted to (calibration/profile); empty: none
  friend auto operator<=>(const ModelForm&, const ModelForm&) = default;
};

struct ModelGraph {
  graphs::Graph graph;
  graphs::Metrics metrics;
};

class Forecaster {
 public:
  // The arguments must outlive it.
  Forecaster(const KnownMachines& machines, const std::vector<sim::Runtime>& runtimes);
  ~Forecaster();
  Forecaster(const Forecaster&) = delete;
  Forecaster& operator=(const Forecaster&) = delete;

  // A reason where the model cannot be had in that form.
  [[nodiscard]] Or<const ModelGraph*> graph(const ModelForm& form);
  // The runtime with the kernels that were measured on that machine; both names must be known.
  [[nodiscard]] const sim::Runtime& runtime(const std::string& machine, const std::string& runtime);
  // What may be used of the machine, under a CPU quota where there is one.
  [[nodiscard]] sim::Target target(const std::string& machine, std::optional<double> quota) const;
  // A reason where the setting cannot be had. InputError where a profile cannot be read, tells no number of threads or is of
  // another model. A profile counts for the runtimes of its framework; the others are forecast without.
  [[nodiscard]] Or<sim::Forecast> forecast(const ModelForm& form, const std::string& machine,
                                           std::optional<double> quota, const sim::Setting& setting);
  [[nodiscard]] std::size_t simulated() const;

 private:
  [[nodiscard]] const sim::Runtime& fitted(const ModelForm& form, const graphs::Graph& graph,
                                           const std::string& machine, const std::string& runtime);
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace corecast::evidence
