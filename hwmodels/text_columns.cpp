#include "hwmodels/text_columns.hpp"

#include <algorithm>

namespace corecast::hwmodels {
namespace {

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80;
}

// Length of the well-formed sequence at text[i], or 0.
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const auto lead = static_cast<unsigned char>(text[i]);
  if (lead < 0x20 || lead == 0x7F) return 0;
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                             : (lead & 0xF0U) == 0xE0      ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || i + length > text.size()) return 0;
  // U+0080 to U+009F are control characters too.
  if (lead == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if (!continues(text[i + k])) return 0;
  }
  return length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 0) {
      out += '?';
      ++i;
    } else {
      out.append(text, i, length);
      i += length;
    }
  }
  return out;
}

int columns_of(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !continues(byte); }));
}

std::string clipped(std::string_view text, int columns) {
  if (columns_of(text) <= columns) return std::string(text);
  const int dots = std::clamp(columns, 0, 3);
  int kept = 0;
  std::size_t end = 0;
  while (end < text.size() && (continues(text[end]) || kept < columns - dots)) {
    if (!continues(text[end])) ++kept;
    ++end;
  }
  return std::string(text.substr(0, end)) + std::string(static_cast<std::size_t>(dots), '.');
}

std::string padded(std::string_view text, int columns) {
  std::string out = clipped(text, columns);
  out.append(static_cast<std::size_t>(std::max(0, columns - columns_of(out))), ' ');
  return out;
}

std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows, int width) {
  std::vector<int> widest;
  for (const auto& row : rows) {
    widest.resize(std::max(widest.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widest[i] = std::max(widest[i], columns_of(row[i]));
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i + 1 < row.size() ? padded(row[i], widest[i]) + "  " : row[i];
    }
    line = clipped(line, width);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> boxed(std::string_view title, const std::vector<std::string>& lines, int width) {
  const std::string top = "+- " + clipped(title, width - 6) + " ";
  const int rule = std::max(0, width - 1 - columns_of(top));
  std::vector<std::string> out{top + std::string(static_cast<std::size_t>(rule), '-') + "+"};
  for (const std::string& line : lines) out.push_back("| " + padded(line, width - 4) + " |");
  out.push_back("+" + std::string(static_cast<std::size_t>(std::max(0, width - 2)), '-') + "+");
  return out;
}

}  // namespace corecast::hwmodels
