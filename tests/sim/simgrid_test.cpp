// The simulator beside SimGrid 3.32 (https://simgrid.org), on random graphs, where both define the same thing.
// SimGrid runs in a program of its own (simgrid/main.cpp), with an executor written from the description in
// simulator.hpp: what is compared is sharing, dates and dispatch, not the closed forms of a plan.
//
// corecast: u_i <= 1 is the progress of operator i against its time alone d_i, a_ij = draw_ij / d_i what it
//   takes of resource j at u = 1; u is max-min fair with equal weights (hwmodels/sharing.hpp).
// SimGrid, per model:
//   Exec on a host    x_i <= 1, sum x_i <= cores, max-min: all threads alike, as our c = min(1, cpus / R).
//   Comm, CM02        sum m_ij x_i <= C_j, max-min in the flows' bytes per second x_i, where m_ij is how often
//     the route of i passes link j. With one rate r for all flows alone, u_i = x_i / r and a_ij = m_ij r:
//     the same for any m_ij. With rates r_i it would be max-min in r_i u_i: not ours, not compared.
//   parallel task     v_i <= 1 / d_i, CPU and links together. The max-min solver is not to be had for these. The
//     default one (fair bottleneck) and the other (bottleneck max fairness) divide the full resource, not the
//     progress: every task has a full resource of which none takes more than it does. When all that use j have
//     the same a_ij, this says: every task has a full resource at which none has a larger u, which is what
//     max-min fairness is (Bertsekas, Gallager, Data Networks, 6.5.2). So only this is compared, and with the
//     second solver: the first does not reach its own condition where tasks use several resources.
//   CPUs for parallel tasks are one more such resource: what a task that waits for a link does not need, others
//     get. Ours keeps its CPU (thread_shares.hpp). The same are: a CPU for each; all tasks alike; one task at a
//     time.
// Not compared: shared workers fewer than wanted, spinning, time slices: SimGrid has none of them.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/simulator.hpp"
#include "tests/sim/simgrid/random_scenario.hpp"
#include "tests/sim/simgrid/scenario.hpp"

namespace corecast::test {
namespace {

constexpr std::string_view kProgram = CORECAST_SIMGRID_MAKESPAN;  // empty without SimGrid
constexpr std::size_t kScenarios = 120;                           // of each kind
constexpr double kTolerance = 1e-6;                               // relative; both are exact but for rounding

// ctest looks for these words.
constexpr const char* kAbsent = "SimGrid 3.32 is not installed (Debian 12: libsimgrid-dev): nothing compared";

graphs::Graph graph_of(const Scenario& scenario) {
  graphs::Graph graph;
  for (std::size_t i = 0; i < scenario.tasks.size(); ++i) {
    graphs::Operator op;
    op.name = fmt::format("task{}", i);
    graph.add(op);
    for (const std::size_t before : scenario.tasks[i].after)
      graph.connect(OpIndex(before), OpIndex(i), Bytes(0.0));
  }
  return graph;
}

// A topological order other than that of the numbers: of those that may run, the last.
std::vector<OpIndex> order_of(const Scenario& scenario) {
  const std::size_t count = scenario.tasks.size();
  std::vector<std::size_t> pending(count);
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < count; ++i) {
    pending[i] = scenario.tasks[i].after.size();
    if (pending[i] == 0) ready.insert(i);
  }
  std::vector<OpIndex> order;
  while (!ready.empty()) {
    const std::size_t next = *ready.rbegin();
    ready.erase(next);
    order.emplace_back(next);
    for (std::size_t i = next + 1; i < count; ++i) {
      const auto& after = scenario.tasks[i].after;
      if (std::binary_search(after.begin(), after.end(), next) && --pending[i] == 0) ready.insert(i);
    }
  }
  return order;
}

sim::Plan plan_of(const Scenario& scenario) {
  sim::Plan plan;
  int threads = 1;
  for (const Task& task : scenario.tasks) {
    threads = std::max(threads, task.threads);
    sim::OperatorPlan& op = plan.operators.emplace_back();
    op.dispatch = Seconds(task.dispatch_s);
    op.serial = Seconds(task.serial_s);
    op.fork_join = Seconds(task.fork_s);
    op.parallel = Seconds(task.parallel_s);
    op.compute = op.parallel;
    op.threads = task.threads;
    for (const Drawn& draw : task.draws) op.draws.push_back({ResourceIndex(draw.resource), draw.amount});
  }
  for (const double capacity : scenario.capacities) plan.resources.push_back({"resource", capacity});
  plan.order = order_of(scenario);
  // Workers for all: everyone has the threads that it wants.
  plan.executor = {scenario.slots, scenario.slots * (threads - 1), Seconds(scenario.hand_over_s),
                   scenario.fixed_order};
  plan.cpus = scenario.cpus;
  return plan;
}

double our_makespan(const Scenario& scenario) {
  return static_cast<double>(sim::simulate(graph_of(scenario), plan_of(scenario)).makespan) * 1e-12;
}

// The same with as many slots, CPUs and bytes per second as anyone could use.
Scenario without_contention(Scenario scenario) {
  if (!scenario.fixed_order) scenario.slots = static_cast<int>(scenario.tasks.size());
  scenario.cpus = 1e6;
  for (double& capacity : scenario.capacities) capacity *= 1e6;
  return scenario;
}

class TemporaryFile {
 public:
  TemporaryFile() {
    const int file = ::mkstemp(name_.data());
    if (file < 0) throw std::runtime_error("mkstemp");
    ::close(file);
  }
  ~TemporaryFile() { std::remove(name_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_ = "/tmp/corecast_simgrid.XXXXXX";
};

std::vector<double> simgrid_makespans(const std::vector<Scenario>& scenarios) {
  const TemporaryFile input;
  {
    std::ofstream stream(input.name());
    for (const Scenario& scenario : scenarios) stream << scenario;
  }
  std::FILE* output = ::popen(fmt::format("'{}' < '{}'", kProgram, input.name()).c_str(), "r");
  REQUIRE(output != nullptr);
  std::vector<double> makespans;
  for (double makespan = 0.0; std::fscanf(output, "%lf", &makespan) == 1;) makespans.push_back(makespan);
  REQUIRE(::pclose(output) == 0);
  REQUIRE(makespans.size() == scenarios.size());
  return makespans;
}

void compare(std::string_view kind, Scenario (*make)(Dice&)) {
  if (kProgram.empty()) {
    MESSAGE(kAbsent);
    return;
  }
  Dice dice(20);
  std::vector<Scenario> scenarios;
  for (std::size_t i = 0; i < kScenarios; ++i) scenarios.push_back(make(dice));
  const std::vector<double> theirs = simgrid_makespans(scenarios);
  double worst = 0.0;
  std::size_t tasks = 0;
  std::size_t contended = 0;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const double ours = our_makespan(scenarios[i]);
    const double difference = std::abs(ours - theirs[i]) / theirs[i];
    INFO(fmt::format("scenario {}: {} tasks in {} slots, corecast {} s, SimGrid {} s", i,
                     scenarios[i].tasks.size(), scenarios[i].slots, ours, theirs[i]));
    CHECK(difference <= kTolerance);
    worst = std::max(worst, difference);
    tasks += scenarios[i].tasks.size();
    if (ours > 1.05 * our_makespan(without_contention(scenarios[i]))) ++contended;
  }
  CHECK(contended > kScenarios / 2);  // else little is compared
  MESSAGE(fmt::format("{}: {} graphs, {} tasks; {} graphs slowed by contention; worst difference {:.2g}",
                      kind, kScenarios, tasks, contended, worst));
}

TEST_CASE("list scheduling: as SimGrid's hosts of one core") {
  compare("list scheduling", random_list_schedule);
}

TEST_CASE("more threads than CPUs: as on a SimGrid host of several cores") {
  compare("oversubscribed CPUs", random_oversubscribed);
}

TEST_CASE("unequal draws on shared resources: as SimGrid's flows over shared links") {
  compare("shared resources", random_flows);
}

TEST_CASE("a CPU each and shared resources: as SimGrid's parallel tasks") {
  compare("CPUs and resources", random_coupled);
}

TEST_CASE("like tasks short of CPUs and resources: as SimGrid's parallel tasks") {
  compare("like tasks", random_alike);
}

TEST_CASE("a fixed order: as a chain of SimGrid's parallel tasks") {
  compare("fixed order", random_chain);
}

// Where the two mean different things, each as computed by hand.
TEST_CASE("SimGrid gives away the CPU of a task that waits for a link, corecast does not") {
  // a: 1 s alone, 10 units of a link of 1 per second: u_a = 0.1. b: 9 s alone. One CPU.
  // corecast: half a CPU each, so b has done 5 s when a ends at 10, and the rest alone: 14.
  // SimGrid: b gets what a leaves, 0.9: both end at 10.
  Scenario scenario{Way::bottleneck, false, 2, 0.0, 1.0, {1.0}, std::vector<Task>(2)};
  scenario.tasks[0].parallel_s = 1.0;
  scenario.tasks[0].draws = {{0, 10.0}};
  scenario.tasks[1].parallel_s = 9.0;
  CHECK(our_makespan(scenario) == doctest::Approx(14.0).epsilon(1e-9));
  if (!kProgram.empty()) CHECK(simgrid_makespans({scenario})[0] == doctest::Approx(10.0).epsilon(1e-9));
}

TEST_CASE("SimGrid's parallel tasks share a link's bytes, corecast's operators the slowdown") {
  // a: 4 s, b: 1 s alone; a wants 1 and b 2 of a resource of 1.5 per second.
  // corecast: both at 0.5; b ends at 2 with a at 1 of 4 s, the rest alone: 5.
  // SimGrid: 0.75 per second each; b's 2 units end at 8/3 with a at 2 of 4 s, the rest alone: 14/3.
  Scenario scenario{Way::bottleneck, false, 2, 0.0, 2.0, {1.5}, std::vector<Task>(2)};
  scenario.tasks[0].parallel_s = 4.0;
  scenario.tasks[0].draws = {{0, 4.0}};
  scenario.tasks[1].parallel_s = 1.0;
  scenario.tasks[1].draws = {{0, 2.0}};
  CHECK(our_makespan(scenario) == doctest::Approx(5.0).epsilon(1e-9));
  if (!kProgram.empty()) CHECK(simgrid_makespans({scenario})[0] == doctest::Approx(14.0 / 3).epsilon(1e-9));
}

}  // namespace
}  // namespace corecast::test
