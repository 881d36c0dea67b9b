// What is believed of an unknown before any row: between which values it lies, and which of several that
// cannot be told apart is given up first.
#pragma once

#include <string>
#include <string_view>

#include "hwmodels/machine.hpp"

namespace corecast::calibration {

struct Belief {
  double lower = 0.0, upper = 0.0;
  int rank = 0;              // the highest is held first
  double least_known = 0.3;  // see Unknown
  double start = 0.0;        // where the prior is no start (a length of zero); 0: the prior is one
  // Of the standard error, where the closed form bends so much in the unknown that the linear one is too
  // small.
  double widening = 1.0;
  // What a value at a bound means, where it is not a sign that something is wrong.
  std::string_view at_lower, at_upper;
};

// `path` as in machine_values.hpp. Bounds lie far beyond what any machine is like: a value at one of them
// says that the closed form or the rows are wrong, not that the machine is odd.
[[nodiscard]] Belief belief(const hwmodels::Machine& machine, const std::string& path, double prior);

}  // namespace corecast::calibration
