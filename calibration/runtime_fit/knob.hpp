// A number of the runtime that a fit may change: where it stands in the runtime's file, and what is believed of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/fit/least_squares.hpp"
#include "calibration/runtime_fit/samples.hpp"
#include "sim/runtime.hpp"

namespace corecast::runtime_fit {

struct Knob {
  std::string path;  // "kernels.gemm.efficiency", "costs.run"
  calibration::Unknown unknown;
  std::function<double()> get;
  std::function<void(double)> set;
};

// They write into `runtime`, which must outlive them. `extra` numbers of an entry:
struct EntryKnobs {
  bool halves = false;     // m, n, k: its operators are matrix products
  bool m_only = false;     // of them only m: products of one channel
  bool smoothing = false;  // enough shapes to see how the two roofs join
  bool dispatch = false;   // there is a case of nearly nothing else
  bool unpacked = false;   // there are products of two activations
};
[[nodiscard]] std::vector<Knob> knobs_of_entry(sim::Runtime& runtime, const std::string& entry,
                                               const EntryKnobs& which);

// "run", "run_per_input", "dispatch", "fork".
[[nodiscard]] Knob cost_knob(sim::Runtime& runtime, const std::string& name);

}  // namespace corecast::runtime_fit
