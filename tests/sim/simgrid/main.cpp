// simgrid_makespan: reads scenarios from standard input and prints the makespan that SimGrid finds for each, in
// seconds, one a line. SimGrid has one engine in the life of a process, so every scenario gets a process.
//
// SimGrid has no executor with slots and a queue: that of simulator.hpp stands here once more, written from its
// description, on SimGrid's actors. All rates and dates are SimGrid's.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <deque>
#include <iostream>
#include <optional>
#include <set>

#include "tests/sim/simgrid/machine.hpp"
#include "tests/sim/simgrid/scenario.hpp"

namespace corecast::test {
namespace {

namespace s4u = simgrid::s4u;

class Executor {
 public:
  Executor(const Scenario& scenario, const Machine& machine)
      : scenario_(scenario),
        machine_(machine),
        successors_(scenario.tasks.size()),
        pending_(scenario.tasks.size()) {
    for (std::size_t i = 0; i < scenario.tasks.size(); ++i) {
      pending_[i] = scenario.tasks[i].after.size();
      for (const std::size_t before : scenario.tasks[i].after) successors_[before].push_back(i);
    }
    const auto slots = static_cast<std::size_t>(scenario.slots);
    for (std::size_t s = 0; s < std::min(slots, scenario.tasks.size()); ++s) free_.insert(s);
  }

  void start() {
    if (scenario_.fixed_order) {
      s4u::Actor::create("chain", machine_.home(), [this] {
        for (std::size_t i = 0; i < scenario_.tasks.size(); ++i) machine_.run(i, 0);
        end_ = s4u::Engine::get_clock();
      });
      return;
    }
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      if (pending_[i] == 0) queue_.push_back({i, 0.0});
    }
    fill_free_slots();
  }

  // Of the last task.
  [[nodiscard]] double end() const { return end_; }

 private:
  struct Waiting {
    std::size_t task = 0;
    double not_before = 0.0;
  };

  void fill_free_slots() {
    while (!queue_.empty() && !free_.empty()) {
      const Waiting first = queue_.front();
      const std::size_t slot = *free_.begin();
      queue_.pop_front();
      free_.erase(slot);
      s4u::Actor::create("slot", machine_.home(), [this, first, slot] {
        if (first.not_before > s4u::Engine::get_clock()) s4u::this_actor::sleep_until(first.not_before);
        work(first.task, slot);
      });
    }
  }

  // This task and those that the slot goes on with.
  void work(std::size_t task, std::size_t slot) {
    for (std::optional<std::size_t> next = task; next;) {
      machine_.run(*next, slot);
      end_ = s4u::Engine::get_clock();
      next = release(*next);
      if (!next) free_.insert(slot);
      fill_free_slots();
    }
  }

  std::optional<std::size_t> release(std::size_t task) {
    std::optional<std::size_t> own;
    for (const std::size_t successor : successors_[task]) {
      if (--pending_[successor] > 0) continue;
      if (own) {
        queue_.push_back({successor, s4u::Engine::get_clock() + scenario_.hand_over_s});
      } else {
        own = successor;
      }
    }
    return own;
  }

  const Scenario& scenario_;
  const Machine& machine_;
  std::vector<std::vector<std::size_t>> successors_;
  std::vector<std::size_t> pending_;  // tasks before it that have not ended
  std::set<std::size_t> free_;        // slots
  std::deque<Waiting> queue_;
  double end_ = 0.0;
};

double makespan(const Scenario& scenario) {
  std::vector<std::string> arguments = engine_arguments(scenario);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  auto count = static_cast<int>(arguments.size());
  s4u::Engine engine(&count, pointers.data());
  const Machine machine(scenario);
  Executor executor(scenario, machine);
  executor.start();
  engine.run();
  return executor.end();
}

bool print_makespan_of(const Scenario& scenario) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::printf("%.17g\n", makespan(scenario));
    std::fflush(stdout);
    ::_exit(0);  // what SimGrid does at a normal end is of no use here
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace
}  // namespace corecast::test

int main() {
  for (corecast::test::Scenario scenario; std::cin >> scenario;) {
    if (!corecast::test::print_makespan_of(scenario)) {
      std::cerr << "simgrid_makespan: no result for\n" << scenario;
      return 1;
    }
  }
  return 0;
}
