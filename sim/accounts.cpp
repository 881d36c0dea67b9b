#include "sim/accounts.hpp"

#include <algorithm>

namespace corecast::sim {

Accounts::Accounts(const Plan& plan, std::size_t slots)
    : plan_(plan),
      causes_(kFirstResource + plan.resources.size()),
      caused_(slots * causes_, 0.0),
      held_(slots, 0.0) {}

void Accounts::begin(std::size_t slot) {
  const auto first = caused_.begin() + static_cast<std::ptrdiff_t>(slot * causes_);
  std::fill(first, first + static_cast<std::ptrdiff_t>(causes_), 0.0);
  held_[slot] = 0.0;
}

void Accounts::pass(std::size_t slot, Picoseconds passed, double held, std::size_t cause) {
  const auto time = static_cast<double>(passed);
  held_[slot] += held * time;
  caused_[slot * causes_ + cause] += time;
}

double Accounts::take_held(std::size_t slot) {
  const double held = held_[slot];
  held_[slot] = 0.0;
  return held;
}

void Accounts::end_useful(std::size_t slot, double alone, Picoseconds took, double& useful) {
  const double held = take_held(slot);
  const auto length = static_cast<double>(took);
  const double share = alone < length ? alone / length : 1.0;
  useful += held * share;
  sum_.wait += held * (1.0 - share);
}

void Accounts::end_overhead(std::size_t slot, double alone, Picoseconds took) {
  end_useful(slot, alone, took, sum_.overhead);
}

void Accounts::end_serial(std::size_t slot, double alone, Picoseconds took) {
  end_useful(slot, alone, took, sum_.compute);
}

void Accounts::end_parallel(std::size_t slot, const OperatorPlan& planned, double alone) {
  const double held = take_held(slot);
  const double useful = std::min(held, planned.threads * alone);
  sum_.wait += held - useful;
  const double parts = (planned.compute + planned.memory + planned.imbalance).value();
  if (parts > 0.0) {
    sum_.compute += useful * (planned.compute.value() / parts);
    sum_.memory += useful * (planned.memory.value() / parts);
    sum_.wait += useful * (planned.imbalance.value() / parts);
    return;
  }
  const bool in_memory = planned.bound == Bound::memory || planned.bound == Bound::cache;
  (in_memory ? sum_.memory : sum_.compute) += useful;
}

void Accounts::end_wait(std::size_t slot) {
  sum_.wait += take_held(slot);
}

void Accounts::pass_serial_wait(double threads, Picoseconds passed) {
  sum_.wait += threads * static_cast<double>(passed);
}

std::string Accounts::limited_by(std::size_t slot, Bound bound) const {
  const auto first = caused_.begin() + static_cast<std::ptrdiff_t>(slot * causes_);
  const auto most = std::max_element(first, first + static_cast<std::ptrdiff_t>(causes_));
  const auto cause = static_cast<std::size_t>(most - first);
  switch (cause) {
    case kOwn:
      return std::string(name_of(bound));
    case kThreads:
      return "threads of the pool";
    case kCpus:
      return "CPUs";
    default:
      return plan_.resources[cause - kFirstResource].name;
  }
}

TimeShare Accounts::time_share(Picoseconds makespan, const Executor& executor) const {
  TimeShare share;
  const double total =
      static_cast<double>(makespan) * (static_cast<double>(executor.slots) + executor.shared_workers);
  const double booked = sum_.compute + sum_.memory + sum_.overhead + sum_.wait;
  if (!(total > 0.0)) {
    share.idle = 1.0;
    return share;
  }
  // Rounding may book a little more than there was.
  const double scale = 1.0 / std::max(total, booked);
  share.compute = sum_.compute * scale;
  share.memory = sum_.memory * scale;
  share.overhead = sum_.overhead * scale;
  share.wait = sum_.wait * scale;
  share.idle = std::max(0.0, (total - booked) * scale);
  return share;
}

}  // namespace corecast::sim
