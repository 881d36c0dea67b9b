// Sleeping on a word of memory: Linux' own system call, so that nothing (a library's spinning, a mutex)
// stands between the measurement and the kernel.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace corecast::calibration::microbench {

// Until woken, while `word` holds `value`; may return early, so ask again.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  static_assert(sizeof(word) == sizeof(std::uint32_t) && std::atomic<std::uint32_t>::is_always_lock_free);
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

inline void futex_wake(std::atomic<std::uint32_t>& word, int most) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, most, nullptr, nullptr, 0);
}

inline void futex_wake_all(std::atomic<std::uint32_t>& word) {
  futex_wake(word, INT_MAX);
}

}  // namespace corecast::calibration::microbench
