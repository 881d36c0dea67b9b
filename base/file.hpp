// Files whole: read all or say why not; write all or leave what was there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace corecast {

// Throws InputError for what does not exist, is a directory, cannot be read, or is larger than `most` bytes.
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    std::size_t most = std::size_t{1} << 31U);

// Writes to a neighbour first and renames it over `path`: a failed write leaves the old file as it was.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace corecast
