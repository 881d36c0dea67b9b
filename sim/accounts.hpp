// Where thread time goes while a plan is simulated, and what holds back whom.
//
// Of the makespan times (slots + workers) threads:
//   compute   n d of parallel phases times compute / (compute + memory + imbalance); serial parts of their
//   caller memory    the same with memory / (...) overhead  dispatch and fork_join, as long as they take
//   alone, times the threads held wait      n d times imbalance / (...); what phases take longer than alone,
//   times the threads held; free workers that
//             an operator in its serial part would use
//   idle      the rest
// n threads wanted, d length alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/plan.hpp"
#include "sim/timeline.hpp"

namespace corecast::sim {

class Accounts {
 public:
  // Causes of a speed.
  static constexpr std::size_t kOwn = 0;            // nothing shared
  static constexpr std::size_t kThreads = 1;        // fewer workers than wanted
  static constexpr std::size_t kCpus = 2;           // fewer CPUs than runnable threads
  static constexpr std::size_t kFirstResource = 3;  // + index of the resource

  Accounts(const Plan& plan, std::size_t slots);

  void begin(std::size_t slot);  // an operator
  void pass(std::size_t slot, Picoseconds passed, double held, std::size_t cause);
  // The present phase ends; `alone` and `took` in ps.
  void end_overhead(std::size_t slot, double alone, Picoseconds took);
  void end_serial(std::size_t slot, double alone, Picoseconds took);
  void end_parallel(std::size_t slot, const OperatorPlan& planned, double alone);
  void end_wait(std::size_t slot);
  void pass_serial_wait(double threads, Picoseconds passed);

  // The cause of the most time since `begin`; of equals the first. Own cause: the name of `bound`.
  [[nodiscard]] std::string limited_by(std::size_t slot, Bound bound) const;
  [[nodiscard]] TimeShare time_share(Picoseconds makespan, const Executor& executor) const;

 private:
  double take_held(std::size_t slot);
  void end_useful(std::size_t slot, double alone, Picoseconds took, double& useful);

  const Plan& plan_;
  std::size_t causes_;
  std::vector<double> caused_;  // ps, by slot and cause
  std::vector<double> held_;    // thread-ps of the present phase, by slot
  TimeShare sum_;               // thread-ps; idle unused
};

}  // namespace corecast::sim
