#include "calibration/adaptor/stop_signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace corecast::adaptor {
namespace {

constexpr std::array<int, 2> kSignals{SIGINT, SIGTERM};

std::atomic<int> writer{-1};  // a handler can reach nothing else
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void on_stop(int /*signal*/) {
  const int before = errno;
  const char byte = 0;
  if (const int end = writer.load(); end >= 0) {
    [[maybe_unused]] const ssize_t put = ::write(end, &byte, 1);  // a full pipe tells enough
  }
  errno = before;
}

}  // namespace

StopSignals::StopSignals() {
  if (::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw InputError("", fmt::format("no pipe can be made: {}", std::strerror(errno)));
  writer = ends_[1];
  struct sigaction action {};
  action.sa_handler = on_stop;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before_[i]);
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  writer = -1;
  for (const int end : ends_) ::close(end);
}

bool StopSignals::came() {
  std::array<char, 16> bytes{};
  bool any = false;
  while (::read(ends_[0], bytes.data(), bytes.size()) > 0) any = true;
  return any;
}

}  // namespace corecast::adaptor
