#include "sim/reasons.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "sim/knobs.hpp"
#include "sim/placement.hpp"
#include "sim/policy.hpp"

namespace corecast::sim {
namespace {

std::string plural(int count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

struct Item {
  std::string_view words;
  Seconds time;
};

std::array<Item, 5> items(const Breakdown& b) {
  return {{{"arithmetic", b.arithmetic},
           {"uneven parts", b.imbalance},
           {"memory and caches", b.memory},
           {"dispatch, fork and join", b.overhead},
           {"serial parts", b.serial}}};
}

Seconds sum_of(const Breakdown& b) {
  return b.arithmetic + b.imbalance + b.memory + b.overhead + b.serial;
}

std::string what_holds_it(const Breakdown& own) {
  auto parts = items(own);
  std::stable_sort(parts.begin(), parts.end(), [](const Item& a, const Item& b) { return a.time > b.time; });
  const double all = sum_of(own).value();
  if (!(all > 0.0)) return "nothing to compute";
  const auto percent = [&](const Item& item) { return 100.0 * item.time.value() / all; };
  std::string text = fmt::format("{:.0f} % {}", percent(parts[0]), parts[0].words);
  if (percent(parts[1]) >= 5.0) text += fmt::format(", {:.0f} % {}", percent(parts[1]), parts[1].words);
  if (own.makespan < sum_of(own) * 0.98)
    text += fmt::format("; branches overlap {:.2f} x", sum_of(own) / own.makespan);
  return text;
}

int cores_of(const ThreadPlacement& placement) {
  int cores = 0;
  for (const auto& share : placement.sockets) cores += share.cores;
  return cores;
}

}  // namespace

Breakdown breakdown_of(const Plan& plan, const Timeline& timeline) {
  Breakdown b;
  for (const auto& op : plan.operators) {
    b.arithmetic += op.compute;
    b.imbalance += op.imbalance;
    b.memory += op.memory;
    b.overhead += op.dispatch + op.fork_join;
    b.serial += op.serial;
  }
  b.makespan = timeline.duration();
  return b;
}

std::string placement_words(const Target& target, const Runtime& runtime, const Setting& setting) {
  const ThreadPlacement placement =
      place_threads(target.machine, setting, computing_threads(runtime, setting));
  const int cores = cores_of(placement);
  std::string text = fmt::format("{} on {}", plural(placement.threads, "thread"), plural(cores, "core"));
  if (target.machine.sockets > 1)
    text += fmt::format(" of {}", plural(static_cast<int>(placement.sockets.size()), "socket"));
  // Two instances on one core: that cannot be seen from the counts of one.
  if (placement.sibling_threads > 1 && placement.threads <= cores) text += " that others share (SMT)";
  if (setting.instances > 1) text = fmt::format("{}, each {}", plural(setting.instances, "instance"), text);
  return text;
}

std::string reason(const Target& /*target*/, const Setting& setting, const Breakdown& own,
                   const Setting& best_setting, const Breakdown& best) {
  if (setting == best_setting) return what_holds_it(own);
  // Per sample, so that settings with several instances compare.
  const double scale = static_cast<double>(setting.instances) / best_setting.instances;
  const auto mine = items(own);
  const auto theirs = items(best);
  std::size_t worst = mine.size();
  Seconds most{};
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const Seconds more = mine[i].time - theirs[i].time * scale;
    if (more > most) {
      most = more;
      worst = i;
    }
  }
  const Seconds lost_overlap = (own.makespan - sum_of(own)) - (best.makespan - sum_of(best)) * scale;
  if (lost_overlap > most) return "less overlap of branches, or more waiting for each other, than the best";
  if (worst == mine.size() || most < own.makespan * 0.001) return "as good as the best within 0.1 %";
  return fmt::format("{} more for {}", to_short_text(most, 2), mine[worst].words);
}

std::vector<Message> advice(const graphs::Metrics& metrics, const Target& target, const Runtime& runtime,
                            const SearchResult& result, Objective objective) {
  std::vector<Message> out;
  const Setting& best = result.best.setting;
  const auto& machine = target.machine;
  const int computing = computing_threads(runtime, best);
  const Knobs& knobs = knobs_of(runtime.framework);
  const bool overlaps = policy_of(runtime).overlaps(runtime);
  if (!overlaps && !knobs.inter.empty() && metrics.max_width > 1) {
    const bool onnxruntime = runtime.framework == "onnxruntime";
    out.push_back({onnxruntime ? "ORT_INTEROP_NOOP" : "INTER_OP_IGNORED",
                   fmt::format("{} ignores {} for {}; do not expect branches to overlap", runtime.name,
                               knobs.inter, onnxruntime ? "an all-CPU graph" : "a model without forks")});
  }
  if (overlaps && best.mode == Mode::sequential) {
    out.push_back(
        {"USE_SEQUENTIAL", runtime.framework == "onnxruntime"
                               ? "keep ORT_SEQUENTIAL: parallel execution of branches does not pay here"
                               : "one inter-op thread: parallel execution of branches does not pay here"});
  }
  if (overlaps && best.mode == Mode::parallel) {
    out.push_back({"DAG_WIDTH", fmt::format("branches overlap: average width {:.1f}, at most {} at once",
                                            metrics.average_width,
                                            plural(static_cast<int>(metrics.max_width), "heavy operator"))});
  }
  if (machine.sockets > 1 && best.instances == 1 && best.placement == Placement::compact &&
      computing <= machine.cores_per_socket()) {
    out.push_back(
        {"ONE_SOCKET",
         "keep one instance on one socket (threads and memory); serve the other with a second instance"});
  }
  const int cores = cores_of(place_threads(machine, best, computing));
  if (objective == Objective::latency && cores * 2 <= target.physical_cores()) {
    out.push_back(
        {"INTRA_SMALL",
         fmt::format("{} of {} cores {} enough for one request: more threads cost more than they bring",
                     cores, target.physical_cores(), cores == 1 ? "is" : "are")});
    out.push_back(
        {"MORE_INSTANCES", "the cores left can serve more requests at once: see --objective throughput"});
  }
  if (target.quota_cpus) {
    out.push_back(
        {"CGROUP",
         fmt::format(
             "a CPU quota of {:g} holds here and the framework does not see it: always set the thread "
             "count explicitly, {}",
             *target.quota_cpus, set_threads(runtime, best.intra_op))});
  }
  if (best.spin && best.instances * computing >= target.cpus() && (target.quota_cpus || best.instances > 1)) {
    out.push_back(
        {"DISABLE_SPIN", "all granted CPUs are taken: if anything else runs here, switch spinning off"});
  }
  return out;
}

}  // namespace corecast::sim
