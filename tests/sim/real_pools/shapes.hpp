// Operator graphs for pools: hand-made ones and random ones.
#pragma once

#include <cstdint>

#include "graphs/graph.hpp"

namespace corecast::test {

// One operator, `width` after it, one after these.
[[nodiscard]] graphs::Graph wide(int width);

// `leaves` (a power of two) operators, joined two by two.
[[nodiscard]] graphs::Graph binary_tree(int leaves);

// `modules` one after the other, each of four branches of 1, 2, 3 and 2 operators that are joined.
[[nodiscard]] graphs::Graph inception_like(int modules);

// Twice in a row: one operator, then `chains` chains of `length` operators, joined.
[[nodiscard]] graphs::Graph chains_joining(int chains, int length);

// Each operator has up to three predecessors among the `reach` operators before it; one in five has none.
[[nodiscard]] graphs::Graph random_dag(int operators, int reach, std::uint32_t seed);

}  // namespace corecast::test
