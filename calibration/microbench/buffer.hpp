// Memory to measure in, straight from the system: untouched, so that the thread that touches it first decides where it is.
#pragma once

#include <cstddef>

#include "base/quantity.hpp"

namespace corecast::calibration::microbench {

// Small: 4 KiB pages only. Huge: aligned to 2 MiB and advised for huge pages, which keep address translation out of the
// figures; whether the system grants them: huge_pages_in_use().
enum class Pages { small, huge };

class Buffer {
 public:
  Buffer() = default;
  Buffer(std::size_t bytes, Pages pages);  // std::bad_alloc when the system has no more
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  [[nodiscard]] char* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

// Of this process, now (/proc/self/smaps_rollup; 0 where it cannot be read).
[[nodiscard]] Bytes huge_pages_in_use();

// What a benchmark may take: an eighth of what is available, in the system (MemAvailable) and in the process's control
// groups (limit less use); a benchmark must not push the host's own work out of memory.
[[nodiscard]] Bytes memory_allowance();

}  // namespace corecast::calibration::microbench
