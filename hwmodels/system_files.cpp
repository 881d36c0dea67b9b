#include "hwmodels/system_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace corecast::hwmodels {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20U;  // /proc/cpuinfo of 1,000 CPUs is 1.5 MB

std::filesystem::path below(const std::filesystem::path& root, std::string_view path) {
  return root / std::filesystem::path(path).relative_path();
}

}  // namespace

std::optional<std::string> read_system_file(const std::filesystem::path& root, std::string_view path) {
  // O_NONBLOCK: a pipe in a recorded tree must not make us wait for its writer.
  const int descriptor = ::open(below(root, path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  struct stat status {};
  bool good = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  std::string content;
  std::array<char, 16384> chunk{};
  while (good && content.size() < kMostBytes) {
    const ssize_t got = ::read(descriptor, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    good = got >= 0;
    if (got <= 0) break;
    content.append(chunk.data(), static_cast<std::size_t>(got));
  }
  ::close(descriptor);
  if (!good) return std::nullopt;
  return content;
}

bool is_system_directory(const std::filesystem::path& root, std::string_view path) {
  std::error_code code;
  return std::filesystem::is_directory(below(root, path), code);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kWhite = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhite) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

}  // namespace corecast::hwmodels
