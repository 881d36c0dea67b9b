// A tree of small files in a temporary directory, as /proc and /sys of some host; gone at the end of its scope.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include "hwmodels/host.hpp"

namespace corecast::hwmodels::test {

class RecordedTree {
 public:
  RecordedTree(std::initializer_list<std::pair<std::string, std::string>> files) {
    std::string name = (std::filesystem::temp_directory_path() / "corecast-tree-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
    for (const auto& [file, content] : files) add(file, content);
  }
  ~RecordedTree() {
    std::error_code code;
    std::filesystem::remove_all(path_, code);
  }
  RecordedTree(const RecordedTree&) = delete;
  RecordedTree& operator=(const RecordedTree&) = delete;

  void add(const std::string& file, const std::string& content) const {
    const std::filesystem::path path = path_ / std::filesystem::path(file).relative_path();
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] SystemRoot root() const { return {.root = path_, .live = false}; }

 private:
  std::filesystem::path path_;
};

}  // namespace corecast::hwmodels::test
