// Speed of the parts of a search: import, kernel time, sharing, planning, simulation, the whole.
//   build/ci/tests/bench/corecast_bench [--benchmark_format=json]
// CORECAST_BENCH_ONNX names an ONNX file for the import; without it that one is skipped.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>

#include "graphs/builtin.hpp"
#include "graphs/onnx_import.hpp"
#include "hwmodels/kernel_time.hpp"
#include "hwmodels/machine_json.hpp"
#include "hwmodels/sharing.hpp"
#include "sim/search.hpp"
#include "sim/simulator.hpp"

namespace {

using namespace corecast;

const std::filesystem::path kData = CORECAST_DATA_DIRECTORY;

sim::Target machine_named(const char* name) {
  sim::Target target;
  target.machine = hwmodels::find_machine(hwmodels::read_catalogue(kData / "machines"), name);
  return target;
}

sim::Runtime runtime_named(const char* name) {
  return sim::find_runtime(sim::read_runtimes(kData / "runtimes"), name);
}

sim::Setting parallel_setting(int inter, int intra) {
  sim::Setting setting;
  setting.runtime = "onnxruntime-1.13";
  setting.mode = sim::Mode::parallel;
  setting.inter_op = inter;
  setting.intra_op = intra;
  return setting;
}

void import_onnx(benchmark::State& state) {
  const char* file = std::getenv("CORECAST_BENCH_ONNX");
  if (file == nullptr) {
    state.SkipWithError("CORECAST_BENCH_ONNX is not set");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(graphs::import_onnx(file).size());
}
BENCHMARK(import_onnx)->Unit(benchmark::kMillisecond);

void kernel_time(benchmark::State& state) {
  hwmodels::KernelParameters<double> kernel;
  kernel.peak_per_core = FlopsPerSecond(1e11);
  kernel.memory_time = Seconds(1e-5);
  double work = 1e6;
  for (auto _ : state) {
    work += 1.0;
    benchmark::DoNotOptimize(hwmodels::kernel_time(Flops(work), 56, 24, kernel).value());
  }
}
BENCHMARK(kernel_time);

void sharing(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<hwmodels::Activity> activities(n);
  const std::vector<double> capacities(n, 10.0);
  for (std::size_t i = 0; i < n; ++i) {
    activities[i].bound = 1.0 + static_cast<double>(i);
    for (std::size_t j = 0; j < 3; ++j)
      activities[i].uses.push_back({(i + j) % n, 1.0 + static_cast<double>(j)});
  }
  hwmodels::SharingSolver solver;
  for (auto _ : state) benchmark::DoNotOptimize(solver.solve(activities, capacities).rate.data());
}
BENCHMARK(sharing)->Arg(2)->Arg(10)->Arg(100);

void simulate(benchmark::State& state) {
  const auto runtime = runtime_named("onnxruntime-1.13");
  const auto graph = sim::prepare(graphs::build_model("inception_v3"), runtime);
  const auto plan = sim::make_plan(graph, machine_named("xeon-8175m"), runtime,
                                   parallel_setting(static_cast<int>(state.range(0)), 20));
  std::uint64_t events = 0;
  for (auto _ : state) events += sim::simulate(graph, plan).events;
  state.counters["events"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(simulate)->Arg(2)->Arg(5)->Unit(benchmark::kMicrosecond);

void tune(benchmark::State& state) {
  const auto runtime = runtime_named("onnxruntime-1.13");
  const auto target = machine_named("xeon-8175m");
  const auto model = graphs::build_model("inception_v3");
  const auto graph = sim::prepare(model, runtime);
  for (auto _ : state) benchmark::DoNotOptimize(sim::search(model, graph, target, runtime, {}).simulated);
}
BENCHMARK(tune)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
