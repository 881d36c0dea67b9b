// A folder for files that only a started program reads.
#pragma once

#include <filesystem>

namespace corecast::adaptor {

// Made under TMPDIR, private, removed with all that is in it. InputError when it cannot be made.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace corecast::adaptor
