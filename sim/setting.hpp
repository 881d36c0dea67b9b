// Setting: what the user can choose.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace corecast::sim {

enum class Mode { sequential, parallel };

// Where the threads go. compact: one socket is filled before the next is begun. scatter: sockets take turns,
// as an operating system spreads threads that nobody pins.
enum class Placement { compact, scatter };

// Which NUMA domain a page lies in. first_touch: where the thread that wrote it first sat, as the kernel does by itself.
// interleave: pages take turns over the sockets in use (numactl --interleave).
enum class MemoryPolicy { first_touch, interleave };

// Where outputs come from. framework: as the framework does by itself. system: malloc gives large blocks back to the kernel,
// so every large output is made of fresh pages. caching: blocks are kept (an arena, tcmalloc, jemalloc).
enum class Allocator { framework, system, caching };

// Which CPUs each instance is bound to. distinct: CPUs of its own. stacked: all instances the same CPUs, as when
// every process pins itself without knowing of the others.
enum class Pinning { distinct, stacked };

struct Setting {
  std::string runtime = "onnxruntime";
  Mode mode = Mode::sequential;
  int instances = 1;  // processes (or sessions), each with its own share of the cores and a batch of its own
  int inter_op = 1;   // threads asked of the framework's inter-op pool
  int intra_op = 1;   // threads that work on one operator, the calling one included
  bool smt = false;   // true: threads are packed on sibling hardware threads before the next core is taken
  Placement placement = Placement::compact;
  std::int64_t batch = 1;  // of one instance
  bool spin = true;        // idle pool threads spin before they sleep
  MemoryPolicy memory = MemoryPolicy::first_touch;
  Allocator allocator = Allocator::framework;
  Pinning pinning = Pinning::distinct;

  friend bool operator==(const Setting&, const Setting&) = default;
};

[[nodiscard]] constexpr std::string_view name_of(Mode mode) {
  return mode == Mode::sequential ? "sequential" : "parallel";
}
[[nodiscard]] constexpr std::string_view name_of(Placement placement) {
  return placement == Placement::compact ? "compact" : "scatter";
}

[[nodiscard]] constexpr std::string_view name_of(MemoryPolicy memory) {
  return memory == MemoryPolicy::first_touch ? "first-touch" : "interleave";
}
[[nodiscard]] constexpr std::string_view name_of(Allocator allocator) {
  if (allocator == Allocator::framework) return "framework";
  return allocator == Allocator::system ? "system" : "caching";
}
[[nodiscard]] constexpr std::string_view name_of(Pinning pinning) {
  return pinning == Pinning::distinct ? "distinct" : "stacked";
}

}  // namespace corecast::sim
