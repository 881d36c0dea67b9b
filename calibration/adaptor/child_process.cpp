#include "calibration/adaptor/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/error.hpp"

extern char** environ;

namespace corecast::adaptor {
namespace {

namespace fs = std::filesystem;

struct Pipe {
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw InputError("", fmt::format("no pipe can be made: {}", std::strerror(errno)));
  }
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) ::close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int take_reader() {
    const int reader = ends[0];
    ends[0] = -1;
    return reader;
  }
  std::array<int, 2> ends{-1, -1};
};

struct Actions {
  Actions() { ::posix_spawn_file_actions_init(&value); }
  ~Actions() { ::posix_spawn_file_actions_destroy(&value); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  posix_spawn_file_actions_t value{};
};

struct Attributes {
  Attributes() { ::posix_spawnattr_init(&value); }
  ~Attributes() { ::posix_spawnattr_destroy(&value); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  posix_spawnattr_t value{};
};

Ending ending_of(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

// Adds what has come; false at the end.
bool append(int descriptor, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

}  // namespace

std::string text_of(const Ending& ending) {
  if (ending.signal != 0)
    return fmt::format("was ended by signal {} ({})", ending.signal, ::strsignal(ending.signal));
  return fmt::format("ended with code {}", ending.code);
}

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) {
  Pipe out;
  Pipe err;
  Actions actions;
  ::posix_spawn_file_actions_addopen(&actions.value, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions.value, out.ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions.value, err.ends[1], STDERR_FILENO);
  Attributes attributes;
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) sigaddset(&usual, signal);
  ::posix_spawnattr_setsigdefault(&attributes.value, &usual);
  ::posix_spawnattr_setpgroup(&attributes.value, 0);
  ::posix_spawnattr_setflags(&attributes.value, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> texts = arguments;
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  const int failed = ::posix_spawnp(&pid_, texts.front().c_str(), &actions.value, &attributes.value,
                                    pointers.data(), environ);
  if (failed != 0) {
    pid_ = -1;
    throw InputError(arguments.front(), fmt::format("cannot be started: {}", std::strerror(failed)));
  }
  out_ = out.take_reader();
  err_ = err.take_reader();
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0 && !ending_) {
    kill();
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  for (const int descriptor : {out_, err_}) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

bool ChildProcess::read(std::string& out, std::string& err, int milliseconds, int wake) {
  std::array<pollfd, 3> polled{{{out_, POLLIN, 0}, {err_, POLLIN, 0}, {wake, POLLIN, 0}}};
  if (::poll(polled.data(), polled.size(), milliseconds) > 0) {
    const auto take = [](pollfd& one, int& descriptor, std::string& text) {
      if (descriptor < 0 || one.revents == 0 || append(descriptor, text)) return;
      ::close(descriptor);
      descriptor = -1;
    };
    take(polled[0], out_, out);
    take(polled[1], err_, err);
  }
  return out_ >= 0 || err_ >= 0;
}

void ChildProcess::interrupt() const {
  if (pid_ > 0 && !ending_) ::kill(pid_, SIGINT);
}

void ChildProcess::kill() const {
  if (pid_ > 0 && !ending_) ::kill(-pid_, SIGKILL);
}

std::optional<Ending> ChildProcess::wait_for(int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (!ending_) {
    int status = 0;
    const pid_t got = ::waitpid(pid_, &status, WNOHANG);
    if (got == pid_) {
      ending_ = ending_of(status);
    } else if (std::chrono::steady_clock::now() >= end) {
      return std::nullopt;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  return ending_;
}

std::optional<std::string> find_program(std::string_view name) {
  const auto runs = [](const fs::path& file) {
    std::error_code code;
    return fs::is_regular_file(file, code) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string_view::npos) {
    return runs(name) ? std::optional(std::string(name)) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path folder = end == 0 ? fs::path(".") : fs::path(rest.substr(0, end));
    if (!name.empty() && runs(folder / name)) return (folder / name).string();
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

}  // namespace corecast::adaptor
