#include "cli/table.hpp"

#include <algorithm>

#include "hwmodels/text_columns.hpp"

namespace corecast::cli {
namespace {

using hwmodels::clipped;
using hwmodels::columns_of;
using hwmodels::printable;

constexpr int kGap = 2;
constexpr int kLeast = 8;  // columns a cell is not cut below

std::string blanks(int n) {
  return std::string(static_cast<std::size_t>(std::max(n, 0)), ' ');
}

std::string line(const std::string& text, int width) {
  std::string out = clipped(text, width);
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

std::vector<int> widths_of(const std::vector<Column>& columns, const std::vector<Row>& rows, int room) {
  std::vector<int> widths;
  for (const Column& column : columns) widths.push_back(columns_of(column.title));
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < std::min(row.cells.size(), widths.size()); ++i) {
      widths[i] = std::max(widths[i], columns_of(row.cells[i]));
    }
  }
  int total = kGap * (static_cast<int>(columns.size()) - 1);
  for (const int width : widths) total += width;
  while (total > room) {
    std::size_t widest = columns.size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!columns[i].shrinks || widths[i] <= kLeast) continue;
      if (widest == columns.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == columns.size()) break;  // nothing left to cut: the line is
    --widths[widest];
    --total;
  }
  return widths;
}

std::string joined(const std::vector<Column>& columns, const std::vector<std::string>& cells,
                   const std::vector<int>& widths) {
  std::string out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string cell = clipped(i < cells.size() ? cells[i] : std::string{}, widths[i]);
    const std::string fill = blanks(widths[i] - columns_of(cell));
    if (i > 0) out += blanks(kGap);
    out += columns[i].align == Align::right ? fill + cell : cell + fill;
  }
  return out;
}

}  // namespace

std::string table(const std::vector<Column>& columns, const std::vector<Row>& rows, int width, int indent) {
  std::vector<Row> clean = rows;
  for (Row& row : clean) {
    for (std::string& cell : row.cells) cell = printable(cell);
  }
  const std::vector<int> widths = widths_of(columns, clean, width - indent);
  std::vector<std::string> titles;
  for (const Column& column : columns) titles.push_back(column.title);
  std::string out;
  const bool head =
      std::any_of(titles.begin(), titles.end(), [](const std::string& title) { return !title.empty(); });
  if (head) out += line(blanks(indent) + joined(columns, titles, widths), width);
  for (const Row& row : clean) {
    out += line(blanks(indent) + joined(columns, row.cells, widths), width);
    if (!row.below.empty()) out += wrapped(row.below, width, blanks(indent + 4));
  }
  return out;
}

std::string wrapped(std::string_view text, int width, const std::string& first) {
  const std::string clean = printable(text);
  const std::string margin = blanks(columns_of(first));
  std::string out;
  std::string current = first;
  bool empty = true;
  for (std::size_t begin = 0; begin < clean.size();) {
    begin = clean.find_first_not_of(' ', begin);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(clean.find(' ', begin), clean.size());
    const std::string word = clean.substr(begin, end - begin);
    begin = end;
    if (!empty && columns_of(current) + 1 + columns_of(word) > width) {
      out += line(current, width);
      current = margin;
      empty = true;
    }
    current += (empty ? "" : " ") + word;
    empty = false;
  }
  return out + line(current, width);
}

}  // namespace corecast::cli
