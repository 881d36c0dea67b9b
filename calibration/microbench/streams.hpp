// One bandwidth benchmark: a team, its memory and a kernel that streams over it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "calibration/microbench/buffer.hpp"
#include "calibration/microbench/kernels.hpp"
#include "calibration/microbench/sampler.hpp"
#include "calibration/microbench/team.hpp"

namespace corecast::calibration::microbench {

enum class Stream { read, write, write_nt, copy, copy_nt, triad, triad_nt, update };

struct StreamTraits {
  std::string_view name;  // Row::kernel
  int arrays;
  double bytes_per_element;  // that the program asks to read and write, of one element of each array
};
[[nodiscard]] StreamTraits traits_of(Stream stream);

// Floats of each array for a working set of about `bytes_per_thread`: whole blocks of 512 bytes, one at least.
[[nodiscard]] std::size_t elements_of(Stream stream, double bytes_per_thread);

// Floats from one array to the next: whole pages, so that a load meets a store of the same last 12 address bits (which
// the CPU takes for the same address) only a page later.
[[nodiscard]] std::size_t array_stride(std::size_t elements);
inline constexpr std::size_t kStrideLoss = 3 * std::size_t{4096};  // bytes, at most, of all arrays together

// One pass after the other over arrays that lie array_stride apart from `memory` on; a checksum where it reads only.
std::uint32_t run_stream(const StreamKernels& kernels, Stream stream, float* memory, std::size_t elements,
                         std::int64_t passes);

// A team and the memory of each of its threads, as huge pages where the system has them, touched first by the thread that
// uses it, or by threads on the CPUs `owners`, taken in turn (memory of another domain).
class Rig {
 public:
  Rig(const std::vector<int>& cpus, std::size_t bytes_per_thread, const std::vector<int>& owners = {});

  [[nodiscard]] Team& team() { return team_; }
  [[nodiscard]] float* memory(int thread) const;
  [[nodiscard]] std::size_t bytes_per_thread() const { return bytes_; }
  [[nodiscard]] const std::vector<int>& cpus() const { return cpus_; }
  [[nodiscard]] std::uint32_t checksum() const { return checksum_; }

  // Time of one pass of all threads.
  [[nodiscard]] Sampling measure(const StreamKernels& kernels, Stream stream, std::size_t elements,
                                 const SamplingOptions& options);

 private:
  std::vector<int> cpus_;
  std::size_t bytes_ = 0;
  std::vector<Buffer> buffers_;
  Team team_;
  std::uint32_t checksum_ = 0;
};

}  // namespace corecast::calibration::microbench
