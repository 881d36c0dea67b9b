// Runs of the suite joined with its models, as the fit sees them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "calibration/runtime_fit/runs.hpp"
#include "calibration/runtime_fit/suite.hpp"
#include "graphs/graph.hpp"
#include "sim/runtime.hpp"

namespace corecast::runtime_fit {

// A case as the runtime runs it: fused, and which entry of the runtime's file it is about.
struct PreparedCase {
  std::string name;
  std::string subject;
  std::string entry;    // "kernels.gemm", "operators.LRN"; empty: the call alone
  bool matrix = false;  // its operators are matrix products, whose efficiency depends on m, n, k
  bool costs = false;
  graphs::Graph graph;
};

struct Sample {
  std::shared_ptr<const PreparedCase> of;
  int threads = 1;
  double seconds = 0.0;  // median of the rounds' medians, of two the lesser
  double spread = 0.0;   // standard error of its logarithm
};

// Where in the runtime's file the model of `op` stands: "kernels.gemm", "operators.LRN".
[[nodiscard]] std::string entry_of(const sim::Runtime& runtime, const graphs::Operator& op);
[[nodiscard]] sim::KernelModel& model_at(sim::Runtime& runtime, const std::string& entry);

struct Samples {
  std::vector<Sample> list;        // in the order of the suite, then by threads
  std::vector<std::string> notes;  // runs that are left out, and why
};

// Runs of an unknown case, that failed, or with more threads than the machine has cores are left out with a note.
[[nodiscard]] Samples samples_of(const Runs& runs, const sim::Runtime& runtime,
                                 const std::vector<Case>& suite);

}  // namespace corecast::runtime_fit
