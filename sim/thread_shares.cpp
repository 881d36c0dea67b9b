#include "sim/thread_shares.hpp"

#include <algorithm>

namespace corecast::sim {
namespace {

// s: with the operators above one thread alone, sum of (n_i s - 1) = W gives s = (W + their number) / (sum of
// n_i). Who would be below one thread at this s keeps its caller and leaves the sum; s falls with each that
// leaves.
double level_of(std::span<const int> wanted, double workers) {
  double level = 1.0;
  for (;;) {
    double asked = 0.0;
    double callers = 0.0;
    for (const int n : wanted) {
      if (n * level <= 1.0) continue;
      asked += n;
      callers += 1.0;
    }
    if (callers == 0.0) return level;
    const double next = std::min(level, (workers + callers) / asked);
    if (next >= level) return level;
    level = next;
  }
}

// d: share of the time in which a cgroup with a quota may run at all.
double granted_share(double runnable, const Plan& plan) {
  // The copies are in one cgroup: CPUs, threads and quota are shares of theirs.
  const double running = std::min(runnable, plan.cpus) * plan.copies;
  const double quota = plan.quota * plan.copies;
  if (running <= quota) return 1.0;
  const double burst = quota / running;  // B / T
  const Seconds budget = plan.quota_period * burst;
  const Seconds lost = running > 1.0 ? plan.quota_slice * (1.0 - 1.0 / running) : Seconds{};
  return burst * (budget / (budget + lost));
}

}  // namespace

double lockstep(double held, const ThreadShares& shares, const Plan& plan) {
  // Measured with onnxruntime, 3 to 8 threads on 2 CPUs: README, "Threads, frameworks and contention".
  constexpr double kHeldParts = 1.3;
  if (!(shares.oversubscribed > 1.0) || held <= 1.0) return 1.0;
  const double cpus = plan.cpus * plan.copies, runnable = shares.runnable * plan.copies;
  const double others = std::max(0.0, cpus - 1.0) * (held - 1.0) / (runnable - 1.0);
  return std::max(1.0, kHeldParts * held / (1.0 + std::min(others, held - 1.0)));
}

ThreadShares thread_shares(std::span<const int> wanted, const Plan& plan) {
  const double workers = plan.executor.shared_workers;
  ThreadShares shares;
  for (const int n : wanted) shares.held += n;
  if (shares.held - static_cast<double>(wanted.size()) > workers) {
    shares.level = level_of(wanted, workers);
    shares.held = 0.0;
    for (const int n : wanted) shares.held += threads_held(n, shares);
  }
  const double idle = std::max(0.0, plan.executor.slots + workers - shares.held);
  shares.runnable = shares.held + std::min<double>(plan.spinning, idle);
  if (shares.runnable > plan.cpus) {
    shares.cpu_share = plan.cpus / shares.runnable;
    shares.oversubscribed = shares.runnable / plan.cpus;
  }
  shares.cpu_share *= granted_share(shares.runnable, plan);
  return shares;
}

}  // namespace corecast::sim
