// How many threads: against the CPUs, the quota and the cores that there are, and against what the model can use.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/quantity_text.hpp"
#include "sim/advice_context.hpp"
#include "sim/knobs.hpp"
#include "sim/placement.hpp"
#include "sim/search_space.hpp"

namespace corecast::sim {
namespace {

// Counts that are tried: all small ones, then a few for each doubling.
constexpr Fineness kCounts{16, 8};
// Half of the threads that are as fast as all within this: the rest brings no bandwidth.
constexpr double kSaturated = 0.05;

// The current setting cut down to `cpus` CPUs: fewer threads on each operator, then fewer operators at once, then fewer
// instances.
Setting fitted(const AdviceContext& c, int cpus) {
  Setting setting = c.current;
  setting.instances = std::clamp(cpus, 1, setting.instances);
  const int each = std::max(1, cpus / setting.instances);
  const int slots = std::min(operators_at_once(c.runtime, c.effective), each);
  if (slots == 1) {
    setting.mode = Mode::sequential;
    setting.inter_op = 1;
  } else {
    setting.inter_op = slots + c.runtime.idle_inter_op_threads;
  }
  setting.intra_op = std::clamp(most_intra_op(c.runtime, each, slots), 1, std::max(1, c.effective.intra_op));
  return c.spread(setting);
}

std::optional<Tried> best_fit(AdviceContext& c, int cpus) {
  const int cores = std::min(cpus, c.target.machine.cores());
  std::vector<Setting> settings{fitted(c, cores), fitted(c, cpus)};
  Setting one_by_one = fitted(c, cores);
  one_by_one.mode = Mode::sequential;
  one_by_one.inter_op = 1;
  one_by_one.intra_op = std::max(1, cores / one_by_one.instances);
  settings.push_back(c.spread(one_by_one));
  return c.best_of(settings);
}

void too_many_for_cpus(AdviceContext& c) {
  const int cpus = c.target.machine.logical_cpus();
  if (c.now().threads <= cpus) return;
  const std::string what =
      fmt::format("{} on {} take turns", c.threads_words(c.current), plural(cpus, "CPU"));
  const auto better = best_fit(c, c.target.cpus());
  if (better && c.gain(*better) > 0.0) {
    c.tell("OVERSUBSCRIBED", "", what, *better);
  } else {
    c.tell_fact("OVERSUBSCRIBED", what + "; real runs of this kind are slower and wilder than forecast");
  }
}

void too_many_for_quota(AdviceContext& c) {
  if (!c.target.quota_cpus || *c.target.quota_cpus >= c.target.machine.logical_cpus()) return;
  const double quota = *c.target.quota_cpus;
  if (c.now().threads > quota) {
    const std::string what =
        fmt::format("{} against a quota of {:g} CPUs, which stops all of them for the rest of every period",
                    c.threads_words(c.current), quota);
    const auto better = best_fit(c, c.target.cpus());
    if (better && c.gain(*better) > 0.0) {
      c.tell("QUOTA_BELOW_THREADS", "", what, *better);
    } else {
      c.tell_fact("QUOTA_BELOW_THREADS", what);
    }
  }
  c.tell_fact(
      "CGROUP",
      fmt::format("a CPU quota of {:g} holds on {} visible CPUs and the framework's default thread count "
                  "does not see it: always set {}",
                  quota, c.target.machine.logical_cpus(), set_threads(c.runtime, c.target.cpus())));
}

// Where every thread has a CPU of its own, and time that is not shared out by a quota.
bool fits(const AdviceContext& c) {
  return c.now().threads <= c.target.cpus();
}

bool shares(const AdviceContext& c, const Setting& setting) {
  return shares_cores(c.target.machine, setting, c.computing(setting));
}

void hardware_threads(AdviceContext& c) {
  const auto& machine = c.target.machine;
  if (machine.max_smt() < 2 || !fits(c)) return;
  const std::string words = c.threads_words(c.current);
  if (shares(c, c.effective)) {
    if (!c.effective.smt)
      c.tell_fact("SHARED_CORES",
                  fmt::format("{} on {}: although SMT is not asked for, some cores run two of them", words,
                              plural(machine.cores(), "core")));
    std::vector<Setting> alone{fitted(c, machine.cores())};
    if (c.now().threads <= machine.cores()) {
      alone.push_back(c.current);
      alone.back().smt = false;
    }
    const auto better = c.best_of(alone);
    if (c.pays(better))
      c.tell("SMT_HURTS", "", fmt::format("{}, two on a core, wait for each other", words), *better);
    return;
  }
  // Twice the threads on the same cores, where there are no other cores to take.
  if (c.now().threads * 2 <= c.target.physical_cores()) return;
  Setting both = c.current;
  both.intra_op *= machine.max_smt();
  both.smt = true;
  const auto better = c.tried(both);
  if (c.pays(better) && better->threads <= c.target.cpus())
    c.tell("SMT_HELPS", "", fmt::format("{} leave the cores' second hardware threads idle", words), *better);
}

// The largest count up to the current one whose threads have cores of their own on one socket: what costs more than that
// is told elsewhere.
int clean_count(const AdviceContext& c) {
  const auto& machine = c.target.machine;
  int cores = std::min(c.target.physical_cores() / c.effective.instances, machine.cores_per_socket());
  cores = std::max(cores, 1);
  const int most = most_intra_op(c.runtime, cores, operators_at_once(c.runtime, c.effective));
  return std::clamp(most, 1, c.current.intra_op);
}

void fewer(AdviceContext& c) {
  const int now = c.current.intra_op;
  if (now < 2) return;
  const int clean = clean_count(c);
  std::vector<Tried> by_count;  // ascending, without the current one
  for (const int n : grid(now - 1, kCounts, {clean})) {
    if (const auto t = c.tried(c.with_threads(n))) by_count.push_back(*t);
  }
  if (by_count.empty()) return;
  const auto fastest =
      std::max_element(by_count.begin(), by_count.end(),
                       [&](const Tried& a, const Tried& b) { return c.gain(a) < c.gain(b); });
  const double base = clean == now ? 0.0 : c.gain(c.tried(c.with_threads(clean)).value_or(c.now()));
  const bool too_small = fastest->setting.intra_op < clean &&
                         (1.0 + c.gain(*fastest)) / (1.0 + base) > 1.0 + kPays && c.gain(*fastest) > kPays;
  if (too_small) {
    const bool memory = c.now().forecast.bound_by == "memory";
    c.tell("INTRA_SMALL", memory ? "SATURATED" : "TOO_SMALL_FOR_THREADS",
           memory ? fmt::format("fewer than {} use up the memory's bandwidth; more only cost forks and joins",
                                c.threads_words(c.current))
                  : fmt::format("dispatch, fork and join of {} cost more than they bring: operators are too "
                                "small for so many",
                                c.threads_words(c.current)),
           *fastest);
    return;
  }
  if (c.gain(*fastest) > kPays || !fits(c)) return;  // told by what makes it so
  for (const Tried& t : by_count) {
    if (c.gain(t) < -kAsFast) continue;
    const int saved = now - t.setting.intra_op;
    if (saved * 8 < now) return;
    c.tell_fact("FEWER_THREADS_AS_FAST",
                fmt::format("{} give {}, {} {}: {} frees {} for others", c.threads_words(t.setting),
                            to_short_text(t.forecast.latency), c.threads_words(c.current),
                            to_short_text(c.now().forecast.latency), remedy(c.runtime, c.current, t.setting),
                            plural(std::int64_t{saved} * c.current.instances, "CPU")));
    c.list.back().better = t.setting;
    return;
  }
}

void saturated(AdviceContext& c) {
  if (c.now().forecast.bound_by != "memory" || c.now().threads < 2 || !fits(c)) return;
  Setting half = c.current;
  if (half.intra_op >= 2) {
    half = c.with_threads((half.intra_op + 1) / 2);
  } else if (half.instances >= 2) {
    half.instances = (half.instances + 1) / 2;
  } else {
    return;
  }
  const auto t = c.tried(half);
  if (!t || c.gain(*t) < -kSaturated) return;
  c.tell_fact("SATURATED",
              fmt::format("{} read {} from memory, {} {}: memory bandwidth is used up, more threads bring "
                          "none. A narrower type (int8, bf16), a larger batch or another socket's memory do",
                          c.threads_words(c.current), to_short_text(c.now().memory_bandwidth),
                          c.threads_words(half), to_short_text(t->memory_bandwidth)));
}

void more(AdviceContext& c) {
  const int cores = c.target.physical_cores();
  if (c.now().threads >= cores) return;
  const int slots = operators_at_once(c.runtime, c.effective);
  const int most = most_intra_op(c.runtime, cores / c.effective.instances, slots);
  std::vector<Tried> by_count;
  for (const int n : grid(most, kCounts, {c.target.machine.cores_per_socket()})) {
    if (n <= c.current.intra_op || n > most) continue;
    if (const auto t = c.tried(c.with_threads(n))) by_count.push_back(*t);
  }
  double best = kPays;
  for (const Tried& t : by_count) best = std::max(best, c.gain(t));
  for (const Tried& t : by_count) {
    if (c.gain(t) <= kPays || (1.0 + c.gain(t)) * (1.0 + kAsFast) < 1.0 + best) continue;
    c.tell("MORE_THREADS", "",
           fmt::format("{} of {} at work", c.threads_words(c.current), plural(cores, "core")), t);
    return;
  }
}

}  // namespace

void advise_counts(AdviceContext& c) {
  too_many_for_cpus(c);
  too_many_for_quota(c);
  hardware_threads(c);
  fewer(c);
  saturated(c);
  more(c);
}

}  // namespace corecast::sim
