// For the tests of the fit: machines of the catalogue, truths near them, and rows.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "calibration/fit/calibration.hpp"
#include "calibration/fit/machine_values.hpp"
#include "calibration/fit/synthetic.hpp"
#include "hwmodels/machine_json.hpp"

namespace corecast::calibration {

inline hwmodels::Machine machine_named(const std::string& name) {
  return hwmodels::read_machine(std::string(CORECAST_DATA_DIR "/machines/") + name + ".json");
}

inline void set_value(hwmodels::Machine& machine, const std::string& path, double value) {
  MachineValue stored = MachineIndex(machine).at(path);
  stored.value = value;
  stored.origin = hwmodels::Origin::measured;  // so that clocks count as known, as they do after a fit
  store(machine, stored);
}

// Not what the prior says: every value that a fit may find is off by up to 15 %, each by another factor;
// clocks alike, so that their order stays.
inline hwmodels::Machine truth_near(const hwmodels::Machine& known) {
  hwmodels::Machine truth = known;
  int i = 0;
  for (const MachineValue& value : values_of(known)) {
    const bool design =
        value.path.starts_with("peak.") || value.path.ends_with(".size") || value.path.ends_with("capacity");
    if (design) continue;
    ++i;
    const double off = value.path.starts_with("clock.") ? 0.97 : std::exp(0.15 * std::sin(2.3 * i));
    set_value(truth, value.path, value.value * off);
  }
  const int smt = known.groups.front().smt;
  set_value(truth, "smt_gain.compute", smt == 1 ? 1.0 : 1.08);
  set_value(truth, "smt_gain.memory", smt == 1 ? 1.0 : 1.12);
  return truth;
}

inline hwmodels::LibraryKernel some_gemm() {
  hwmodels::LibraryKernel kernel;
  kernel.library = "onednn";
  kernel.efficiency.value = 0.85;
  kernel.memory_efficiency.value = 0.8;
  kernel.k_half.value = 20.0;
  kernel.n_half.value = 6.0;
  kernel.m_half.value = 3.0;
  kernel.smoothing.value = 4.0;
  return kernel;
}

inline const Parameter& parameter(const Calibration& calibration, const std::string& path) {
  for (const Parameter& found : calibration.parameters) {
    if (found.path == path) return found;
  }
  FAIL("no parameter " << path);
  return calibration.parameters.front();
}

// `samples` in the row's unit.
inline Row row(Group group, const std::string& kernel, int cores, Unit unit, std::vector<double> samples) {
  Row made;
  made.group = group;
  made.kernel = kernel;
  made.cores = made.threads = cores;
  made.unit = unit;
  made.samples = std::move(samples);
  return made;
}

inline Row read_row(int cores, double working_set, double rate) {
  Row made = row(Group::bandwidth, "read", cores, Unit::bytes_per_second, {rate});
  made.working_set = Bytes(working_set);
  return made;
}

// Rows of one group alone.
inline Measurements only(Measurements measurements, Group group) {
  std::erase_if(measurements.rows, [&](const Row& candidate) { return candidate.group != group; });
  return measurements;
}

}  // namespace corecast::calibration
