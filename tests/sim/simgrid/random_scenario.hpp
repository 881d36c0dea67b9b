// Random scenarios, the same on every machine: of each kind only what corecast and SimGrid define alike (see
// simgrid_test.cpp). 5 to 200 tasks, times of 10 ms to 10 s.
#pragma once

#include <cstdint>
#include <random>

#include "tests/sim/simgrid/scenario.hpp"

namespace corecast::test {

// The standard fixes what the engine gives, not what its distributions make of it.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  [[nodiscard]] bool coin() { return whole(0, 1) == 1; }
  [[nodiscard]] int whole(int least, int most);
  [[nodiscard]] double real(double least, double most);
  [[nodiscard]] double spread(double least, double most);  // its logarithm is uniform

 private:
  std::mt19937_64 engine_;
};

[[nodiscard]] Scenario random_list_schedule(Dice& dice);   // one thread in each slot, a CPU for each
[[nodiscard]] Scenario random_oversubscribed(Dice& dice);  // more threads than CPUs
[[nodiscard]] Scenario random_flows(Dice& dice);           // unequal draws on up to four resources
[[nodiscard]] Scenario random_coupled(Dice& dice);  // a CPU each and resources; equal rates on each resource
[[nodiscard]] Scenario random_alike(Dice& dice);    // CPUs and resources both scarce; all tasks alike
[[nodiscard]] Scenario random_chain(Dice& dice);    // fixed order; threads, CPUs, resources, all phases

}  // namespace corecast::test
