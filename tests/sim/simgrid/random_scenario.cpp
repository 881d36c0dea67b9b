#include "tests/sim/simgrid/random_scenario.hpp"

#include <algorithm>
#include <cmath>

namespace corecast::test {
namespace {

constexpr double kShortest = 0.01;
constexpr double kLongest = 10.0;

double duration(Dice& dice) {
  return dice.spread(kShortest, kLongest);
}

// The graph, and a parallel phase for each task.
std::vector<Task> random_tasks(Dice& dice) {
  std::vector<Task> tasks(static_cast<std::size_t>(std::lround(dice.spread(5.0, 200.0))));
  const int reach = dice.whole(1, 20);  // how far back a task looks for those before it
  const int most = dice.whole(0, 3);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].parallel_s = duration(dice);
    const auto first = i - std::min(i, static_cast<std::size_t>(reach));
    const double share = dice.whole(0, most) / static_cast<double>(reach);
    for (std::size_t before = first; before < i; ++before) {
      if (dice.real(0.0, 1.0) < share) tasks[i].after.push_back(before);
    }
  }
  return tasks;
}

void add_serial_phases(Dice& dice, std::vector<Task>& tasks) {
  for (Task& task : tasks) {
    if (dice.coin()) task.dispatch_s = duration(dice) / 10.0;
    if (dice.coin()) task.serial_s = duration(dice) / 2.0;
  }
}

void add_threads(Dice& dice, std::vector<Task>& tasks) {
  const int most = dice.whole(1, 8);
  for (Task& task : tasks) {
    task.threads = dice.whole(1, most);
    if (task.threads > 1) task.fork_s = duration(dice) / 10.0;
  }
}

Scenario start(Dice& dice, Way way, double most_slots) {
  Scenario scenario;
  scenario.way = way;
  scenario.tasks = random_tasks(dice);
  scenario.slots = static_cast<int>(std::lround(dice.spread(1.0, most_slots)));
  scenario.cpus = scenario.slots;
  if (dice.coin()) scenario.hand_over_s = dice.spread(0.001, 0.1);
  return scenario;
}

}  // namespace

int Dice::whole(int least, int most) {
  const auto count = static_cast<std::uint64_t>(most - least) + 1;
  return least + static_cast<int>(engine_() % count);
}

double Dice::real(double least, double most) {
  return least + (most - least) * std::ldexp(static_cast<double>(engine_() >> 11U), -53);
}

double Dice::spread(double least, double most) {
  return least * std::pow(most / least, real(0.0, 1.0));
}

Scenario random_list_schedule(Dice& dice) {
  Scenario scenario = start(dice, Way::slots, 12.0);
  add_serial_phases(dice, scenario.tasks);
  return scenario;
}

Scenario random_oversubscribed(Dice& dice) {
  Scenario scenario = start(dice, Way::cpus, 32.0);
  add_serial_phases(dice, scenario.tasks);
  add_threads(dice, scenario.tasks);
  // Whole CPUs, or a quota.
  scenario.cpus = dice.coin() ? std::round(dice.spread(1.0, 12.0)) : dice.spread(0.25, 12.0);
  return scenario;
}

Scenario random_flows(Dice& dice) {
  Scenario scenario = start(dice, Way::flows, 40.0);
  add_serial_phases(dice, scenario.tasks);
  const int resources = dice.whole(1, 4);
  for (int j = 0; j < resources; ++j) scenario.capacities.push_back(kFlowRate * dice.spread(0.5, 16.0));
  for (Task& task : scenario.tasks) {
    const double bytes = std::round(task.parallel_s * kFlowRate);  // SimGrid sends whole ones
    task.parallel_s = bytes / kFlowRate;
    for (int j = 0; j < resources; ++j) {
      const int times = dice.whole(0, 4);
      if (times > 0) task.draws.push_back({static_cast<std::size_t>(j), times * bytes});
    }
  }
  return scenario;
}

Scenario random_coupled(Dice& dice) {
  Scenario scenario = start(dice, Way::bottleneck, 12.0);
  add_serial_phases(dice, scenario.tasks);
  const int resources = dice.whole(1, 4);
  std::vector<double> rates;  // of each resource, per second of a task alone
  for (int j = 0; j < resources; ++j) {
    rates.push_back(dice.spread(0.1, 10.0));
    scenario.capacities.push_back(rates.back() * dice.spread(0.5, 8.0));
  }
  for (Task& task : scenario.tasks) {
    for (std::size_t j = 0; j < rates.size(); ++j) {
      if (dice.coin()) task.draws.push_back({j, rates[j] * task.parallel_s});
    }
  }
  return scenario;
}

Scenario random_alike(Dice& dice) {
  Scenario scenario = start(dice, Way::bottleneck, 12.0);
  scenario.cpus = dice.spread(0.5, scenario.slots + 0.5);
  const int resources = dice.whole(1, 3);
  for (int j = 0; j < resources; ++j) {
    const double rate = dice.spread(0.1, 10.0);
    scenario.capacities.push_back(rate * dice.spread(0.5, 12.0));
    for (Task& task : scenario.tasks)
      task.draws.push_back({static_cast<std::size_t>(j), rate * task.parallel_s});
  }
  return scenario;
}

Scenario random_chain(Dice& dice) {
  Scenario scenario = start(dice, Way::bottleneck, 1.0);
  scenario.fixed_order = true;
  add_serial_phases(dice, scenario.tasks);
  add_threads(dice, scenario.tasks);
  scenario.cpus = dice.spread(0.5, 8.0);
  const int resources = dice.whole(1, 4);
  for (int j = 0; j < resources; ++j) scenario.capacities.push_back(dice.spread(0.1, 10.0));
  for (Task& task : scenario.tasks) {
    for (std::size_t j = 0; j < scenario.capacities.size(); ++j) {
      if (dice.coin()) task.draws.push_back({j, dice.spread(0.1, 10.0) * task.parallel_s});
    }
  }
  return scenario;
}

}  // namespace corecast::test
