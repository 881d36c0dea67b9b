#include "calibration/adaptor/temporary_folder.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "base/error.hpp"

namespace corecast::adaptor {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::error_code code;
  const fs::path parent = fs::temp_directory_path(code);
  if (code) throw InputError("TMPDIR", fmt::format("names no folder: {}", code.message()));
  std::string name = (parent / "corecast-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw InputError(name, fmt::format("cannot be made: {}", std::strerror(errno)),
                     "TMPDIR names another place");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code code;
  fs::remove_all(path_, code);
}

}  // namespace corecast::adaptor
