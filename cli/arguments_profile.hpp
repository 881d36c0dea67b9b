// The options --profile and --profile-setting, which several commands take. Internal to arguments.cpp.
#pragma once

#include <optional>
#include <string>

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace corecast::cli {

struct ProfileText {
  std::optional<std::string> file, setting;  // as written
};

void add_profile(CLI::App* app, ProfileText& text);
[[nodiscard]] std::optional<ProfileChoice> profile_of(const ProfileText& text);

}  // namespace corecast::cli
