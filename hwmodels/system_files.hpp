// Small files of /proc and /sys, on the running system or in a recorded tree.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace corecast::hwmodels {

// `path` as the system names it, under `root`. Nothing when it is not there, not a file, or cannot be read. Reads to the
// end (the size that stat gives is 0 in /proc and 4096 in /sys), at most 16 MiB.
[[nodiscard]] std::optional<std::string> read_system_file(const std::filesystem::path& root,
                                                          std::string_view path);
[[nodiscard]] bool is_system_directory(const std::filesystem::path& root, std::string_view path);

// Without spaces, tabs and line ends on both sides.
[[nodiscard]] std::string_view trimmed(std::string_view text);
// Pieces between separators, empty ones too.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace corecast::hwmodels
