// The plan that a sleeping pool is simulated with, lengths that make its schedule robust, and the comparison of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/simulator.hpp"
#include "tests/sim/real_pools/sleeping_pool.hpp"

namespace corecast::test {

struct PoolShape {
  int slots = 1;
  int threads_each = 1;
  sim::Keep keep = sim::Keep::first;
};

// Every operator on all threads of a team of its own, on a machine with a CPU for each thread. No cost beside the
// operators' lengths.
[[nodiscard]] sim::Plan plan_for(const PoolShape& shape, const std::vector<double>& lengths);

// Lengths, in seconds, for which no two operators of the simulated schedule end at the same time: all ends lie on
// different multiples of `gap`, so lateness below `gap` cannot change what is taken up in which order. Each is `shortest`
// or longer, and longer than `longest` only where every date before that is taken.
struct LengthRule {
  double gap = 0.002;
  double shortest = 0.002;
  double longest = 0.020;
  std::uint32_t seed = 1;
};
[[nodiscard]] std::vector<double> separate_lengths(const graphs::Graph& graph, const PoolShape& shape,
                                                   const LengthRule& rule);

// Parts for a team of `threads`: one of them, any, takes the whole length, the others 30 to 80 % of it.
[[nodiscard]] std::vector<Parts> uneven_parts(const std::vector<double>& lengths, int threads,
                                              std::uint32_t seed);

struct Agreement {
  double simulated = 0.0;  // makespans, seconds
  double real = 0.0;
  double allowed = 0.0;      // most that they may differ by
  double worst_start = 0.0;  // largest difference of an operator's start
  std::size_t chain = 0;     // operators on the chain that ends last
  std::string complaint;     // empty when all agree
};

// The real run agrees when
//   makespan   differs by 2 % of it, and cost.per_operator() for each operator on the chain that ends last, at most; and
//              is not shorter than simulated (sleeping operators never end early)
//   starts     the same, with each operator's own start and chain, and half a gap more
//   order      of any two operators that start `gap` or more apart in the simulation, the same one starts first
// A chain: operators of which each starts when the one before it ends, be it for its result or for its slot.
[[nodiscard]] Agreement compare(const sim::Timeline& timeline, const std::vector<RealRun>& real,
                                const PoolCost& cost, double gap);

}  // namespace corecast::test
