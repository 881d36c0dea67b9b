// What a slot of the executor does at a date. For simulator.cpp and speeds.cpp only.
#pragma once

#include <cstddef>

#include "sim/plan.hpp"
#include "sim/timeline.hpp"

namespace corecast::sim {

// slice_wait is the end of the fork_join span. `done` is past the last phase.
enum class Stage { hand_over, dispatch, serial, fork_join, slice_wait, parallel, done };

struct Slot {
  bool busy = false;
  std::size_t op = 0;
  std::size_t run = 0;  // in Timeline::runs
  Stage stage = Stage::done;
  double alone = 0.0;      // ps, of this stage at speed 1
  double remaining = 0.0;  // ps at speed 1, as at `since`
  double speed = 0.0;      // u; 0 = not yet set
  double held = 0.0;       // threads
  std::size_t cause = 0;   // of a speed below 1, see Accounts
  Picoseconds start = 0;   // of the stage
  Picoseconds since = 0;
  Picoseconds end = 0;  // at the present speed
};

[[nodiscard]] inline int threads_wanted(const Slot& slot, const Plan& plan) {
  return slot.stage >= Stage::fork_join ? plan.operators[slot.op].threads : 1;
}

}  // namespace corecast::sim
