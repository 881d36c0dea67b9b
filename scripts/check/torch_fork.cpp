// Simulated makespans against PyTorch's inter-op pool: TorchScript functions that fork operators which sleep.
//
//   torch_fork THREADS [REPETITIONS]
//
// Prints a table; exit code 1 when a run contradicts how PyTorch is believed to schedule (torch_fork_queue.hpp), in all
// repetitions (default 8).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "scripts/check/torch_fork_interpreter.hpp"
#include "scripts/check/torch_fork_queue.hpp"
#include "tests/sim/real_pools/schedule.hpp"
#include "tests/sim/real_pools/shapes.hpp"

namespace corecast::check {
namespace {

int repetitions = 8;

// Every operator is a function of its own, forked in the graph's order, which waits for its predecessors.
std::string fork_all(const graphs::Graph& graph) {
  std::string functions;
  std::string run = "def run(z: int) -> int:\n";
  std::string sum = "  return 0";
  for (const OpIndex index : graph.topological_order()) {
    const std::size_t op = index.value();
    std::string parameters = "z: int";
    std::string arguments = ", z";
    std::string waits = "  t = 0\n";
    for (const OpIndex predecessor : graph.predecessors(OpIndex(op))) {
      parameters += fmt::format(", p{}: Future[int]", predecessor.value());
      arguments += fmt::format(", f{}", predecessor.value());
      waits += fmt::format("  t = t + torch.wait(p{})\n", predecessor.value());
    }
    functions += fmt::format("def op{}({}) -> int:\n{}  return sleep({}, t)\n", op, parameters, waits, op);
    run += fmt::format("  f{} = fork(op{}{})\n", op, op, arguments);
    if (graph.successors(OpIndex(op)).empty()) sum += fmt::format(" + torch.wait(f{})", op);
  }
  return functions + run + sum + "\n";
}

double makespan(const std::vector<Ran>& ran) {
  double last = 0.0;
  for (const Ran& r : ran) last = std::max(last, r.end);
  return last;
}

// Whether a run took `expected`, within 2 % and 0.3 ms for each operator on the way (wake-up, timer, interpreter).
bool took(double real, double expected, std::size_t chain) {
  return std::abs(real - expected) <= 0.02 * expected + 0.0003 * static_cast<double>(chain);
}

bool compare_graph(std::string_view name, const graphs::Graph& graph, int threads) {
  const test::PoolShape shape{threads, 1, sim::Keep::none};
  const std::vector<double> lengths = test::separate_lengths(graph, shape, {});
  const double simulated = sim::simulate(graph, test::plan_for(shape, lengths)).duration().value();
  const std::vector<double> starts = fork_queue_starts(graph, lengths, threads);
  double queue = 0.0;
  for (std::size_t op = 0; op < starts.size(); ++op) queue = std::max(queue, starts[op] + lengths[op]);
  const auto depth = static_cast<std::size_t>(queue / 0.010) + 1;  // operators take 10 ms or so
  const std::string source = fork_all(graph);
  double best = 0.0;
  for (int i = 0; i < repetitions; ++i) {
    const double real = makespan(run_script(source, lengths));
    if (best == 0.0 || std::abs(real - queue) < std::abs(best - queue)) best = real;
    if (took(best, queue, depth)) break;
  }
  const bool right = took(best, queue, depth);
  fmt::print("{:<16} {:>7} {:>9} {:>12.2f} {:>7.2f} {:>+7.2f} % {:>12.2f} {:>+7.2f} %{}\n", name, threads,
             graph.size(), simulated * 1e3, best * 1e3, (best / simulated - 1.0) * 100.0, queue * 1e3,
             (best / queue - 1.0) * 100.0, right ? "" : "  WRONG");
  return right;
}

// One statement about fork and wait: a script of operators of 20 ms and the time it should take.
bool check_statement(std::string_view statement, const std::string& source, std::size_t operators,
                     double expected_ms) {
  const std::vector<double> lengths(operators, 0.020);
  double best = 0.0;
  for (int i = 0; i < repetitions; ++i) {
    const double real = makespan(run_script(source, lengths)) * 1e3;
    if (best == 0.0 || real < best) best = real;
  }
  const bool right = std::abs(best - expected_ms) < 5.0;  // rounds of 20 ms are what is told apart
  fmt::print("{:<78} {:>5.0f} ms {:>7.2f} ms{}\n", statement, expected_ms, best, right ? "" : "  WRONG");
  return right;
}

bool check_statements(int threads) {
  bool right = true;
  const std::string leaf = "def leaf(i: int) -> int:\n  return sleep(i, 0)\n";
  const auto forks = [](int first, int count, std::string_view of) {
    std::string text;
    for (int i = first; i < first + count; ++i) text += fmt::format("  f{} = fork({}, z + {})\n", i, of, i);
    return text;
  };
  const auto waits = [](int first, int count) {
    std::string text = "  return 0";
    for (int i = first; i < first + count; ++i) text += fmt::format(" + torch.wait(f{})", i);
    return text + "\n";
  };
  const auto n = static_cast<std::size_t>(threads);

  right &= check_statement(
      "the pool has as many threads as were set: one more fork takes another round",
      leaf + "def run(z: int) -> int:\n" + forks(0, threads + 1, "leaf") + waits(0, threads + 1), n + 1, 40);
  right &= check_statement("what the caller runs before its first wait comes on top of them",
                           leaf + "def run(z: int) -> int:\n" + forks(0, threads, "leaf") +
                               fmt::format("  t = sleep({}, 0)\n", threads) + waits(0, threads),
                           n + 1, 20);
  // The caller has waited for f0: what follows is queued behind the second round of forks.
  right &= check_statement(
      "after a wait that found nothing the caller's rest is one more task of the pool, at its end",
      leaf + "def run(z: int) -> int:\n" + forks(0, 2 * threads, "leaf") +
          fmt::format("  t = torch.wait(f0)\n  t = sleep({}, t)\n", 2 * threads) + waits(1, 2 * threads - 1),
      2 * n + 1, 60);
  // Each of the pool's threads forks a task and waits for it: with waits that block, nobody would be left to run these.
  right &=
      check_statement("wait in a thread of the pool does not block it: all may wait for forks of their own",
                      leaf +
                          fmt::format("def outer(i: int) -> int:\n  f = fork(leaf, i)\n  t = torch.wait(f)\n"
                                      "  return sleep(i + {}, t)\n",
                                      threads) +
                          "def run(z: int) -> int:\n" + forks(0, threads, "outer") + waits(0, threads),
                      2 * n, 40);
  return right;
}

int run(int threads) {
  set_interop_threads(threads);
  fmt::print("{:<78} {:>8} {:>10}\n", fmt::format("{} threads; operators of 20 ms", threads), "expected",
             "measured");
  bool right = check_statements(threads);
  fmt::print("\n{:<16} {:>7} {:>9} {:>12} {:>7} {:>9} {:>12} {:>9}\n", "graph", "threads", "operators",
             "simulate() ms", "real ms", "error", "its queue ms", "error");
  right &= compare_graph("wide", test::wide(40), threads);
  right &= compare_graph("binary tree", test::binary_tree(32), threads);
  right &= compare_graph("inception-like", test::inception_like(4), threads);
  right &= compare_graph("chains joining", test::chains_joining(12, 3), threads);
  right &= compare_graph("random", test::random_dag(60, 20, 1), threads);
  right &= compare_graph("random", test::random_dag(60, 40, 2), threads);
  return right ? 0 : 1;
}

}  // namespace
}  // namespace corecast::check

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 0;
  if (argc > 2) corecast::check::repetitions = std::atoi(argv[2]);
  if (threads < 2 || corecast::check::repetitions < 1) {
    fmt::print(stderr, "usage: torch_fork THREADS [REPETITIONS]\n");
    return 2;
  }
  return corecast::check::run(threads);
}
