#include "cli/progress.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <system_error>
#include <utility>

namespace corecast::cli {

Progress::Progress(std::string what) : what_(std::move(what)) {
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    // No thread to spare (a tight pids limit): the work goes on in silence.
  }
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  if (watcher_.joinable()) watcher_.join();
}

void Progress::watch() {
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, std::chrono::seconds(2), [this] { return done_; })) return;
  if (!terminal) {
    std::fprintf(stderr, "corecast: %s ...\n", what_.c_str());
    return;
  }
  int seconds = 2;
  do {
    std::fprintf(stderr, "\rcorecast: %s ... %d s", what_.c_str(), seconds);
    ++seconds;
  } while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; }));
  std::fprintf(stderr, "\r\033[K");
}

}  // namespace corecast::cli
