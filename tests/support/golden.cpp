#include "tests/support/golden.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/file.hpp"

namespace corecast::test {

std::string golden_difference(std::string_view path, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(CORECAST_GOLDEN_DIRECTORY) / path;
  if (std::getenv("CORECAST_UPDATE_GOLDENS") != nullptr) {
    std::filesystem::create_directories(file.parent_path());
    write_file(file, text);
    return {};
  }
  const std::string expected = read_file(file);
  if (expected == text) return {};
  std::istringstream wanted(expected);
  std::istringstream found(text);
  for (int number = 1;; ++number) {
    std::string wanted_line;
    std::string found_line;
    const bool more_wanted = static_cast<bool>(std::getline(wanted, wanted_line));
    const bool more_found = static_cast<bool>(std::getline(found, found_line));
    if (!more_wanted && !more_found) return std::string(path) + ": line ends differ";
    if (more_wanted == more_found && wanted_line == found_line) continue;
    return std::string(path) + ":" + std::to_string(number) +
           "\n  wanted: " + (more_wanted ? wanted_line : "(end)") +
           "\n  found:  " + (more_found ? found_line : "(end)");
  }
}

}  // namespace corecast::test
