// The order-preserving alignment of two sequences that scores most (Needleman and Wunsch 1970), without a price for gaps.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace corecast::calibration::profile {

// S(i, j) = max( S(i-1, j), S(i, j-1), S(i-1, j-1) + score(i, j) ) for a score above 0; pairs in ascending order. Of equal
// alignments the one that pairs late elements last. Time and memory n x m: nothing is paired beyond 64 M.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> align(
    std::size_t n, std::size_t m, const std::function<int(std::size_t, std::size_t)>& score);

}  // namespace corecast::calibration::profile
