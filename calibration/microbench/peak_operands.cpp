#include <cstring>

#include "base/error.hpp"
#include "calibration/microbench/kernels.hpp"

namespace corecast::calibration::microbench {
namespace {

// Multiples of 1/64 below 1, exact in all types. x_1 takes back what x_0 added but for 1/64 of y: sums drift, so that the
// result tells how many rounds there were, and slowly.
constexpr float kGrain = 64.0F;

float factor_value(std::size_t factor, std::size_t lane) {
  const auto size = static_cast<float>(8 * (lane % 7 + 1)) / kGrain;
  return factor == 1 ? 1.0F / kGrain - size : size;
}

// Upper half of fp32: exact for the values above.
std::uint16_t bf16_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16U);
}

template <typename T, typename Lines>
void put(Lines& lines, std::size_t index, T value) {
  std::memcpy(reinterpret_cast<unsigned char*>(lines.data()) + index * sizeof value, &value, sizeof value);
}

std::size_t lines_for(std::size_t bytes) {
  return (bytes + 63) / 64;
}

}  // namespace

PeakOperands::PeakOperands(const PeakChoice& choice) {
  const PeakKernel& kernel = *choice.kernel;
  const std::size_t sums = static_cast<std::size_t>(kernel.accumulators) * kernel.accumulator_bytes;
  start_.resize(lines_for(sums));
  result_.resize(lines_for(sums));
  factors_.resize(lines_for(3 * kernel.factor_bytes));
  // Sums are 32 bits wide for all types.
  for (std::size_t i = 0; i < sums / 4; ++i) {
    if (choice.type == DataType::int8) {
      put(start_, i, static_cast<std::int32_t>(i));
    } else {
      put(start_, i, static_cast<float>(i) + 1.0F);
    }
  }
  const auto element = static_cast<std::size_t>(bytes_per_element(choice.type));
  const std::size_t lanes = kernel.factor_bytes / element;
  for (std::size_t i = 0; i < 3 * lanes; ++i) {
    const std::size_t factor = i / lanes;
    const float value = factor_value(factor, i % lanes);
    switch (choice.type) {
      case DataType::fp32:
        put(factors_, i, value);
        break;
      case DataType::bf16:
        put(factors_, i, bf16_bits(value));
        break;
      case DataType::int8:
        put(factors_, i, static_cast<std::int8_t>(value * kGrain));
        break;
      default:
        CORECAST_CHECK(false, "type={}", name_of(choice.type));
    }
  }
}

std::uint64_t PeakOperands::checksum() const {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const Line& line : result_) {
    for (const unsigned char byte : line.bytes) hash = (hash ^ byte) * 0x100000001B3U;
  }
  return hash;
}

}  // namespace corecast::calibration::microbench
