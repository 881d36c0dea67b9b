#include "sim/speeds.hpp"

#include <algorithm>

#include "sim/accounts.hpp"

namespace corecast::sim {

Speeds::Speeds(const Plan& plan) : plan_(plan) {
  for (const Resource& resource : plan.resources) capacities_.push_back(resource.capacity);
}

const ThreadShares& Speeds::share_threads(std::span<const Slot> slots, std::span<const std::size_t> busy) {
  wanted_.clear();
  double serial_wants = 0.0;
  for (const std::size_t s : busy) {
    const Slot& slot = slots[s];
    if (slot.stage == Stage::hand_over) continue;
    wanted_.push_back(threads_wanted(slot, plan_));
    if (slot.stage == Stage::serial) serial_wants += plan_.operators[slot.op].threads - 1;
  }
  threads_ = thread_shares(wanted_, plan_);
  const double used_workers = threads_.held - static_cast<double>(wanted_.size());
  serial_wait_ = std::min(serial_wants, std::max(0.0, plan_.executor.shared_workers - used_workers));
  return threads_;
}

Speed Speeds::without_resources(const Slot& slot) const {
  if (slot.stage == Stage::hand_over) return {1.0, 0.0, Accounts::kOwn};
  const int wanted = threads_wanted(slot, plan_);
  const double held = threads_held(wanted, threads_);
  if (slot.stage == Stage::slice_wait) return {1.0, held, Accounts::kCpus};
  const double pool_share = slot.stage == Stage::parallel ? held / wanted : 1.0;
  std::size_t cause = Accounts::kOwn;
  if (threads_.cpu_share < 1.0) cause = Accounts::kCpus;
  if (pool_share < 1.0 && pool_share <= threads_.cpu_share) cause = Accounts::kThreads;
  return {pool_share * threads_.cpu_share, held, cause};
}

// True when all may run at the speeds their threads allow, which is the usual case.
bool Speeds::resources_suffice(std::span<const Slot> slots, std::span<const std::size_t> busy) {
  load_.assign(capacities_.size(), 0.0);
  for (std::size_t k = 0; k < busy.size(); ++k) {
    const Slot& slot = slots[busy[k]];
    if (slot.stage != Stage::parallel) continue;
    const double scale = speeds_[k].speed * kPicosecondsPerSecond / slot.alone;
    for (const Draw& draw : plan_.operators[slot.op].draws) {
      const std::size_t j = draw.resource.value();
      load_[j] += draw.amount * scale;
      if (load_[j] > capacities_[j] * (1.0 + 1e-12)) return false;
    }
  }
  return true;
}

std::span<const Speed> Speeds::share_resources(std::span<const Slot> slots,
                                               std::span<const std::size_t> busy) {
  speeds_.clear();
  for (const std::size_t s : busy) speeds_.push_back(without_resources(slots[s]));
  if (resources_suffice(slots, busy)) return speeds_;
  if (activities_.size() < busy.size()) activities_.resize(busy.size());
  for (std::size_t k = 0; k < busy.size(); ++k) {
    const Slot& slot = slots[busy[k]];
    hwmodels::Activity& activity = activities_[k];
    activity.bound = speeds_[k].speed;
    activity.uses.clear();
    if (slot.stage != Stage::parallel) continue;
    for (const Draw& draw : plan_.operators[slot.op].draws) {
      activity.uses.push_back({draw.resource.value(), draw.amount * (kPicosecondsPerSecond / slot.alone)});
    }
  }
  const hwmodels::Shares& shares = solver_.solve(std::span(activities_).first(busy.size()), capacities_);
  for (std::size_t k = 0; k < busy.size(); ++k) {
    if (shares.limited_by[k] == hwmodels::Shares::kOwnBound) continue;
    speeds_[k].speed = shares.rate[k];
    speeds_[k].cause = Accounts::kFirstResource + shares.limited_by[k];
  }
  return speeds_;
}

}  // namespace corecast::sim
