// Runs the real program, as a user would, and keeps what it printed.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace corecast::test {

struct Output {
  std::string out;
  std::string err;
  int code = -1;  // exit code; 128 + signal when it was killed; 124 when it ran longer than a minute
};

using Environment = std::map<std::string, std::string>;

// `corecast ARGUMENTS...` with the data of tests/cli/data, 80 columns and `more` in its environment.
[[nodiscard]] Output program(const std::vector<std::string>& arguments, const Environment& more = {});

// A shell command line; $corecast is the program.
[[nodiscard]] Output shell(const std::string& command, const Environment& more = {});

// What to put before a shell command so that it does not run as root, whom no limit and no permission stops.
[[nodiscard]] std::string as_user();

// A file of tests/cli/data.
[[nodiscard]] std::string data(const std::string& name);

// A directory of one's own, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::string write(const std::string& name, const std::string& content) const;
  [[nodiscard]] std::vector<std::string> names() const;  // of the files in it, sorted

 private:
  std::filesystem::path path_;
};

}  // namespace corecast::test
