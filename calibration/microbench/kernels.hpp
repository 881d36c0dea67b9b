// Which of the compiled kernels this CPU and system can run; and the two that need no vector instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/data_type.hpp"
#include "calibration/microbench/kernel_functions.hpp"
#include "hwmodels/machine.hpp"

namespace corecast::calibration::microbench {

struct PeakChoice {
  hwmodels::Extension extension = hwmodels::Extension::scalar;
  DataType type = DataType::fp32;
  const PeakKernel* kernel = nullptr;
};

struct StreamChoice {
  hwmodels::Extension extension = hwmodels::Extension::scalar;
  const StreamKernels* kernels = nullptr;
};

struct KernelsAvailable {
  std::vector<PeakChoice> peaks;        // ascending by extension
  std::optional<StreamChoice> streams;  // the widest
  std::vector<std::string> left_out;    // what the CPU has and the system refuses, and why
};

// Of a CPU with `extensions` (hwmodels::detect_features()). Asks the system for the tile registers when amx is among them.
[[nodiscard]] KernelsAvailable kernels_available(const std::vector<hwmodels::Extension>& extensions);

// Factors x_0, x_1, y and start values for `choice`, and room for its result, as PeakKernel wants them; sums stay within
// the type however many rounds are run (int8 wraps), and differ after each of the first thousands.
class PeakOperands {
 public:
  explicit PeakOperands(const PeakChoice& choice);
  [[nodiscard]] const void* start() const { return start_.data(); }
  [[nodiscard]] const void* factors() const { return factors_.data(); }
  [[nodiscard]] void* result() { return result_.data(); }
  [[nodiscard]] std::uint64_t checksum() const;  // of the result

 private:
  struct alignas(64) Line {
    unsigned char bytes[64] = {};
  };
  std::vector<Line> start_, factors_, result_;
};

// A chain of `n` additions (rounded up to whole kChain), each of which needs the one before: one per cycle on any CPU
// known, hence clock = n / time. Register to register, for some CPUs do additions of small constants while renaming.
inline constexpr std::int64_t kChain = 64;
[[nodiscard]] std::uint64_t add_chain(std::uint64_t start, std::uint64_t step, std::int64_t n);

// Follows `steps` pointers (rounded up to whole kChaseUnroll) and returns where it stands. Every line holds, in its first
// bytes, the address of the next.
inline constexpr std::int64_t kChaseUnroll = 16;
[[nodiscard]] const void* chase(const void* start, std::int64_t steps);

// Makes the first `lines` lines of 64 bytes at `memory` one cycle in random order (Sattolo, Annals of Probability 14,
// 1986, 446-460): every line is visited once before the first comes again. The same seed gives the same order.
void link_cycle(void* memory, std::size_t lines, std::uint64_t seed);

}  // namespace corecast::calibration::microbench
