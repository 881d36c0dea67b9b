// What the closed forms of one plan know of machine, runtime and setting. For planner.cpp and memory_time.cpp only.
#pragma once

#include "sim/placement.hpp"
#include "sim/plan.hpp"
#include "sim/runtime.hpp"
#include "sim/setting.hpp"
#include "sim/traffic.hpp"

namespace corecast::sim {

struct PlanContext {
  const hwmodels::Machine& machine;
  const Runtime& runtime;
  ThreadPlacement placement;  // of all threads that may work on one operator
  CacheView caches;
  Bytes all_weights{};
  Bytes kept_outputs{};  // traffic.hpp
  double cpus = 1.0;     // of the instance, its share where others sit there too
  double at_once = 1.0;  // operators that share the caches with this one
  double rho = 1.0;      // share of the time in which cores of other instances stream
  const Setting& setting;
  int channel_block = 8;
  ResourceIndex shared_cache{0}, link{0};  // where the machine has them
};

// Physical cores that the placement has threads on.
[[nodiscard]] inline int cores_of(const ThreadPlacement& placement) {
  int cores = 0;
  for (const auto& share : placement.sockets) cores += share.cores;
  return cores;
}

}  // namespace corecast::sim
