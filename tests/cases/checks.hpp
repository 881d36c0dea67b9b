// Whether the forecasts of a case agree with what its user saw.
// Bars: bars.hpp.
//
//   ordering        one setting is faster than another
//   curve           settings against the first of them
//   best            what was measured at the setting that is forecast best is within the regret of the best
//   advice          one of the codes stands in the advice for the user's setting, as its code or its cause
//   threads         threads that a setting creates, without the caller
//   quota_threads   threads that a quota leaves
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graphs/graph.hpp"
#include "hwmodels/machine.hpp"
#include "sim/forecast.hpp"
#include "sim/runtime.hpp"
#include "tests/cases/user_cases.hpp"

namespace corecast::cases {

struct Outcome {
  bool holds = false;
  bool overstated = false;
  std::string forecast{}, measured{};  // in a few words, for the table
};

class Forecaster {
 public:
  // `data` holds machines and runtimes; `cases` machines of its own.
  Forecaster(const std::filesystem::path& data, const UserCases& cases);

  [[nodiscard]] Outcome run(const Case& one, const Check& check);

 private:
  struct Graphs {
    graphs::Graph imported, prepared;
  };
  [[nodiscard]] const Graphs& graphs_of(const Model& model, const std::string& runtime);
  [[nodiscard]] hwmodels::Machine machine_named(const std::string& name) const;
  [[nodiscard]] sim::Target target_of(const Case& one, const Point& point) const;
  [[nodiscard]] double value_of(const Case& one, const std::string& point, Metric metric);

  [[nodiscard]] std::vector<double> values_of(const Case& one, const Check& check);

  [[nodiscard]] Outcome ordering(const Case& one, const Check& check);
  [[nodiscard]] Outcome curve(const Case& one, const Check& check);
  [[nodiscard]] Outcome best(const Case& one, const Check& check);
  [[nodiscard]] Outcome advice(const Case& one, const Check& check);
  [[nodiscard]] Outcome threads(const Case& one, const Check& check) const;
  [[nodiscard]] Outcome quota_threads(const Case& one, const Check& check) const;

  std::vector<hwmodels::Machine> machines_;
  std::vector<sim::Runtime> runtimes_;
  std::map<std::pair<std::string, Model>, Graphs> graphs_;
};

}  // namespace corecast::cases
