#include "tests/support/aborts.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace corecast::test {

bool aborts(const std::function<void()>& call) {
  const pid_t child = fork();
  if (child == 0) {
    // The test framework's handler would report the abort as a failure.
    std::signal(SIGABRT, SIG_DFL);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    try {
      call();
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
         WTERMSIG(status) == SIGABRT;
}

}  // namespace corecast::test
