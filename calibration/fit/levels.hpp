// Which level of the memory hierarchy a working set lives in.
#pragma once

#include <optional>
#include <string>

#include "calibration/fit/layout.hpp"

namespace corecast::calibration {

// Index into machine.caches; their number stands for main memory.
using LevelIndex = std::size_t;

// The level that serves nearly all of `working_set` (of all threads together). Nothing near a border, where
// two levels serve it: inside a cache means at most 0.7 of it and at least 1.5 times the level before; memory
// means 2.5 times the last caches in use. (0.7 because published runs take two thirds; least-recently-used
// replacement and neighbours' lines spoil more.)
[[nodiscard]] std::optional<LevelIndex> level_well_inside(const hwmodels::Machine& machine,
                                                          const Layout& layout, Bytes working_set);
// The smallest level that holds it.
[[nodiscard]] LevelIndex level_holding(const hwmodels::Machine& machine, const Layout& layout,
                                       Bytes working_set);

[[nodiscard]] std::string level_name(const hwmodels::Machine& machine, LevelIndex level);  // "l2", "memory"

}  // namespace corecast::calibration
