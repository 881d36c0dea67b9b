// Values of options: text -> number, word, shape. All throw InputError that names the option, what was given
// and what was wanted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace corecast::cli {

inline constexpr long long kMostThreads = 65'536;
inline constexpr long long kMostRows = 100'000;  // of a ranking

[[nodiscard]] long long count_of(std::string_view option, const std::string& text, long long most,
                                 long long least = 1);

// "on" or "off".
[[nodiscard]] bool switch_of(std::string_view option, const std::string& text);

// "name=1x3x224x224"; the name may hold '=' itself.
[[nodiscard]] std::pair<std::string, std::vector<std::int64_t>> shape_of(const std::string& text);
// One of each name.
[[nodiscard]] std::map<std::string, std::vector<std::int64_t>> shapes_of(
    const std::vector<std::string>& texts);

template <typename T>
[[nodiscard]] T word_of(std::string_view option, const std::string& text,
                        const std::vector<std::pair<std::string, T>>& words) {
  std::vector<std::string> known;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    known.push_back(word);
  }
  const std::string near = did_you_mean(text, known);
  throw InputError(std::string(option),
                   fmt::format("found {}, wanted {}", quote(text), fmt::join(known, " or ")), near);
}

}  // namespace corecast::cli
