// Text that keeps to columns: cutting, padding and boxes. A column is a code point of UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace corecast::hwmodels {

// Control characters and bytes that are not UTF-8 as '?': text from /proc and from files goes through this.
[[nodiscard]] std::string printable(std::string_view text);
[[nodiscard]] int columns_of(std::string_view text);
// At most `columns`; what is cut ends in "...".
[[nodiscard]] std::string clipped(std::string_view text, int columns);
[[nodiscard]] std::string padded(std::string_view text, int columns);  // to exactly `columns`

// Left-aligned columns, two spaces apart; each as wide as its widest cell, the last one cut at `width`.
[[nodiscard]] std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows, int width);
// `lines` in a frame of `width` columns with a title in its upper edge.
[[nodiscard]] std::vector<std::string> boxed(std::string_view title, const std::vector<std::string>& lines,
                                             int width);

}  // namespace corecast::hwmodels
