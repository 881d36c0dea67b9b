#include <algorithm>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "sim/placement.hpp"
#include "sim/search.hpp"

namespace corecast::sim {
namespace {

// What a runtime and a machine can tell apart in a setting.
using Identity =
    std::tuple<Mode, int, int, int, std::vector<std::tuple<int, int, int, double, int, double>>, double>;

Identity identity_of(const Target& target, const Runtime& runtime, const Setting& asked) {
  const Setting setting = effective(target, runtime, asked);
  const int callers =
      setting.mode == Mode::parallel ? std::max(1, setting.inter_op - runtime.idle_inter_op_threads) : 1;
  const ThreadPlacement placement = place_threads(target.machine, setting, callers + setting.intra_op - 1);
  std::vector<std::tuple<int, int, int, double, int, double>> shares;
  for (const auto& share : placement.sockets) {
    shares.emplace_back(share.socket, share.threads, share.cores, share.streaming_cores, share.active_cores,
                        share.all_streaming_cores);
  }
  return {setting.mode, setting.instances,      setting.inter_op, setting.intra_op,
          shares,       placement.slowest_speed};
}

}  // namespace

std::string_view name_of(Objective objective) {
  return objective == Objective::latency ? "latency" : "throughput";
}

std::vector<Setting> search_space(const graphs::Metrics& metrics, const Target& target,
                                  const Runtime& runtime, Objective objective, std::int64_t batch) {
  const auto& machine = target.machine;
  const int cpus = target.cpus();
  const int most_instances = objective == Objective::throughput ? cpus : 1;
  const int widest =
      static_cast<int>(std::min<std::int64_t>(std::max<std::int64_t>(metrics.max_width, 1), cpus));
  std::vector<Setting> space;
  Setting setting;
  setting.runtime = runtime.name;
  setting.batch = batch;

  const auto add_placements = [&](Setting base, int computing) {
    const bool several = computing > 1;
    for (const bool smt : {false, true}) {
      if (smt && (machine.max_smt() == 1 || base.instances * computing == 1)) continue;
      for (const Placement placement : {Placement::compact, Placement::scatter}) {
        if (placement == Placement::scatter && (machine.sockets == 1 || base.instances > 1 || !several))
          continue;
        base.smt = smt;
        base.placement = placement;
        space.push_back(base);
      }
    }
  };

  for (int instances = 1; instances <= most_instances; ++instances) {
    setting.instances = instances;
    for (int intra = 1; intra <= cpus / instances; ++intra) {
      setting.intra_op = intra;
      setting.mode = Mode::sequential;
      setting.inter_op = 1;
      add_placements(setting, intra);
      for (int slots = 2; slots <= widest && (slots + intra - 1) * instances <= cpus; ++slots) {
        setting.mode = Mode::parallel;
        setting.inter_op = slots + runtime.idle_inter_op_threads;
        add_placements(setting, slots + intra - 1);
      }
    }
  }
  return space;
}

std::vector<Setting> distinct_settings(const std::vector<Setting>& space, const Target& target,
                                       const Runtime& runtime) {
  std::set<Identity> seen;
  std::vector<Setting> distinct;
  for (const Setting& setting : space) {
    if (seen.insert(identity_of(target, runtime, setting)).second) {
      distinct.push_back(effective(target, runtime, setting));
    }
  }
  return distinct;
}

}  // namespace corecast::sim
