#include "sim/page_faults.hpp"

#include <cmath>

namespace corecast::sim {

PageFaults page_faults(Bytes written, double fresh_blocks, Seconds page_fault) {
  constexpr Bytes kReturned{32.0 * 1024.0 * 1024.0};
  constexpr double kPage = 4096.0;
  constexpr double kGivingBack = 0.3;  // of a fault
  if (!(written > kReturned)) return {};
  const Seconds each = page_fault * std::ceil(written.value() / kPage);
  return {each * fresh_blocks, each * kGivingBack};
}

}  // namespace corecast::sim
