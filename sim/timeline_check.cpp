#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "sim/dependencies.hpp"
#include "sim/simulator.hpp"
#include "sim/thread_shares.hpp"
#include "sim/timeline.hpp"

namespace corecast::sim {
namespace {

// Rounding allowed: 1 ps a phase, and what doubles lose on long times.
double tolerance(double phases, double ps) {
  return 1.0 * phases + 1e-11 * ps;
}

double to_ps(Seconds t) {
  return t.value() * kPicosecondsPerSecond;
}

Seconds alone(const OperatorPlan& op, PhaseKind kind) {
  switch (kind) {
    case PhaseKind::dispatch:
      return op.dispatch;
    case PhaseKind::serial:
      return op.serial;
    case PhaseKind::fork_join:
      return op.fork_join;
    case PhaseKind::parallel:
      return op.parallel;
  }
  return {};
}

// Phases in order and without gaps, none shorter than alone, none left out.
void check_spans(const Run& run, const OperatorPlan& planned) {
  const std::size_t op = run.op.value();
  Picoseconds at = run.start;
  int last_kind = -1;
  for (const Span& span : run.spans) {
    CORECAST_CHECK(static_cast<int>(span.kind) > last_kind, "operator {}: {} is out of order", op,
                   name_of(span.kind));
    CORECAST_CHECK(span.start == at && span.end > span.start,
                   "operator {}: {} from {} to {} ps, expected from {}", op, name_of(span.kind), span.start,
                   span.end, at);
    const double least = to_ps(alone(planned, span.kind));
    const auto length = static_cast<double>(span.end - span.start);
    CORECAST_CHECK(length >= least - tolerance(1.0, least), "operator {}: {} took {} ps, alone {} ps", op,
                   name_of(span.kind), length, least);
    at = span.end;
    last_kind = static_cast<int>(span.kind);
  }
  CORECAST_CHECK(at == run.end, "operator {}: phases end at {} ps, the run at {} ps", op, at, run.end);
  for (const PhaseKind kind :
       {PhaseKind::dispatch, PhaseKind::serial, PhaseKind::fork_join, PhaseKind::parallel}) {
    const auto same = [kind](const Span& span) { return span.kind == kind; };
    CORECAST_CHECK(
        !(alone(planned, kind) > Seconds{}) || std::any_of(run.spans.begin(), run.spans.end(), same),
        "operator {}: no {}", op, name_of(kind));
  }
}

// Each operator once; runs in their order; one at a time in a slot. Returns the run of each operator.
std::vector<const Run*> check_runs(const Timeline& timeline, const Plan& plan) {
  const std::size_t n = plan.operators.size();
  CORECAST_CHECK(timeline.runs.size() == n, "{} runs of {} operators", timeline.runs.size(), n);
  std::vector<const Run*> run_of(n, nullptr);
  std::vector<Picoseconds> slot_end(static_cast<std::size_t>(plan.executor.slots), 0);
  Picoseconds last = 0;
  for (const Run& run : timeline.runs) {
    const std::size_t op = run.op.value();
    CORECAST_CHECK(op < n && run_of[op] == nullptr, "operator {} of {} ran twice or is none", op, n);
    run_of[op] = &run;
    CORECAST_CHECK(run.threads == plan.operators[op].threads, "operator {}: {} threads", op, run.threads);
    CORECAST_CHECK(run.slot >= 0 && run.slot < plan.executor.slots, "operator {} in slot {}", op, run.slot);
    CORECAST_CHECK(run.start >= last && run.ready >= 0 && run.ready <= run.start,
                   "operator {}: ready {}, start {} ps", op, run.ready, run.start);
    last = run.start;
    check_spans(run, plan.operators[op]);
    if (run.end == run.start) continue;
    Picoseconds& free = slot_end[static_cast<std::size_t>(run.slot)];
    CORECAST_CHECK(run.start >= free, "operator {} starts at {} ps in slot {}, taken until {}", op, run.start,
                   run.slot, free);
    free = run.end;
  }
  return run_of;
}

void check_order(const std::vector<const Run*>& run_of, const Dependencies& dependencies, const Plan& plan) {
  std::vector<Picoseconds> ready(run_of.size(), 0);
  std::vector<char> same_slot(run_of.size(), 0);  // a last predecessor ended in the slot the operator runs in
  for (std::size_t i = 0; i < run_of.size(); ++i) {
    for (const std::size_t next : dependencies.successors(i)) {
      const Picoseconds end = run_of[i]->end;
      CORECAST_CHECK(run_of[next]->start >= end,
                     "operator {} starts at {} ps, its predecessor {} ends at {} ps", next,
                     run_of[next]->start, i, end);
      if (end > ready[next]) same_slot[next] = 0;
      ready[next] = std::max(ready[next], end);
      if (end == ready[next] && run_of[i]->slot == run_of[next]->slot) same_slot[next] = 1;
    }
  }
  const Executor& executor = plan.executor;
  for (std::size_t i = 0; i < run_of.size(); ++i) {
    CORECAST_CHECK(run_of[i]->ready == ready[i], "operator {}: ready at {} ps, not {}", i, ready[i],
                   run_of[i]->ready);
    if (executor.fixed_order || same_slot[i] != 0 || dependencies.predecessors()[i] == 0) continue;
    CORECAST_CHECK(run_of[i]->start >= ready[i] + to_picoseconds(executor.hand_over),
                   "operator {} starts {} ps after it became ready, without hand-over", i,
                   run_of[i]->start - ready[i]);
  }
  if (!executor.fixed_order) return;
  for (std::size_t k = 1; k < plan.order.size(); ++k) {
    const std::size_t op = plan.order[k].value();
    const std::size_t before = plan.order[k - 1].value();
    CORECAST_CHECK(run_of[op]->start >= run_of[before]->end, "operator {} overtook {}", op, before);
  }
}

struct Piece {
  std::size_t op = 0;
  Span span;
};

std::vector<Piece> pieces_by_start(const Timeline& timeline, bool parallel_only) {
  std::vector<Piece> pieces;
  for (const Run& run : timeline.runs) {
    for (const Span& span : run.spans) {
      if (!parallel_only || span.kind == PhaseKind::parallel) pieces.push_back({run.op.value(), span});
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.span.start < b.span.start; });
  return pieces;
}

// No phase went faster than the threads and CPUs it could have had with those that ran beside it.
void check_threads(const Timeline& timeline, const Plan& plan) {
  const std::vector<Piece> pieces = pieces_by_start(timeline, false);
  struct Open {
    const Piece* piece;
    int wanted;
    double done;  // ps at speed 1
    double changes;
  };
  std::vector<Open> open;
  std::vector<int> wanted;
  Picoseconds now = 0;
  std::size_t next = 0;
  while (next < pieces.size() || !open.empty()) {
    Picoseconds until = next < pieces.size() ? pieces[next].span.start : open.front().piece->span.end;
    for (const Open& o : open) until = std::min(until, o.piece->span.end);
    wanted.clear();
    for (const Open& o : open) wanted.push_back(o.wanted);
    const ThreadShares shares = thread_shares(wanted, plan);
    for (Open& o : open) {
      const double threads =
          o.piece->span.kind == PhaseKind::parallel ? threads_held(o.wanted, shares) / o.wanted : 1.0;
      o.done += threads * shares.cpu_share * static_cast<double>(until - now);
      o.changes += 1.0;
    }
    now = until;
    std::size_t kept = 0;
    for (const Open& o : open) {
      if (o.piece->span.end > now) {
        open[kept++] = o;
        continue;
      }
      const double least = to_ps(alone(plan.operators[o.piece->op], o.piece->span.kind));
      CORECAST_CHECK(o.done >= least - tolerance(o.changes, least),
                     "operator {}: {} got threads for {} of {} ps", o.piece->op, name_of(o.piece->span.kind),
                     o.done, least);
    }
    open.resize(kept);
    for (; next < pieces.size() && pieces[next].span.start == now; ++next) {
      const Piece& piece = pieces[next];
      open.push_back(
          {&piece, piece.span.kind >= PhaseKind::fork_join ? plan.operators[piece.op].threads : 1, 0.0, 0.0});
    }
  }
}

// While somebody draws from a resource, no more is drawn in all than its capacity gives.
void check_resources(const Timeline& timeline, const Plan& plan) {
  struct Taken {
    double amount = 0.0;
    double length = 0.0;  // ps in which at least one draws
    double phases = 0.0;
    Picoseconds until = 0;
  };
  std::vector<Taken> taken(plan.resources.size());
  for (const Piece& piece : pieces_by_start(timeline, true)) {
    for (const Draw& draw : plan.operators[piece.op].draws) {
      Taken& t = taken[draw.resource.value()];
      t.amount += draw.amount;
      t.phases += 1.0;
      t.length +=
          static_cast<double>(std::max(Picoseconds{0}, piece.span.end - std::max(t.until, piece.span.start)));
      t.until = std::max(t.until, piece.span.end);
    }
  }
  for (std::size_t j = 0; j < taken.size(); ++j) {
    const double least = taken[j].amount / plan.resources[j].capacity * kPicosecondsPerSecond;
    CORECAST_CHECK(taken[j].length >= least - tolerance(taken[j].phases, 100.0 * least), "{}: {} B in {} ps",
                   plan.resources[j].name, taken[j].amount, taken[j].length);
  }
}

void check_share(const TimeShare& share) {
  double sum = 0.0;
  for (const double part : {share.compute, share.memory, share.overhead, share.wait, share.idle}) {
    CORECAST_CHECK(part >= 0.0 && part <= 1.0 + 1e-9, "a share of {}", part);
    sum += part;
  }
  CORECAST_CHECK(std::abs(sum - 1.0) <= 1e-9, "shares add up to {}", sum);
}

// Threads cannot be short: every slot's operator may have its share of all workers at any time.
bool threads_are_enough(const Plan& plan) {
  const Executor& executor = plan.executor;
  if (plan.cpus < static_cast<double>(executor.slots) + executor.shared_workers) return false;
  int most = 1;
  for (const OperatorPlan& op : plan.operators) most = std::max(most, op.threads);
  return (most - 1) * static_cast<double>(executor.slots) <= executor.shared_workers;
}

}  // namespace

void check(const Timeline& timeline, const graphs::Graph& graph, const Plan& plan) {
  const std::vector<const Run*> run_of = check_runs(timeline, plan);
  check_order(run_of, Dependencies(graph), plan);
  if (!threads_are_enough(plan)) check_threads(timeline, plan);
  if (!plan.resources.empty()) check_resources(timeline, plan);
  Picoseconds last = 0;
  std::size_t phases = 0;
  for (const Run& run : timeline.runs) {
    last = std::max(last, run.end);
    phases += run.spans.size();
  }
  CORECAST_CHECK(timeline.makespan == last, "makespan {} ps, last end {} ps", timeline.makespan, last);
  const double least = to_ps(lower_bound(graph, plan));
  CORECAST_CHECK(static_cast<double>(last) >= least - tolerance(static_cast<double>(phases), 100.0 * least),
                 "makespan {} ps, lower bound {} ps", last, least);
  check_share(timeline.share);
}

}  // namespace corecast::sim
