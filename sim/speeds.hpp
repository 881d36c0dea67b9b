// How fast the running phases go at a date: the equations of simulator.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hwmodels/sharing.hpp"
#include "sim/plan.hpp"
#include "sim/slot.hpp"
#include "sim/thread_shares.hpp"

namespace corecast::sim {

struct Speed {
  double speed = 0.0;     // u
  double held = 0.0;      // threads
  std::size_t cause = 0;  // see Accounts
};

class Speeds {
 public:
  explicit Speeds(const Plan& plan);

  // Shares of the busy slots' stages (`busy`: indices into `slots`). Valid until the next call.
  const ThreadShares& share_threads(std::span<const Slot> slots, std::span<const std::size_t> busy);
  // Free workers that operators in their serial part would use, at the last share_threads.
  [[nodiscard]] double serial_wait() const { return serial_wait_; }
  // One for each of `busy`, with the threads of the last share_threads. Valid until the next call.
  std::span<const Speed> share_resources(std::span<const Slot> slots, std::span<const std::size_t> busy);

 private:
  [[nodiscard]] Speed without_resources(const Slot& slot) const;
  [[nodiscard]] bool resources_suffice(std::span<const Slot> slots, std::span<const std::size_t> busy);

  const Plan& plan_;
  ThreadShares threads_;
  double serial_wait_ = 0.0;
  // Kept between calls for their memory.
  std::vector<double> capacities_;
  std::vector<int> wanted_;
  std::vector<Speed> speeds_;
  std::vector<double> load_;
  std::vector<hwmodels::Activity> activities_;
  hwmodels::SharingSolver solver_;
};

}  // namespace corecast::sim
