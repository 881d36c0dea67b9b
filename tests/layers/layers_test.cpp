// Holds the includes against the picture in README.md.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

// Folder -> folders whose headers it may include.
const std::map<std::string, Names> kMayInclude{
    {"base", {"base"}},
    {"hwmodels", {"base", "hwmodels"}},
    {"graphs", {"base", "graphs"}},
    {"sim", {"base", "graphs", "hwmodels", "sim"}},
    {"calibration", {"base", "hwmodels", "graphs", "calibration"}},
    {"cli", {"base", "graphs", "hwmodels", "sim", "calibration", "cli"}},
};

// Libraries of their own inside of calibration that run simulations: they may include sim, and the rest of calibration not
// them.
const Names kAboveSim{"calibration/adaptor/", "calibration/evidence/", "calibration/profile/",
                      "calibration/runtime_fit/"};

struct Include {
  std::string file;    // relative to the source tree
  std::string target;  // as written between quotes or angle brackets
};

std::vector<Include> includes_of(const std::string& folder) {
  static const std::regex line(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
  const fs::path root = CORECAST_SOURCE_DIRECTORY;
  std::vector<Include> found;
  if (!fs::exists(root / folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const auto extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".hpp") continue;
    std::ifstream stream(entry.path());
    for (std::string text; std::getline(stream, text);) {
      std::smatch match;
      if (std::regex_search(text, match, line))
        found.push_back({fs::relative(entry.path(), root).string(), match[1]});
    }
  }
  return found;
}

bool starts_with(const std::string& text, const std::string& prefix) {
  return text.rfind(prefix, 0) == 0;
}

bool above_sim(const std::string& path) {
  for (const std::string& folder : kAboveSim) {
    if (starts_with(path, folder)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a folder includes only the folders below it in the picture") {
  std::size_t seen = 0;
  for (const auto& entry : kMayInclude) {
    const std::string& folder = entry.first;  // clang 14 captures no structured bindings, and INFO captures
    const Names& allowed = entry.second;
    for (const Include& include : includes_of(folder)) {
      const std::string& target = include.target;
      const std::string first = target.substr(0, target.find('/'));
      if (!kMayInclude.contains(first) || first == target) continue;
      ++seen;
      INFO(fmt::format("{} includes {}; {} may include {}", include.file, target, folder,
                       fmt::join(allowed, ", ")));
      CHECK((allowed.contains(first) || (first == "sim" && above_sim(include.file))));
    }
  }
  CHECK(seen > 50);  // an empty search would pass everything
}

TEST_CASE("calibration below sim includes nothing of what stands above it") {
  for (const Include& include : includes_of("calibration")) {
    if (above_sim(include.file)) continue;
    INFO(include.file << " includes " << include.target);
    CHECK_FALSE(above_sim(include.target));
  }
}

TEST_CASE("heavy libraries stay in the files that own them") {
  // Library prefix -> files that may include it.
  const std::map<std::string, std::string> owner{
      {"onnx/", "graphs/onnx_"}, {"ceres/", "calibration/"}, {"CLI/", "cli/"}};
  for (const auto& entry : kMayInclude) {
    for (const Include& include : includes_of(entry.first)) {
      const std::string& file = include.file;
      const std::string& target = include.target;
      for (const auto& [library, place] : owner) {
        if (!starts_with(target, library)) continue;
        INFO(file << " includes " << target);
        CHECK(starts_with(file, place));
      }
    }
  }
}

TEST_CASE("headers do not include the heavy JSON header") {
  for (const auto& entry : kMayInclude) {
    for (const Include& include : includes_of(entry.first)) {
      const std::string& file = include.file;
      const std::string& target = include.target;
      if (file.ends_with(".hpp") &&
          file != "hwmodels/machine_tree.hpp") {  // internal to the machine reader and writer
        INFO(file);
        CHECK(target != "nlohmann/json.hpp");
      }
    }
  }
}
