#include "calibration/microbench/buffer.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <utility>

namespace corecast::calibration::microbench {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21U;

}  // namespace

Buffer::Buffer(std::size_t bytes, Pages pages) : size_(bytes) {
  const std::size_t alignment = pages == Pages::huge ? kHugePage : 4096;
  // Whole huge pages, or the last part would be small ones.
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  mapped_ = whole + alignment;
  void* const mapping =
      ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = mapping;
  const auto address = reinterpret_cast<std::uintptr_t>(mapping);
  data_ = static_cast<char*>(mapping) + (alignment - address % alignment) % alignment;
  // Refused where the kernel has no huge pages: then they are small, and huge_pages_in_use() shows it.
  (void)::madvise(data_, whole, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

Buffer::~Buffer() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_);
}

Buffer::Buffer(Buffer&& other) noexcept {
  *this = std::move(other);
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace corecast::calibration::microbench
