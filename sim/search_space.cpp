#include "sim/search_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "sim/placement.hpp"

namespace corecast::sim {
namespace {

// Counts at which something of the machine is full.
std::vector<int> marks_of(const hwmodels::Machine& machine, int cpus) {
  std::vector<int> marks{machine.cores_per_socket(), machine.cores_per_socket() / machine.domains_per_socket,
                         machine.cores(), machine.logical_cpus(), cpus};
  for (const auto& cache : machine.caches) {
    if (cache.shared_by_cores > 1) marks.push_back(cache.shared_by_cores);
  }
  // The same with two threads a core.
  const std::size_t plain = marks.size();
  for (std::size_t i = 0; machine.max_smt() > 1 && i < plain; ++i)
    marks.push_back(marks[i] * machine.max_smt());
  return marks;
}

}  // namespace

Fineness fineness_of(std::int64_t settings) {
  if (settings <= kSmallSpace) return {std::numeric_limits<int>::max(), 1};
  return settings <= kMediumSpace ? Fineness{64, 32} : Fineness{32, 16};
}

std::vector<int> grid(int most, const Fineness& fineness, const std::vector<int>& marks) {
  std::set<int> counts;
  for (int count = 1; count <= std::min(most, fineness.dense); ++count) counts.insert(count);
  for (double at = fineness.dense; at <= most; at *= std::exp2(1.0 / fineness.steps_per_doubling))
    counts.insert(static_cast<int>(std::lround(at)));
  const auto mark = [&](int count) {
    for (const int near : {count - 1, count, count + 1}) {
      if (near >= 1 && near <= most) counts.insert(near);
    }
  };
  mark(most);
  for (const int count : marks) {
    mark(count);
    mark(count / 2);
  }
  return {counts.begin(), counts.end()};
}

Space::Space(const graphs::Metrics& metrics, const Target& target, const Runtime& runtime,
             Objective objective, std::int64_t batch)
    : target_(target),
      runtime_(runtime),
      cpus_(target.cpus()),
      cores_(target.machine.cores()),
      most_instances_(objective == Objective::throughput ? target.cpus() : 1),
      widest_(static_cast<int>(
          std::min<std::int64_t>(std::max<std::int64_t>(metrics.max_width, 1), target.cpus()))),
      marks_(marks_of(target.machine, target.cpus())) {
  base_.runtime = runtime.name;
  base_.batch = batch;
  fineness_ = fineness_of(size());
}

void Space::add(std::vector<Setting>& out, int instances, int intra, int slots) const {
  const auto& machine = target_.machine;
  if (instances < 1 || intra < 1 || slots < 1) return;
  const int computing = computing_threads(runtime_, slots, intra);
  const std::int64_t all = std::int64_t{instances} * computing;
  if (instances > most_instances_ || slots > widest_ || all > cpus_) return;
  Setting setting = base_;
  setting.instances = instances;
  setting.intra_op = intra;
  setting.mode = slots > 1 ? Mode::parallel : Mode::sequential;
  setting.inter_op = slots > 1 ? slots + runtime_.idle_inter_op_threads : 1;
  for (const bool smt : {false, true}) {
    if (smt ? machine.max_smt() == 1 || all == 1 : all > cores_) continue;
    for (const Placement placement : {Placement::compact, Placement::scatter}) {
      if (placement == Placement::scatter && (machine.sockets == 1 || instances > 1 || computing == 1))
        continue;
      setting.smt = smt;
      setting.placement = placement;
      out.push_back(setting);
    }
  }
}

std::vector<Setting> Space::settings(bool every_count) const {
  const auto counts = [&](int most) {
    if (!every_count) return grid(most, fineness_, marks_);
    std::vector<int> all(static_cast<std::size_t>(std::max(most, 0)));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i) + 1;
    return all;
  };
  std::vector<Setting> out;
  for (const int instances : counts(most_instances_)) {
    const int each = cpus_ / instances;
    for (const int intra : counts(each)) {
      for (const int slots : counts(std::min(widest_, most_slots(runtime_, each, intra))))
        add(out, instances, intra, slots);
    }
  }
  return out;
}

std::vector<Setting> Space::all() const {
  return settings(true);
}

std::vector<Setting> Space::coarse() const {
  std::vector<Setting> out = settings(false);
  if (most_instances_ == 1 || size() <= kSmallSpace) return out;
  // As many instances of a kind as the machine holds: seldom a count of the grid, and often the best.
  for (const int intra : grid(cpus_, fineness_, marks_)) {
    for (const int slots : grid(std::min(widest_, most_slots(runtime_, cpus_, intra)), fineness_, marks_))
      add_full(out, intra, slots);
  }
  return out;
}

void Space::add_full(std::vector<Setting>& out, int intra, int slots) const {
  const int each = computing_threads(runtime_, slots, intra);
  const auto& machine = target_.machine;
  std::set<int> counts{cores_ / each, cpus_ / each};
  for (const int ways : {1, machine.max_smt()})
    counts.insert(machine.cores_per_socket() * ways / each * machine.sockets);
  for (const int instances : counts) add(out, instances, intra, slots);
}

std::int64_t Space::size() const {
  // By computing threads c of one instance: so many pairs of intra_op and slots have c.
  const auto pairs = [&](int computing) {
    const int most = std::min(computing, widest_);
    if (!runtime_.own_teams) return most;
    int divisors = 0;
    for (int slots = 1; slots <= most; ++slots) divisors += computing % slots == 0 ? 1 : 0;
    return divisors;
  };
  std::int64_t sum = 0;
  const auto& machine = target_.machine;
  for (int instances = 1; instances <= most_instances_; ++instances) {
    for (int computing = 1; computing <= cpus_ / instances; ++computing) {
      const std::int64_t all = std::int64_t{instances} * computing;
      const bool scatters = machine.sockets > 1 && instances == 1 && computing > 1;
      const int sharing = (all <= cores_ ? 1 : 0) + (machine.max_smt() > 1 && all > 1 ? 1 : 0);
      sum += std::int64_t{pairs(computing)} * sharing * (scatters ? 2 : 1);
    }
  }
  return sum;
}

std::vector<int> Space::between(int count, int most) const {
  const std::vector<int> points = grid(most, fineness_, marks_);
  const auto above = std::upper_bound(points.begin(), points.end(), count);
  const auto here = std::lower_bound(points.begin(), points.end(), count);
  const int last = above == points.end() ? most : *above;
  std::vector<int> out;
  for (int c = here == points.begin() ? 1 : *std::prev(here); c <= last; ++c) out.push_back(c);
  return out;
}

std::vector<Setting> Space::around(const Setting& center) const {
  const int slots =
      center.mode == Mode::parallel ? std::max(1, center.inter_op - runtime_.idle_inter_op_threads) : 1;
  const int each = cpus_ / center.instances;
  std::vector<Setting> out;
  for (const int intra : between(center.intra_op, each)) add(out, center.instances, intra, slots);
  for (const int other : between(slots, std::min(widest_, each)))
    add(out, center.instances, center.intra_op, other);
  if (most_instances_ == 1) return out;
  for (const int instances : between(center.instances, most_instances_)) {
    add(out, instances, center.intra_op, slots);
    for (const int full : {cores_, cpus_})
      add(out, instances, most_intra_op(runtime_, full / instances, slots), slots);
  }
  for (const int intra : between(center.intra_op, each)) add_full(out, intra, slots);
  return out;
}

bool before(const Setting& a, const Setting& b) {
  const auto key = [](const Setting& s) {
    return std::tuple(s.instances, s.intra_op, s.mode, s.inter_op, s.smt, s.placement);
  };
  return key(a) < key(b);
}

std::string_view name_of(Objective objective) {
  return objective == Objective::latency ? "latency" : "throughput";
}

std::vector<Setting> search_space(const graphs::Metrics& metrics, const Target& target,
                                  const Runtime& runtime, Objective objective, std::int64_t batch) {
  return Space(metrics, target, runtime, objective, batch).all();
}

}  // namespace corecast::sim
