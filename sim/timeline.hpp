// Timeline: who ran what, when, bounded by what. All reports are views of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "base/quantity.hpp"
#include "graphs/graph.hpp"
#include "sim/plan.hpp"

namespace corecast::sim {

// Simulated dates are whole picoseconds: ties are exact. 2^63 ps are 106 days.
using Picoseconds = std::int64_t;
inline constexpr double kPicosecondsPerSecond = 1e12;
[[nodiscard]] Picoseconds to_picoseconds(Seconds t);  // rounded to nearest; CHECKs range
[[nodiscard]] Seconds to_seconds(Picoseconds t);

enum class PhaseKind { dispatch, serial, fork_join, parallel };
[[nodiscard]] std::string_view name_of(PhaseKind kind);

struct Span {
  PhaseKind kind = PhaseKind::dispatch;
  Picoseconds start = 0;
  Picoseconds end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

struct Run {
  OpIndex op;
  int slot = 0;  // inter-op slot that dispatched it
  int threads = 1;
  Picoseconds ready = 0;  // all predecessors done
  Picoseconds start = 0;
  Picoseconds end = 0;
  std::vector<Span> spans;  // phases of non-zero length, in order, without gaps from start to end
  // What set its speed for most of the time it ran: its own bound, "threads of the pool", "CPUs", or a
  // resource's name.
  std::string limited_by;
};

// Shares of thread time: makespan times threads of the setting (slots + workers). They add up to 1; a
// timeline of no length is all idle. Which phase goes where: accounts.hpp.
struct TimeShare {
  double compute = 0.0;
  double memory = 0.0;
  double overhead = 0.0;  // dispatch, fork, join
  double wait = 0.0;      // threads that an operator holds or wants: imbalance, contention, its serial part
  double idle = 0.0;      // threads without work
};

struct Timeline {
  std::vector<Run> runs;  // by start, then slot, then operator
  Picoseconds makespan = 0;
  std::uint64_t events = 0;  // ends of phases and hand-overs
  TimeShare share;

  [[nodiscard]] Seconds duration() const { return to_seconds(makespan); }
};

// Aborts when the timeline contradicts its plan: an operator missing or twice, phases with gaps or shorter
// than alone, a successor before its predecessor's end or without hand-over, two operators at once in a slot,
// the fixed order broken, a phase faster than its threads and CPUs allowed, more drawn from a resource than
// its capacity while it was in use, a makespan below the lower bound, shares that do not add up. Dates may be
// off by 1 ps a phase. simulate() calls it.
void check(const Timeline& timeline, const graphs::Graph& graph, const Plan& plan);

}  // namespace corecast::sim
