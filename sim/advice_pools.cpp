// Inter-op pools: knobs that are ignored, pools beyond the graph's width, the mode, TensorFlow's default.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "sim/advice_context.hpp"
#include "sim/knobs.hpp"
#include "sim/policy.hpp"

namespace corecast::sim {
namespace {

// Operators at once that are tried where none overlap now.
constexpr int kMostTried = 8;

Setting sequential(const AdviceContext& c, int intra_op) {
  Setting setting = c.current;
  setting.mode = Mode::sequential;
  setting.inter_op = 1;
  setting.intra_op = std::max(1, intra_op);
  return c.spread(setting);
}

Setting parallel(const AdviceContext& c, int slots, int intra_op) {
  if (slots <= 1) return sequential(c, intra_op);
  Setting setting = c.current;
  setting.mode = Mode::parallel;
  setting.inter_op = slots + c.runtime.idle_inter_op_threads;
  setting.intra_op = std::max(1, intra_op);
  return c.spread(setting);
}

bool can_overlap(const AdviceContext& c) {
  return policy_of(c.runtime).overlaps(c.runtime);
}

void ignored(AdviceContext& c) {
  const bool asked = c.current.mode == Mode::parallel || c.current.inter_op > 1;
  if (!asked) return;
  if (can_overlap(c)) {
    if (c.current.mode == Mode::sequential)
      c.tell_fact("INTEROP_UNUSED",
                  fmt::format("{} inter-op threads are not used in sequential mode", c.current.inter_op));
    return;
  }
  const Knobs& knobs = knobs_of(c.runtime.framework);
  const std::string knob = knobs.inter.empty() ? "an inter-op count" : std::string(knobs.inter);
  c.tell_fact("INTER_OP_IGNORED",
              fmt::format("{}={} changes nothing in {}: forecast {} with it and without", knob,
                          c.current.inter_op, c.runtime.name, to_short_text(c.now().forecast.latency)));
  if (c.runtime.framework == "onnxruntime")
    c.tell_fact(
        "ORT_INTEROP_NOOP",
        "since 1.14 onnxruntime runs an all-CPU graph one operator after the other, in parallel mode too, "
        "unless session.node_partition_config_file makes several streams: set "
        "execution_mode=ORT_SEQUENTIAL, inter_op_num_threads=1");
}

// Returns whether the default was told of: then the other pieces on pools would say the same again.
bool tensorflow_default(AdviceContext& c) {
  const auto& machine = c.target.machine;
  const int cpus = machine.logical_cpus();
  if (c.runtime.framework != "tensorflow" || c.effective.mode != Mode::parallel || cpus < 2 ||
      c.effective.inter_op < cpus || c.effective.intra_op < cpus)
    return false;
  const auto better = c.tried(parallel(c, machine.sockets, machine.cores_per_socket()));
  if (!c.pays(better)) return false;
  c.tell("TF_MKL_DEFAULT", "",
         fmt::format("TensorFlow's default asks for {0} inter-op times {0} intra-op threads", cpus), *better);
  return true;
}

void mode(AdviceContext& c) {
  if (!can_overlap(c)) return;
  const int slots = operators_at_once(c.runtime, c.effective);
  const int each = c.computing(c.effective);
  if (c.effective.mode == Mode::parallel) {
    const int cores = c.target.physical_cores() / c.effective.instances;
    const auto better = c.best_of({sequential(c, c.current.intra_op), sequential(c, std::min(each, cores))});
    if (c.pays(better))
      c.tell("USE_SEQUENTIAL", "", fmt::format("{} at once slow each other down", plural(slots, "operator")),
             *better);
    return;
  }
  std::vector<Setting> settings;
  const int widest = static_cast<int>(std::min<std::int64_t>({c.metrics.max_width, kMostTried, each}));
  for (int s = 2; s <= widest; ++s) settings.push_back(parallel(c, s, most_intra_op(c.runtime, each, s)));
  const auto better = c.best_of(settings);
  if (c.pays(better))
    c.tell("USE_PARALLEL", "",
           fmt::format("branches could overlap, {} at once on as many threads",
                       plural(operators_at_once(c.runtime, better->setting), "operator")),
           *better);
}

void width(AdviceContext& c) {
  const int slots = operators_at_once(c.runtime, c.effective);
  const int widest = static_cast<int>(std::min<std::int64_t>(c.metrics.max_width, slots));
  if (slots <= widest) return;
  const auto narrow = c.tried(parallel(c, widest, c.current.intra_op));
  if (!narrow || c.gain(*narrow) < -kAsFast) return;  // light operators overlap too
  const std::string what = fmt::format("{} may run at once, but the graph never has more than {} ready",
                                       plural(slots, "operator"), plural(c.metrics.max_width, "heavy one"));
  c.tell("DAG_WIDTH", "", what, *narrow);
}

}  // namespace

void advise_pools(AdviceContext& c) {
  ignored(c);
  tensorflow_default(c);
  mode(c);
  width(c);
}

void advise_spinning(AdviceContext& c) {
  // Below this share of the time that spinning saves, CPUs that are free for others are worth more.
  constexpr double kSpinWorth = 0.10;
  const Knobs& knobs = knobs_of(c.runtime.framework);
  const int each = c.computing(c.effective);
  const int idle = (each - 1) * c.effective.instances;
  if (!c.effective.spin || idle < 1 || knobs.spin_off.empty()) return;
  Setting sleeping = c.current;
  sleeping.spin = false;
  const auto off = c.tried(sleeping);
  if (!off) return;
  if (c.pays(off)) {
    c.tell("DISABLE_SPIN", "SPINNING_STEALS", "idle threads that spin take CPU time from those that compute",
           *off);
  } else if (-c.gain(*off) < kSpinWorth) {
    const double saves = std::max(0.0, 1.0 / (1.0 + c.gain(*off)) - 1.0);
    c.tell_fact(
        "DISABLE_SPIN",
        fmt::format("spinning saves {:.1f} % ({} instead of {}) and keeps {} busy while {} after every "
                    "request: if anything else runs here, set {}",
                    100.0 * saves, to_short_text(c.now().forecast.latency),
                    to_short_text(off->forecast.latency), plural(idle, "CPU"),
                    idle == 1 ? "it waits" : "they wait", remedy(c.runtime, c.current, sleeping)));
    c.list.back().better = sleeping;
  }
  if (c.effective.instances > 1 && c.now().threads > c.target.cpus()) {
    Setting one = c.current;
    one.instances = 1;
    const auto alone = c.tried(c.spread(one));
    if (!alone || !(c.now().forecast.latency > alone->forecast.latency)) return;
    c.tell_fact(
        "TAIL_SPIN",
        fmt::format("a request takes {} alone and up to {} beside {} whose threads spin: fewer instances, "
                    "one pool for all, or {}",
                    to_short_text(alone->forecast.latency), to_short_text(c.now().forecast.latency),
                    plural(c.current.instances - 1, "other instance"),
                    remedy(c.runtime, c.current, sleeping)));
  }
}

}  // namespace corecast::sim
