#include "base/error.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

namespace corecast {
namespace {

std::string message(const std::string& where, const std::string& what, const std::string& hint) {
  std::string text = where.empty() ? what : where + ": " + what;
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}

// Length of the UTF-8 sequence that starts at text[i], or 0 when it is not one.
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const std::size_t length = byte(i) < 0x80                      ? 1
                             : byte(i) >= 0xC2 && byte(i) < 0xE0 ? 2
                             : (byte(i) & 0xF0U) == 0xE0         ? 3
                             : byte(i) >= 0xF0 && byte(i) < 0xF5 ? 4
                                                                 : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0U) != 0x80) return 0;
  }
  return length;
}

}  // namespace

InputError::InputError(std::string where, std::string what, std::string hint)
    : std::runtime_error(message(where, what, hint)),
      where_(std::move(where)),
      problem_(std::move(what)),
      hint_(std::move(hint)) {}

InputError InputError::within(std::string_view outer) const {
  return InputError(where_.empty() ? std::string(outer) : fmt::format("{}: {}", outer, where_), problem_,
                    hint_);
}

void check_failed(const char* expression, const char* file, int line, const std::string& values) {
  std::fprintf(stderr, "corecast: internal error: %s:%d: check failed: %s%s%s\n", file, line, expression,
               values.empty() ? "" : ": ", values.c_str());
  std::fprintf(stderr,
               "This is a bug in corecast, not in your input. Please report the command and this line.\n");
  std::abort();
}

std::string quote(std::string_view text, std::size_t most) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    if (out.size() > most) {
      out += "...";
      break;
    }
    const std::size_t length = utf8_length(text, i);
    const auto byte = static_cast<unsigned char>(text[i]);
    if (length == 0 || (length == 1 && (byte < 0x20 || byte == 0x7F))) {
      out += fmt::format("\\x{:02x}", byte);
      ++i;
    } else {
      out.append(text, i, length);
      i += length;
    }
  }
  return out + "\"";
}

std::size_t detail::edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace corecast
