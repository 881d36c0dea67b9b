// Fit: factors that make the simulated operators take what a profile measured.
//
// At the profile's setting, for each group g of operators timed together (match.hpp),
//
//   f_g = ( T_g - F_g ) / K_g       T_g time of its nodes, without their events' cost
//                                   F_g, K_g its simulated forks and joins, and kernels (arithmetic and memory) at f = 1
//
// found by simulating with the factors so far until it holds (threads without a CPU stretch both). A short kernel is shrunk
// towards the median f_c of its class, for a trace counts whole microseconds:
//
//   log f = w log f_g + (1 - w) log f_c       w = T_g / (T_g + 1 us)
//
// A kernel of less than 1 us in the model takes f_c, and what was measured beyond it counts as `serial`: it is the cost of a
// call. Time of nodes that only move data and have no operator is the group's `serial`: it does not shrink with threads. The call's own cost is
// what the profile shows before its first and after its last node, never less than the runtime's: a profile does not see
// the language that calls. The cost of dispatch stays the runtime's, for gaps between nodes are mostly the profiler's.
//
// Other settings then follow the model from there: a factor is common to all numbers of threads. Its error is
//   e = hypot( e_nodes, 1 - w, kTransfer )    kTransfer 15 %: how far other settings depart from the model's scaling (README)
//
// Holds for a profile taken alone on the machine. Leaves out: that profiling evicts caches.
#pragma once

#include <string>
#include <vector>

#include "calibration/profile/match.hpp"
#include "calibration/profile/profile.hpp"
#include "graphs/graph.hpp"
#include "sim/forecast.hpp"
#include "sim/runtime.hpp"

namespace corecast::calibration::profile {

inline constexpr double kTransfer = 0.15;

struct ClassFactor {
  KernelClass kernel = KernelClass::other;
  int operators = 0;
  double factor = 1.0;  // median
  Seconds measured{};
  Seconds forecast{};  // at the profile's setting, without it
};

struct ProfileFit {
  sim::Runtime runtime;  // with operator_factors and `run`
  sim::Setting setting;  // the profile's
  Matching matching;
  std::vector<ClassFactor> classes;  // most time first
  Seconds measured{};                // a run without what profiling costs: nodes, dispatch, call
  Seconds before{}, after{};         // forecasts of it
  std::vector<sim::Message> warnings;
};

// `graph` as imported. InputError where the profile is of another framework, model or batch.
[[nodiscard]] ProfileFit fit_profile(const Profile& profile, const graphs::Graph& graph,
                                     const sim::Target& target, const sim::Runtime& runtime,
                                     const sim::Setting& setting);

// Products and convolutions of the model, for profile_of().
[[nodiscard]] std::size_t heavy_operators(const graphs::Graph& graph);

}  // namespace corecast::calibration::profile
