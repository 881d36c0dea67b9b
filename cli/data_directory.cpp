#include "cli/data_directory.hpp"

#include <cstdlib>
#include <system_error>

#include "base/error.hpp"

namespace corecast::cli {
namespace fs = std::filesystem;
namespace {

bool holds_data(const fs::path& directory) {
  std::error_code code;
  return fs::is_directory(directory / "machines", code) && fs::is_directory(directory / "runtimes", code);
}

}  // namespace

fs::path data_directory() {
  if (const char* given = std::getenv("CORECAST_DATA"); given != nullptr && *given != '\0') {
    if (holds_data(given)) return given;
    throw InputError(
        "CORECAST_DATA",
        fmt::format("{} is no data directory: wanted folders \"machines\" and \"runtimes\" in it",
                    quote(given)));
  }
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  const fs::path installed = program.parent_path() / ".." / "share" / "corecast";
  if (!code && holds_data(installed)) return installed.lexically_normal();
  const fs::path source = CORECAST_SOURCE_DATA;
  if (holds_data(source)) return source;
  throw InputError("",
                   fmt::format("the data of corecast is neither in {} nor in {}",
                               quote(installed.lexically_normal().string()), quote(source.string())),
                   "CORECAST_DATA names its directory");
}

}  // namespace corecast::cli
