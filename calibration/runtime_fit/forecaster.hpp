// The closed form that is fitted: sim::make_plan of the prepared model, summed. One operator after the other, no more
// threads than cores and nobody else on the machine, so this is what the simulation gives (tests/runtime_fit).
//
//   t = sum over operators of  dispatch + serial + fork_join + parallel     [s]
//
// Left out: whatever only arises when operators overlap or threads exceed CPUs.
#pragma once

#include "graphs/graph.hpp"
#include "sim/forecast.hpp"
#include "sim/placement.hpp"
#include "sim/runtime.hpp"

namespace corecast::runtime_fit {

class Forecaster {
 public:
  Forecaster(const hwmodels::Machine& machine, sim::Runtime runtime)
      : target_{machine, std::nullopt, std::nullopt}, seats_(machine), runtime_(std::move(runtime)) {
    setting_.runtime = runtime_.name;
  }

  // Its numbers may be changed; what it fuses may not, since models are prepared once.
  [[nodiscard]] sim::Runtime& runtime() { return runtime_; }
  [[nodiscard]] const sim::Runtime& runtime() const { return runtime_; }
  [[nodiscard]] const hwmodels::Machine& machine() const { return target_.machine; }

  [[nodiscard]] double seconds(const graphs::Graph& prepared, int threads) const;

 private:
  sim::Target target_;
  sim::Seats seats_;
  sim::Runtime runtime_;
  sim::Setting setting_;
};

}  // namespace corecast::runtime_fit
