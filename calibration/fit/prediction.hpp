// What a machine, with the factors fitted beside it, says of many rows: predicted() looks its values up once a call.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "calibration/fit/calibration.hpp"
#include "calibration/fit/machine_values.hpp"

namespace corecast::calibration {

struct Predicted {
  std::string group;   // reporting group of the row
  double value = 0.0;  // in the row's unit
};

// Keeps a reference to the machine.
class Prediction {
 public:
  explicit Prediction(const hwmodels::Machine& machine);
  explicit Prediction(const Calibration& calibration);
  // Nothing when no closed form covers the row.
  [[nodiscard]] std::optional<Predicted> of(const Row& row) const;

 private:
  const hwmodels::Machine& machine_;
  MachineIndex index_;
  std::map<std::string, double> factors_;  // by path; without an entry, the usual one
};

}  // namespace corecast::calibration
