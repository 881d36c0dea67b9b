#include "sim/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

#include "base/error.hpp"
#include "sim/accounts.hpp"
#include "sim/dependencies.hpp"
#include "sim/plan_check.hpp"
#include "sim/slot.hpp"
#include "sim/speeds.hpp"

namespace corecast::sim {
namespace {

constexpr Seconds kLongest{50.0 * 86400.0};  // twice that is still a date

[[noreturn]] void too_long() {
  throw InputError("simulation", "takes more than 50 days of simulated time",
                   "check the model's sizes and the machine's rates");
}

Stage after(Stage stage) {
  return static_cast<Stage>(static_cast<int>(stage) + 1);
}

PhaseKind kind_of(Stage stage) {
  switch (stage) {
    case Stage::dispatch:
      return PhaseKind::dispatch;
    case Stage::serial:
      return PhaseKind::serial;
    case Stage::parallel:
      return PhaseKind::parallel;
    default:
      return PhaseKind::fork_join;
  }
}

struct Waiting {
  std::size_t op = 0;
  Picoseconds not_before = 0;
};

class Simulation {
 public:
  Simulation(const graphs::Graph& graph, const Plan& plan)
      : plan_(plan),
        dependencies_(graph),
        pending_(dependencies_.predecessors()),
        ready_(graph.size(), 0),
        slots_(
            std::min(static_cast<std::size_t>(plan.executor.slots), std::max<std::size_t>(1, graph.size()))),
        accounts_(plan, slots_.size()),
        speeds_(plan),
        hand_over_(to_picoseconds(plan.executor.hand_over)) {
    timeline_.runs.reserve(graph.size());
    for (std::size_t s = 0; s < slots_.size(); ++s) free_.push(s);
  }

  Timeline run() {
    queue_roots();
    for (;;) {
      fill_free_slots();
      if (busy_.empty()) break;
      share();
      advance_to_next_event();
    }
    CORECAST_CHECK(timeline_.runs.size() == plan_.operators.size(), "{} of {} operators ran",
                   timeline_.runs.size(), plan_.operators.size());
    timeline_.makespan = now_;
    timeline_.share = accounts_.time_share(now_, plan_.executor);
    sort_runs();
    return std::move(timeline_);
  }

 private:
  // --- Who runs next ---

  void queue_roots() {
    if (plan_.executor.fixed_order) {
      if (const auto first = next_in_order()) queue_.push_back({*first, 0});
      return;
    }
    for (std::size_t op = 0; op < pending_.size(); ++op) {
      if (pending_[op] == 0) queue_.push_back({op, 0});
    }
  }

  std::optional<std::size_t> next_in_order() {
    if (next_ == plan_.order.size()) return std::nullopt;
    const std::size_t op = plan_.order[next_++].value();
    CORECAST_CHECK(op < pending_.size() && pending_[op] == 0,
                   "the order puts operator {} before its predecessors", op);
    return op;
  }

  void fill_free_slots() {
    while (!queue_.empty() && !free_.empty()) {
      const Waiting waiting = queue_.front();
      queue_.pop_front();
      const std::size_t s = free_.top();
      free_.pop();
      slots_[s].busy = true;
      if (waiting.not_before > now_) {
        slots_[s].op = waiting.op;
        enter(slots_[s], Stage::hand_over, static_cast<double>(waiting.not_before - now_));
      } else {
        begin_run(s, waiting.op);
        go_on(s, Stage::dispatch);
      }
      if (slots_[s].busy) busy_.insert(std::lower_bound(busy_.begin(), busy_.end(), s), s);
    }
  }

  void begin_run(std::size_t s, std::size_t op) {
    Slot& slot = slots_[s];
    const OperatorPlan& planned = plan_.operators[op];
    slot.op = op;
    slot.run = timeline_.runs.size();
    accounts_.begin(s);
    Run& run = timeline_.runs.emplace_back();
    run.op = OpIndex(op);
    run.slot = static_cast<int>(s);
    run.threads = planned.threads;
    run.ready = ready_[op];
    run.start = now_;
    const auto phases = static_cast<std::size_t>(
        (planned.dispatch > Seconds{}) + (planned.serial > Seconds{}) +
        (planned.fork_join > Seconds{} || planned.threads > 1) + (planned.parallel > Seconds{}));
    run.spans.reserve(phases);
  }

  // Ends the run of slot `s`; what the slot does next, if anything.
  std::optional<std::size_t> end_run(std::size_t s) {
    const Slot& slot = slots_[s];
    Run& run = timeline_.runs[slot.run];
    run.end = now_;
    run.limited_by = accounts_.limited_by(s, plan_.operators[slot.op].bound);
    made_ready_.clear();
    for (const std::size_t successor : dependencies_.successors(slot.op)) {
      if (--pending_[successor] > 0) continue;
      ready_[successor] = now_;
      made_ready_.push_back(successor);
    }
    if (plan_.executor.fixed_order) return next_in_order();
    const std::optional<std::size_t> own = kept(slot.op);
    for (const std::size_t successor : made_ready_) {
      if (successor != own) queue_.push_back({successor, now_ + hand_over_});
    }
    return own;
  }

  // Which of `made_ready_` the thread that ended `op` goes on with.
  [[nodiscard]] std::optional<std::size_t> kept(std::size_t op) const {
    if (made_ready_.empty()) return std::nullopt;
    switch (plan_.executor.keep) {
      case Keep::first:
        return made_ready_.front();
      case Keep::last:
        return made_ready_.back();
      case Keep::chain: {
        const std::size_t next = made_ready_.front();
        const bool chained =
            dependencies_.successors(op).size() == 1 && dependencies_.predecessors()[next] == 1;
        return chained ? std::optional(next) : std::nullopt;
      }
      case Keep::none:
        return std::nullopt;
    }
    return std::nullopt;
  }

  // --- Stages of an operator ---

  double alone(std::size_t op, Stage stage) const {
    const OperatorPlan& planned = plan_.operators[op];
    Seconds t{};
    switch (stage) {
      case Stage::dispatch:
        t = planned.dispatch;
        break;
      case Stage::serial:
        t = planned.serial;
        break;
      case Stage::fork_join:
        t = planned.fork_join;
        break;
      case Stage::parallel:
        t = planned.parallel;
        break;
      default:
        break;
    }
    // Below 1e-6 ps a phase is 1e-6 ps: draws over its length stay finite.
    return t > Seconds{} ? std::max(t.value() * kPicosecondsPerSecond, 1e-6) : 0.0;
  }

  // How long, is known only when all who start now have started: see share().
  bool may_wait_for_slice(std::size_t op) const {
    const OperatorPlan& planned = plan_.operators[op];
    return planned.threads > 1 && plan_.time_slice > Seconds{} &&
           (planned.fork_join > Seconds{} || planned.parallel > Seconds{});
  }

  void enter(Slot& slot, Stage stage, double length) {
    slot.stage = stage;
    slot.alone = length;
    slot.remaining = length;
    slot.speed = 0.0;
    slot.start = now_;
    slot.since = now_;
  }

  // Enters the first stage from `stage` on that takes time, of this operator or of those the slot goes on
  // with.
  void go_on(std::size_t s, Stage stage) {
    Slot& slot = slots_[s];
    for (;;) {
      for (; stage != Stage::done; stage = after(stage)) {
        const double length = alone(slot.op, stage);
        if (length > 0.0 || (stage == Stage::slice_wait && may_wait_for_slice(slot.op))) {
          enter(slot, stage, length);
          return;
        }
      }
      const std::optional<std::size_t> next = end_run(s);
      if (!next) break;
      begin_run(s, *next);
      stage = Stage::dispatch;
    }
    slot.busy = false;
    free_.push(s);
  }

  void end_stage(std::size_t s) {
    Slot& slot = slots_[s];
    ++timeline_.events;
    settle(s);
    if (slot.stage == Stage::hand_over) {
      begin_run(s, slot.op);
      go_on(s, Stage::dispatch);
      return;
    }
    if (now_ > slot.start) add_span(slot);
    switch (slot.stage) {
      case Stage::parallel:
        accounts_.end_parallel(s, plan_.operators[slot.op], slot.alone);
        break;
      case Stage::slice_wait:
        accounts_.end_wait(s);
        break;
      case Stage::serial:
        accounts_.end_serial(s, slot.alone, now_ - slot.start);
        break;
      default:
        accounts_.end_overhead(s, slot.alone, now_ - slot.start);
        break;
    }
    go_on(s, after(slot.stage));
  }

  void add_span(const Slot& slot) {
    std::vector<Span>& spans = timeline_.runs[slot.run].spans;
    const PhaseKind kind = kind_of(slot.stage);
    if (!spans.empty() && spans.back().kind == kind) {
      spans.back().end = now_;
    } else {
      spans.push_back({kind, slot.start, now_});
    }
  }

  // --- Speeds ---

  // Books what slot `s` did since its speed was last set.
  void settle(std::size_t s) {
    Slot& slot = slots_[s];
    const Picoseconds passed = now_ - slot.since;
    if (passed == 0) return;
    slot.remaining = std::max(0.0, slot.remaining - static_cast<double>(passed) * slot.speed);
    slot.since = now_;
    if (slot.stage != Stage::hand_over) accounts_.pass(s, passed, slot.held, slot.cause);
  }

  void share() {
    start_slice_waits(speeds_.share_threads(slots_, busy_));
    const std::span<const Speed> speeds = speeds_.share_resources(slots_, busy_);
    for (std::size_t k = 0; k < busy_.size(); ++k) set_speed(busy_[k], speeds[k]);
  }

  void start_slice_waits(const ThreadShares& threads) {
    for (const std::size_t s : busy_) {
      Slot& slot = slots_[s];
      if (slot.stage != Stage::slice_wait || slot.speed > 0.0) continue;
      const double excess = std::clamp(threads.oversubscribed - 1.0, 0.0, 1.0);
      const double parallel = alone(slot.op, Stage::parallel);
      if (excess > 0.0 || parallel == 0.0) {
        const double turn = excess * plan_.time_slice.value() * kPicosecondsPerSecond;
        const double wanted = plan_.operators[slot.op].threads;
        const double held = threads_held(plan_.operators[slot.op].threads, threads);
        const double fair =
            (alone(slot.op, Stage::fork_join) + parallel) * wanted / (held * threads.cpu_share);
        const double in_step = (lockstep(held, threads, plan_) - 1.0) * fair;
        enter(slot, Stage::slice_wait,
              plan_.operators[slot.op].each_its_own ? turn : std::min(turn, in_step));
      } else {
        enter(slot, Stage::parallel, parallel);  // holds the same threads: `threads` stays right
      }
    }
  }

  void set_speed(std::size_t s, const Speed& next) {
    Slot& slot = slots_[s];
    if (next.speed == slot.speed && next.held == slot.held && next.cause == slot.cause) return;
    CORECAST_CHECK(next.speed > 0.0, "operator {} stands still", slot.op);
    settle(s);
    slot.held = next.held;
    slot.cause = next.cause;
    if (next.speed == slot.speed) return;
    slot.speed = next.speed;
    // Up to the next whole picosecond, but a sum that should be whole must not gain one by rounding.
    const double left = slot.remaining / slot.speed;
    if (!(left < kLongest.value() * kPicosecondsPerSecond - static_cast<double>(now_))) too_long();
    const auto whole = static_cast<Picoseconds>(std::ceil(left - 1e-6 - left * 1e-14));
    slot.end = std::max(now_ + std::max<Picoseconds>(whole, 0), slot.start + (slot.alone > 0.0 ? 1 : 0));
  }

  void advance_to_next_event() {
    Picoseconds next = std::numeric_limits<Picoseconds>::max();
    for (const std::size_t s : busy_) next = std::min(next, slots_[s].end);
    accounts_.pass_serial_wait(speeds_.serial_wait(), next - now_);
    now_ = next;
    for (const std::size_t s : busy_) {
      if (slots_[s].end == now_) end_stage(s);
    }
    busy_.erase(std::remove_if(busy_.begin(), busy_.end(), [&](std::size_t s) { return !slots_[s].busy; }),
                busy_.end());
  }

  void sort_runs() {
    const auto before = [](const Run& a, const Run& b) {
      if (a.start != b.start) return a.start < b.start;
      if (a.slot != b.slot) return a.slot < b.slot;
      return a.op < b.op;
    };
    auto& runs = timeline_.runs;
    if (!std::is_sorted(runs.begin(), runs.end(), before)) std::sort(runs.begin(), runs.end(), before);
  }

  const Plan& plan_;
  Dependencies dependencies_;
  std::vector<std::size_t> pending_;  // predecessors that have not ended
  std::vector<Picoseconds> ready_;
  std::vector<std::size_t> made_ready_;  // by the operator that ends at the moment
  std::vector<Slot> slots_;
  Accounts accounts_;
  Speeds speeds_;
  Picoseconds hand_over_;
  Picoseconds now_ = 0;
  std::size_t next_ = 0;  // in the fixed order
  std::deque<Waiting> queue_;
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> free_;
  std::vector<std::size_t> busy_;  // ascending
  Timeline timeline_;
};

}  // namespace

Timeline simulate(const graphs::Graph& graph, const Plan& plan) {
  check(plan, graph);
  if (!(lower_bound(graph, plan) < kLongest) || plan.executor.hand_over > kLongest) too_long();
  Timeline timeline = Simulation(graph, plan).run();
  check(timeline, graph, plan);
  return timeline;
}

}  // namespace corecast::sim
