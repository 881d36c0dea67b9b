// Size of the largest antichain of a partial order: how many of its elements can be chosen, none before another.
//
//   largest antichain = fewest chains that cover all elements                              (Dilworth, 1950)
//                     = elements - largest matching of elements with what comes after them (Fulkerson, 1956)
//
// The matching is Hopcroft and Karp's (SIAM J. Comput. 2(4), 1973): at most about sqrt(elements) rounds over all
// pairs of the order; so n elements cost at most about n^2.5 steps, and the order itself 2 n^2 bytes.
// Example: a before b and c, those before d: the antichain {b, c}, size 2; chains a-b-d and c.
#pragma once

#include <cstdint>
#include <vector>

namespace corecast::graphs {

// after[v]: all elements that come after v, not only the next ones (the order must be transitive and without
// cycles).
[[nodiscard]] std::int64_t largest_antichain(const std::vector<std::vector<std::uint32_t>>& after);

}  // namespace corecast::graphs
