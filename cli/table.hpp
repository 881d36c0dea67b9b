// Text that fits a terminal: tables, and sentences broken into lines. A column is a code point of UTF-8;
// control characters, which names from files may hold, are printed as '?'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace corecast::cli {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  bool shrinks = false;  // may be cut (to "...") where the table is too wide; the widest is cut first
};

struct Row {
  std::vector<std::string> cells;  // one for each column; fewer leave the rest empty
  std::string below;               // a sentence under the row, indented
};

// Every line ends in '\n', has at most `width` columns and no trailing blanks. Two spaces between columns.
// Without a title in any column there is no head.
[[nodiscard]] std::string table(const std::vector<Column>& columns, const std::vector<Row>& rows, int width,
                                int indent = 2);

// Words of `text` on lines of at most `width` columns: the first behind `first`, the others behind as many
// blanks. A word longer than a line is cut. Ends in '\n'.
[[nodiscard]] std::string wrapped(std::string_view text, int width, const std::string& first = "");

}  // namespace corecast::cli
