#include "calibration/profile/alignment.hpp"

#include <algorithm>
#include <cstdint>

namespace corecast::calibration::profile {

std::vector<std::pair<std::size_t, std::size_t>> align(
    std::size_t n, std::size_t m, const std::function<int(std::size_t, std::size_t)>& score) {
  constexpr std::size_t kMostCells = std::size_t{64} << 20U;
  enum Step : std::uint8_t { skip_first, skip_second, pair };
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (n == 0 || m == 0 || n > kMostCells / m) return pairs;
  std::vector<Step> steps(n * m);
  std::vector<std::int64_t> before(m + 1, 0), row(m + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      const int s = score(i, j);
      Step& step = steps[i * m + j];
      row[j + 1] = before[j + 1];
      step = skip_first;
      if (row[j] > row[j + 1]) {
        row[j + 1] = row[j];
        step = skip_second;
      }
      if (s > 0 && before[j] + s > row[j + 1]) {
        row[j + 1] = before[j] + s;
        step = pair;
      }
    }
    before = row;
  }
  for (std::size_t i = n, j = m; i > 0 && j > 0;) {
    switch (steps[(i - 1) * m + (j - 1)]) {
      case pair:
        pairs.emplace_back(--i, --j);
        break;
      case skip_first:
        --i;
        break;
      case skip_second:
        --j;
        break;
    }
  }
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace corecast::calibration::profile
