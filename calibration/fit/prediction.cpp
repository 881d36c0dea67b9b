#include "calibration/fit/prediction.hpp"

#include <vector>

#include "calibration/fit/row_model.hpp"

namespace corecast::calibration {

Prediction::Prediction(const hwmodels::Machine& machine) : machine_(machine), index_(machine) {}

Prediction::Prediction(const Calibration& calibration) : Prediction(calibration.machine) {
  for (const Parameter& parameter : calibration.parameters) {
    if (is_factor(parameter.path)) factors_[parameter.path] = parameter.value;
  }
}

std::optional<Predicted> Prediction::of(const Row& row) const {
  const auto model = row_model(machine_, row);
  if (!model) return std::nullopt;
  std::vector<double> values;
  for (const std::string& path : model->paths) {
    if (is_factor(path)) {
      const auto found = factors_.find(path);
      values.push_back(found == factors_.end() ? usual_factor(path) : found->second);
      continue;
    }
    const MachineValue* value = index_.find(path);
    if (value == nullptr) return std::nullopt;
    values.push_back(value->value);
  }
  return Predicted{model->group, model->value(values)};
}

std::optional<double> predicted(const hwmodels::Machine& machine, const Row& row) {
  const auto found = Prediction(machine).of(row);
  return found ? std::optional(found->value) : std::nullopt;
}

std::optional<double> predicted(const Calibration& calibration, const Row& row) {
  const auto found = Prediction(calibration).of(row);
  return found ? std::optional(found->value) : std::nullopt;
}

}  // namespace corecast::calibration
