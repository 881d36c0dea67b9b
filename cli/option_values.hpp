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
#include "cli/options.hpp"

namespace corecast::cli {

inline constexpr long long kMostThreads = 65'536;
inline constexpr long long kMostRows = 100'000;  // of a ranking

[[nodiscard]] long long count_of(std::string_view option, const std::string& text, long long most,
                                 long long least = 1);

// "on" or "off".
[[nodiscard]] bool switch_of(std::string_view option, const std::string& text);

// One member of a setting: `key` of setting_keys(), "inter", "intra", "mode", ...; `option` is who said it.
void set_member(AskedSetting& setting, const std::string& key, std::string_view option,
                const std::string& text);
[[nodiscard]] const std::vector<std::string>& setting_keys();

// "inter=2,intra=8,spin=off": any of the keys, each once.
[[nodiscard]] AskedSetting setting_of(std::string_view option, const std::string& text);

// `asked`, with the rest as in `base`. More than one inter-op thread asks for parallel mode, unless the mode is said.
[[nodiscard]] sim::Setting completed(const AskedSetting& asked, sim::Setting base);

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
