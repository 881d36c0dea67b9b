#include "calibration/runtime_fit/forecaster.hpp"

namespace corecast::runtime_fit {

double Forecaster::seconds(const graphs::Graph& prepared, int threads) const {
  sim::Setting setting = setting_;
  setting.intra_op = threads;
  const sim::Plan plan = sim::make_plan(prepared, target_, runtime_, setting, seats_);
  Seconds sum{};
  for (const sim::OperatorPlan& op : plan.operators) sum += op.alone();
  return sum.value();
}

}  // namespace corecast::runtime_fit
