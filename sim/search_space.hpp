// The space of a search: which settings there are, which of them a search begins with, and which lie around one.
//
// The whole space: instances 1..CPUs (throughput only; all of a size), intra_op 1..CPUs / instances; mode; in parallel
// mode inter_op up to the widest antichain of the graph plus the runtime's idle threads; placement compact or scattered
// over the sockets (one instance); threads on cores of their own, or packed on sibling hardware threads (`smt`). Never
// more computing threads than CPUs, and without `smt` never more than cores: `smt` is true exactly when two threads of
// the setting share a core.
//
// It grows with the square of the machine, so a search of a large one begins with a grid of counts (`grid`, as fine as
// `fineness_of` says). Then it looks at all counts between the grid's around the best settings so far, again and again
// until nothing new is found there (`around`). What it may miss: an optimum that is far from all of its best.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/metrics.hpp"
#include "sim/search.hpp"

namespace corecast::sim {

struct Fineness {
  int dense = 0;               // counts up to here are all looked at
  int steps_per_doubling = 0;  // beyond it
};
// For a space of so many settings: up to kSmallSpace all counts are, up to kMediumSpace those up to 64 and 32 a
// doubling, else those up to 32 and 16 a doubling.
inline constexpr std::int64_t kSmallSpace = 16384, kMediumSpace = 65536;
[[nodiscard]] Fineness fineness_of(std::int64_t settings);

// Counts from 1 to `most`, ascending: those of `fineness`; and of each of `marks`, of its half, and of `most` the count
// itself and both its neighbours.
[[nodiscard]] std::vector<int> grid(int most, const Fineness& fineness, const std::vector<int>& marks);

class Space {
 public:
  Space(const graphs::Metrics& metrics, const Target& target, const Runtime& runtime, Objective objective,
        std::int64_t batch);

  [[nodiscard]] std::vector<Setting> all() const;
  [[nodiscard]] std::int64_t size() const;  // of all(), without making it
  // Of a small space: all(). Else the grid, and for each kind of instance as many as fill cores, CPUs or sockets.
  [[nodiscard]] std::vector<Setting> coarse() const;
  // Settings unlike `center` in one count only, that count between the grid's next lower and next higher one; and those
  // whose instances fill the cores or CPUs with threads a piece.
  [[nodiscard]] std::vector<Setting> around(const Setting& center) const;

 private:
  [[nodiscard]] std::vector<Setting> settings(bool every_count) const;
  // The setting with its slots and threads, in every placement it may have.
  void add(std::vector<Setting>& out, int instances, int intra, int slots) const;
  // Instances of that kind that fill the cores, the CPUs, or every socket for itself.
  void add_full(std::vector<Setting>& out, int intra, int slots) const;
  [[nodiscard]] std::vector<int> between(int count, int most) const;

  const Target& target_;
  const Runtime& runtime_;
  int cpus_, cores_, most_instances_, widest_;
  Fineness fineness_;
  std::vector<int> marks_;
  Setting base_;
};

// Settings in the order of the space: by instances, intra_op, mode, inter_op, smt, placement.
[[nodiscard]] bool before(const Setting& a, const Setting& b);

}  // namespace corecast::sim
