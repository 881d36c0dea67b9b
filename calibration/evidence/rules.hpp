// The rules people go by, among the settings that were measured.
//
// A rule's setting that was not measured stands for the nearest one that was: least |log2(intra_op ratio)|, of equal ones least
// |log2(inter_op ratio)|, then |log2(instances ratio)|, then the same mode, spin and runtime, then the order of the points. Inter-op
// threads count as 1 in sequential mode.
#pragma once

#include <span>
#include <vector>

#include "calibration/evidence/evidence.hpp"

namespace corecast::evidence {

struct Nearest {
  std::size_t point = 0;
  bool exact = false;
};
[[nodiscard]] Nearest nearest_point(std::span<const Point> points, const sim::Setting& wanted);

struct Rule {
  std::string name, title;
  sim::Setting setting;
};
// sim/baselines.hpp's for the group's model, target and runtime; then most threads measured, and three that count cores: all of one socket, that
// minus 2, all of the machine minus 2 (at least 1 each).
[[nodiscard]] std::vector<Rule> rules_for(std::span<const Point> points, const ModelGraph& model,
                                          const sim::Target& target, const sim::Runtime& runtime,
                                          sim::Objective objective);

// Pick, rules and regrets of a group with at least one point. `points` are in the order of settings.
[[nodiscard]] Decision decide(std::span<const Point> points, const std::vector<Rule>& rules,
                              sim::Objective objective);

}  // namespace corecast::evidence
