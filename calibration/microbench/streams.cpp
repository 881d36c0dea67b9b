#include "calibration/microbench/streams.hpp"

#include <algorithm>
#include <array>

namespace corecast::calibration::microbench {
namespace {

constexpr std::array<StreamTraits, 8> kTraits{{{"read", 1, 4.0},
                                               {"write", 1, 4.0},
                                               {"write_nt", 1, 4.0},
                                               {"copy", 2, 8.0},
                                               {"copy_nt", 2, 8.0},
                                               {"triad", 3, 12.0},
                                               {"triad_nt", 3, 12.0},
                                               {"update", 1, 8.0}}};
constexpr std::size_t kBlock = 512;  // bytes: one unrolled turn of the widest kernel

std::vector<Buffer> buffers(std::size_t count, std::size_t bytes) {
  std::vector<Buffer> result;
  for (std::size_t i = 0; i < count; ++i) result.emplace_back(bytes, Pages::huge);
  return result;
}

void fill(const Buffer& buffer) {
  float* const memory = reinterpret_cast<float*>(buffer.data());
  std::fill(memory, memory + buffer.size() / sizeof(float), 1.0F);
}

}  // namespace

StreamTraits traits_of(Stream stream) {
  return kTraits[static_cast<std::size_t>(stream)];
}

std::size_t elements_of(Stream stream, double bytes_per_thread) {
  const double blocks = bytes_per_thread / traits_of(stream).arrays / static_cast<double>(kBlock);
  return std::max<std::size_t>(static_cast<std::size_t>(blocks), 1) * (kBlock / sizeof(float));
}

std::size_t array_stride(std::size_t elements) {
  constexpr std::size_t kPage = 4096 / sizeof(float);
  return (elements + kPage - 1) / kPage * kPage;
}

std::uint32_t run_stream(const StreamKernels& kernels, Stream stream, float* memory, std::size_t elements,
                         std::int64_t passes) {
  float* const a = memory;
  float* const b = memory + array_stride(elements);
  float* const c = memory + 2 * array_stride(elements);
  switch (stream) {
    case Stream::read:
      return kernels.read(a, elements, passes);
    case Stream::write:
      kernels.write(a, 1.0F, elements, passes);
      break;
    case Stream::write_nt:
      kernels.write_nt(a, 1.0F, elements, passes);
      break;
    case Stream::copy:
      kernels.copy(a, b, elements, passes);
      break;
    case Stream::copy_nt:
      kernels.copy_nt(a, b, elements, passes);
      break;
    case Stream::triad:
      kernels.triad(a, b, c, 0.5F, elements, passes);
      break;
    case Stream::triad_nt:
      kernels.triad_nt(a, b, c, 0.5F, elements, passes);
      break;
    case Stream::update:
      kernels.update(a, -1.0F, elements, passes);  // neither grows nor becomes denormal
      break;
  }
  return 0;
}

Rig::Rig(const std::vector<int>& cpus, std::size_t bytes_per_thread, const std::vector<int>& owners)
    : cpus_(cpus), bytes_(bytes_per_thread), buffers_(buffers(cpus.size(), bytes_per_thread)), team_(cpus) {
  if (owners.empty()) {
    team_.run([&](int thread) { fill(buffers_[static_cast<std::size_t>(thread)]); });
    return;
  }
  Team others(owners);
  others.run([&](int thread) {
    for (auto i = static_cast<std::size_t>(thread); i < buffers_.size(); i += owners.size())
      fill(buffers_[i]);
  });
}

float* Rig::memory(int thread) const {
  return reinterpret_cast<float*>(buffers_[static_cast<std::size_t>(thread)].data());
}

Sampling Rig::measure(const StreamKernels& kernels, Stream stream, std::size_t elements,
                      const SamplingOptions& options) {
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(team_.size()) * 32);  // lines apart
  const auto run = [&](std::int64_t passes) {
    return team_.run([&](int thread) {
      sums[static_cast<std::size_t>(thread) * 32] +=
          run_stream(kernels, stream, memory(thread), elements, passes);
    });
  };
  Sampling sampling = sample(run, options);
  for (const std::uint32_t sum : sums) checksum_ += sum;
  return sampling;
}

}  // namespace corecast::calibration::microbench
