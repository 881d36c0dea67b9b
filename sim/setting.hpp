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

  friend bool operator==(const Setting&, const Setting&) = default;
};

[[nodiscard]] constexpr std::string_view name_of(Mode mode) {
  return mode == Mode::sequential ? "sequential" : "parallel";
}
[[nodiscard]] constexpr std::string_view name_of(Placement placement) {
  return placement == Placement::compact ? "compact" : "scatter";
}

}  // namespace corecast::sim
