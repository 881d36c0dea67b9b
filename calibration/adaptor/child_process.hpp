// A program that is started, read from, signalled and ended, whatever happens in between.
//
// posix_spawn, not Boost.Process: the child leads a process group of its own, so that what it has started can be ended with
// it, and gets the default action for the signals that corecast ignores (SIGPIPE, SIGXFSZ); neither can be asked of
// Boost 1.74 without code of the same length.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace corecast::adaptor {

struct Ending {
  int code = 0;    // of exit(); 0 when a signal ended it
  int signal = 0;  // 0: it ended by itself
  friend bool operator==(const Ending&, const Ending&) = default;
};
[[nodiscard]] std::string text_of(
    const Ending& ending);  // "ended with code 1", "was ended by signal 9 (Killed)"

class ChildProcess {
 public:
  // `arguments` begins with the program: a path, or a name to be looked up in PATH. Standard input is empty. InputError when it
  // cannot be started.
  explicit ChildProcess(const std::vector<std::string>& arguments);
  ~ChildProcess();  // ends it and all that it started, if it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits at most `milliseconds` for output, or until `wake` (a descriptor, -1: none) can be read. What has come is added to the two texts.
  // False as soon as both pipes are at their end.
  bool read(std::string& out, std::string& err, int milliseconds, int wake);

  void interrupt() const;  // SIGINT, to the program alone: it knows what to do about those it started
  void kill() const;       // SIGKILL, to the whole group

  // Waits at most so long; nothing when it still runs then.
  [[nodiscard]] std::optional<Ending> wait_for(int milliseconds);

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::optional<Ending> ending_;
};

// The program's path, as a shell would find it; nothing when there is none.
[[nodiscard]] std::optional<std::string> find_program(std::string_view name);

}  // namespace corecast::adaptor
