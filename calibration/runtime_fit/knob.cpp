#include "calibration/runtime_fit/knob.hpp"

#include <utility>

#include "base/error.hpp"

namespace corecast::runtime_fit {
namespace {

constexpr double kLeastEfficiency = 1e-3, kMostEfficiency = 1.0;
constexpr double kLeastMemory = 5e-3,
                 kMostMemory = 2.0;  // above 1: a result in its input's place moves fewer bytes
constexpr double kLeastHalf = 0.1, kMostHalf = 60.0;
constexpr double kMostSmoothing = 8.0;
constexpr double kLeastCost = 1e-9, kMostCost = 1e-2;

Knob knob(std::string path, double prior, double lower, double upper, int rank) {
  Knob result;
  result.path = std::move(path);
  result.unknown.name = result.path;
  result.unknown.prior = prior;
  result.unknown.start = prior;
  result.unknown.lower = lower;
  result.unknown.upper = upper;
  result.unknown.rank = rank;
  return result;
}

Knob figure(const std::string& path, hwmodels::Value<double>& value, double lower, double upper, int rank) {
  Knob result = knob(path, value.value, lower, upper, rank);
  result.unknown.prior_error = value.relative_error;
  result.unknown.least_known =
      0.8;  // a kernel that the closed form describes badly is still known better than before
  result.get = [&value] { return value.value; };
  result.set = [&value](double x) { value.value = x; };
  return result;
}

// A size at which a side of the product halves the efficiency; a small one is as good as none.
Knob half(const std::string& path, double& value) {
  Knob result = knob(path, value, kLeastHalf, kMostHalf, 2);
  result.unknown.least_known = 0.6;
  result.unknown.prior_error = 0.5;
  result.get = [&value] { return value; };
  result.set = [&value](double x) { value = x; };
  return result;
}

}  // namespace

std::vector<Knob> knobs_of_entry(sim::Runtime& runtime, const std::string& entry, const EntryKnobs& which) {
  sim::KernelModel& model = model_at(runtime, entry);
  const auto path = [&](const char* name) { return entry + "." + name; };
  std::vector<Knob> knobs;
  knobs.push_back(figure(path("efficiency"), model.efficiency, kLeastEfficiency, kMostEfficiency, 0));
  knobs.push_back(figure(path("memory_efficiency"), model.memory_efficiency, kLeastMemory, kMostMemory, 1));
  if (which.halves) {
    knobs.push_back(half(path("m_half"), model.m_half));
    if (!which.m_only) {
      knobs.push_back(half(path("n_half"), model.n_half));
      knobs.push_back(half(path("k_half"), model.k_half));
    }
  }
  if (which.unpacked) {
    Knob unpacked = knob(path("unpacked"), model.unpacked, 0.05, 1.5, 3);
    unpacked.get = [&model] { return model.unpacked; };
    unpacked.set = [&model](double x) { model.unpacked = x; };
    knobs.push_back(std::move(unpacked));
  }
  if (which.smoothing) {
    Knob smoothing =
        knob(path("smoothing"), model.smoothing.value_or(runtime.smoothing.value), 1.0, kMostSmoothing, 4);
    smoothing.unknown.logarithmic = false;
    smoothing.get = [&model, &runtime] { return model.smoothing.value_or(runtime.smoothing.value); };
    smoothing.set = [&model](double x) { model.smoothing = x; };
    knobs.push_back(std::move(smoothing));
  }
  if (which.dispatch) {
    const Seconds now = model.dispatch ? model.dispatch->value : runtime.dispatch.value;
    Knob dispatch = knob(path("dispatch"), now.value(), kLeastCost, kMostCost, 3);
    dispatch.get = [&model, &runtime] {
      return (model.dispatch ? model.dispatch->value : runtime.dispatch.value).value();
    };
    dispatch.set = [&model, &runtime](double x) {
      if (!model.dispatch) model.dispatch = runtime.dispatch;
      model.dispatch->value = Seconds(x);
    };
    knobs.push_back(std::move(dispatch));
  }
  return knobs;
}

Knob cost_knob(sim::Runtime& runtime, const std::string& name) {
  const auto value_of = [&]() -> hwmodels::Value<Seconds>& {
    if (name == "run") return runtime.run;
    if (name == "run_per_input") return runtime.run_per_input;
    if (name == "dispatch") return runtime.dispatch;
    CORECAST_CHECK(name == "fork", "no such cost: {}", name);
    return runtime.fork;
  };
  hwmodels::Value<Seconds>& value = value_of();
  Knob result = knob("costs." + name, value.value.value(), kLeastCost, kMostCost, 0);
  result.unknown.start = value.value.value() > 0.0 ? value.value.value() : 1e-6;
  result.unknown.prior_error = value.relative_error;
  result.unknown.least_known = 0.8;
  result.get = [&value] { return value.value.value(); };
  result.set = [&value](double x) { value.value = Seconds(x); };
  return result;
}

}  // namespace corecast::runtime_fit
