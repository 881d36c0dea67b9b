#include "calibration/microbench/kernels.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#if defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace corecast::calibration::microbench {
namespace {

using hwmodels::Extension;

bool has(const std::vector<Extension>& extensions, Extension wanted) {
  return std::find(extensions.begin(), extensions.end(), wanted) != extensions.end();
}

#if defined(__x86_64__)
// Linux, Documentation/arch/x86/xstate.rst: tile data is off until a process asks for it. Empty: granted.
std::string ask_for_tiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  if (::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0) return {};
  return std::strerror(errno);
}
#endif

}  // namespace

KernelsAvailable kernels_available(const std::vector<Extension>& extensions) {
  KernelsAvailable result;
#if defined(__x86_64__)
  const bool wide = has(extensions, Extension::avx512);
  const auto add = [&](Extension extension, DataType type, const PeakKernel& kernel) {
    if (has(extensions, extension)) result.peaks.push_back({extension, type, &kernel});
  };
  add(Extension::sse, DataType::fp32, kSsePeak);
  add(Extension::avx2, DataType::fp32, kAvx2Peak);
  add(Extension::avx512, DataType::fp32, kAvx512Peak);
  add(Extension::vnni, DataType::int8, wide ? kVnniPeak : kAvxVnniPeak);
  add(Extension::bf16, DataType::bf16, kBf16Peak);
  if (has(extensions, Extension::amx)) {
    const std::string refused = ask_for_tiles();
    if (refused.empty()) {
      add(Extension::amx, DataType::bf16, kAmxBf16Peak);
      add(Extension::amx, DataType::int8, kAmxInt8Peak);
    } else {
      result.left_out.push_back("amx: the system refuses the tile registers: " + refused);
    }
  }
  if (has(extensions, Extension::sse)) result.streams = StreamChoice{Extension::sse, &kSseStreams};
  if (has(extensions, Extension::avx2)) result.streams = StreamChoice{Extension::avx2, &kAvx2Streams};
  if (wide) result.streams = StreamChoice{Extension::avx512, &kAvx512Streams};
#elif defined(__aarch64__)
  if (has(extensions, Extension::neon)) {
    result.peaks.push_back({Extension::neon, DataType::fp32, &kNeonPeak});
    result.streams = StreamChoice{Extension::neon, &kNeonStreams};
  }
  if (has(extensions, Extension::vnni)) {
    result.peaks.push_back({Extension::vnni, DataType::int8, &kNeonDotPeak});
  }
  if (has(extensions, Extension::bf16)) {
    result.peaks.push_back({Extension::bf16, DataType::bf16, &kNeonBf16Peak});
  }
  if (has(extensions, Extension::sve)) {
    result.left_out.push_back("sve: there is no kernel for it, NEON is measured");
  }
#else
  (void)extensions;
  result.left_out.push_back("no kernels for this processor architecture");
#endif
  return result;
}

std::uint64_t add_chain(std::uint64_t start, std::uint64_t step, std::int64_t n) {
  std::uint64_t sum = start;
  for (std::int64_t i = 0; i < n; i += kChain) {
#if defined(__x86_64__)
    __asm__ volatile(".rept 64\n\taddq %1, %0\n\t.endr" : "+r"(sum) : "r"(step) : "cc");
#elif defined(__aarch64__)
    __asm__ volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(step));
#else
    for (std::int64_t j = 0; j < kChain; ++j) {
      sum += step;
      __asm__ volatile("" : "+r"(sum));
    }
#endif
  }
  return sum;
}

const void* chase(const void* start, std::int64_t steps) {
  const void* line = start;
  const auto next = [&line] { line = *static_cast<const void* const*>(line); };
  for (std::int64_t i = 0; i < steps; i += kChaseUnroll) {
    next(), next(), next(), next(), next(), next(), next(), next();
    next(), next(), next(), next(), next(), next(), next(), next();
  }
  return line;
}

void link_cycle(void* memory, std::size_t lines, std::uint64_t seed) {
  constexpr std::size_t kLine = 64;
  char* const base = static_cast<char*>(memory);
  const auto slot = [&](std::size_t line) {
    return static_cast<void**>(static_cast<void*>(base + kLine * line));
  };
  for (std::size_t i = 0; i < lines; ++i) *slot(i) = slot(i);
  std::uint64_t state = seed;
  for (std::size_t i = lines; i-- > 1;) {
    // splitmix64: std::uniform_int_distribution differs between libraries.
    state += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    mixed ^= mixed >> 31U;
    std::swap(*slot(i), *slot(static_cast<std::size_t>(mixed % i)));
  }
}

}  // namespace corecast::calibration::microbench
