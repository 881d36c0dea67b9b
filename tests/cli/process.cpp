#include "tests/cli/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

extern char** environ;

namespace corecast::test {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);
constexpr int kTooLong = 124;

struct Pipe {
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  }
  std::array<int, 2> ends{-1, -1};
};

std::vector<std::string> environment_with(const Environment& more) {
  Environment merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    merged[text.substr(0, text.find('='))] = text.substr(std::min(text.find('=') + 1, text.size()));
  }
  merged["CORECAST_DATA"] = CORECAST_TEST_DATA;
  merged["COLUMNS"] = "80";
  merged["XDG_DATA_HOME"] = "/nonexistent";  // no calibration of the machine that tests
  merged["corecast"] = CORECAST_PROGRAM;
  for (const auto& [name, value] : more) merged[name] = value;
  std::vector<std::string> out;
  for (const auto& [name, value] : merged) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Reads both pipes to their ends; false when that takes too long.
bool collect(int out, int err, Output& output) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  std::array<pollfd, 2> polled{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  std::array<std::string*, 2> texts{&output.out, &output.err};
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    if (std::chrono::steady_clock::now() > end) return false;
    if (::poll(polled.data(), polled.size(), 1000) < 0) continue;
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      std::array<char, 65536> buffer{};
      const ssize_t got = ::read(polled[i].fd, buffer.data(), buffer.size());
      if (got > 0) {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(got));
      } else {
        polled[i].fd = -1;
      }
    }
  }
  return true;
}

Output run(const std::string& program, std::vector<std::string> arguments, const Environment& more) {
  const Pipe out;
  const Pipe err;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.ends[1], STDERR_FILENO);
  arguments.insert(arguments.begin(), program);
  std::vector<std::string> variables = environment_with(more);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, pointers(arguments).data(),
                                   pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(out.ends[1]);
  ::close(err.ends[1]);
  Output output;
  const bool finished = failed == 0 && collect(out.ends[0], err.ends[0], output);
  ::close(out.ends[0]);
  ::close(err.ends[0]);
  if (failed != 0) throw std::runtime_error("cannot start " + program);
  if (!finished) ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  output.code = !finished ? kTooLong : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace

Output program(const std::vector<std::string>& arguments, const Environment& more) {
  return run(CORECAST_PROGRAM, arguments, more);
}

Output shell(const std::string& command, const Environment& more) {
  return run("/bin/sh", {"-c", command}, more);
}

std::string as_user() {
  return ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
}

std::string data(const std::string& name) {
  return std::string(CORECAST_TEST_DATA) + "/" + name;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "corecast_cli_test.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::write(const std::string& name, const std::string& content) const {
  std::ofstream stream(path_ / name, std::ios::binary);
  stream << content;
  return path(name);
}

std::vector<std::string> Folder::names() const {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace corecast::test
