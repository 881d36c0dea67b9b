// Closed forms of one operator under one setting, against hand-computed times.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "planning_support.hpp"
#include "sim/forecast.hpp"
#include "tests/support/dag.hpp"
#include "tests/support/machine_text.hpp"

using namespace corecast;
using namespace corecast::sim;

namespace {

Setting threads(int intra) {
  Setting setting;
  setting.runtime = "plain";
  setting.intra_op = intra;
  return setting;
}

Target target(std::string_view machine) {
  Target t;
  t.machine = test::machine(machine);
  return t;
}

double latency(std::string_view graph, std::string_view machine, const Setting& setting,
               const Runtime& runtime) {
  return evaluate(test::dag(graph), target(machine), runtime, setting).forecast.latency.value();
}

}  // namespace

TEST_CASE("a compute-bound operator takes work over peak, and half of it with two threads") {
  const Runtime runtime = test::plain_runtime();
  // 1 Gflop at 10 Gflop/s: 100 ms
  const char* graph = "a:1Gflop,units=8,shape=8x1000";
  CHECK(latency(graph, "2 cores 10Gflop/s", threads(1), runtime) == doctest::Approx(0.100));
  CHECK(latency(graph, "2 cores 10Gflop/s", threads(2), runtime) == doctest::Approx(0.050));
  // 8 units over 3 threads: the busiest has 3 of 8: 100 x 3/8 = 37.5 ms
  CHECK(latency(graph, "4 cores 10Gflop/s", threads(3), runtime) == doctest::Approx(0.0375));
}

TEST_CASE("a memory-bound operator is held by one core's bandwidth, then by the socket's") {
  const Runtime runtime = test::plain_runtime();
  // 1 GB at 10 GB/s one core: 100 ms; 4 cores want 40 GB/s of 20 GB/s: 50 ms
  const char* graph = "a:1flop,1GB,units=64,shape=64x1000";
  const char* machine = "4 cores 10Gflop/s; mem 20GB/s; core 10GB/s";
  CHECK(latency(graph, machine, threads(1), runtime) == doctest::Approx(0.100));
  CHECK(latency(graph, machine, threads(2), runtime) == doctest::Approx(0.050));
  CHECK(latency(graph, machine, threads(4), runtime) == doctest::Approx(0.050));
}

TEST_CASE("an operator on one thread fetches from the others what they have written") {
  const Runtime runtime = test::plain_runtime();
  const char* machine = "2 cores 10Gflop/s; l2 1MiB 100GB/s peer 10GB/s; l3 8MiB 20GB/s";
  // a writes 1 MB, b reads it and cannot be cut. One thread: 1 MB at 100 GB/s each: 10 + 10 us.
  const char* graph = "a:1flop,units=2,shape=2x1000,written=1MB -[1MB]-> b:1flop,1MB,units=1,shape=1x1000";
  CHECK(latency(graph, machine, threads(1), runtime) == doctest::Approx(20e-6).epsilon(1e-3));
  // Two threads, half of the lines with the other core. a, 0.5 MB a core: 0.25 / 10 + 0.5 / 200 = 27.5 us;
  // b, 1 MB for one core: 0.5 / 10 + 0.5 / 100 = 55 us.
  CHECK(latency(graph, machine, threads(2), runtime) == doctest::Approx(82.5e-6).epsilon(1e-3));
  // What only describes a shape in between changes nothing.
  const char* reshaped =
      "a:1flop,units=2,shape=2x1000,written=1MB -[1MB]-> s:shape -[1MB]-> b:1flop,1MB,units=1,shape=1x1000";
  CHECK(latency(reshaped, machine, threads(2), runtime) == doctest::Approx(82.5e-6).epsilon(1e-3));
}

TEST_CASE("without a shared cache and a stated rate, a peer's data comes as fast as one's own") {
  const Runtime runtime = test::plain_runtime();
  // 1 MB written by two cores at 100 GB/s each: 5 us; then 1 MB read by one: 10 us.
  const char* graph = "a:1flop,units=2,shape=2x1000,written=1MB -[1MB]-> b:1flop,1MB,units=1,shape=1x1000";
  for (const char* machine : {"2 cores 10Gflop/s; l2 1MiB 100GB/s", "2 cores 10Gflop/s; l1 1MiB 100GB/s"}) {
    const double found = latency(graph, machine, threads(2), runtime);
    // Half of it a core has itself, half its peer: a 2.5 + 2.5 us, b 5 + 5.
    CHECK(found == doctest::Approx((2.5e-6 + 2.5e-6) + (5e-6 + 5e-6)).epsilon(1e-3));
  }
  CHECK(latency(graph, "2 cores 10Gflop/s; mem 10GB/s", threads(2), runtime) > 0.0);
}

TEST_CASE("of two producers the larger counts for more") {
  const Runtime runtime = test::plain_runtime();
  const char* machine = "2 cores 10Gflop/s; l2 1MiB 100GB/s peer 10GB/s; l3 8MiB 20GB/s";
  // c reads 0.8 MB, 0.2 of it written by two cores (a), 0.6 by one (b, uncut): a quarter apart, half of that at the other
  // core: 0.1 / 10 + 0.7 / 100 = 17 us. a and b move nothing themselves here.
  const char* graph =
      "a:1flop,units=2,shape=2x1000 -[0.2MB]-> c:1flop,0.8MB,units=1,shape=1x1000; "
      "b:1flop,units=1,shape=1x1000 -[0.6MB]-> c";
  CHECK(latency(graph, machine, threads(2), runtime) == doctest::Approx(17e-6).epsilon(1e-3));
}

TEST_CASE("threads that sleep and are late leave their parts to the others, with CPUs for them or not") {
  const Runtime runtime = test::plain_runtime();
  const char* graph = "a:1Mflop,units=8,shape=8x1000";  // 100 us on one thread
  Setting sleeping = threads(2);
  sleeping.spin = false;
  // 40 us late: one thread for 40, two for the other 60 of work: 40 + 30 = 70 us.
  CHECK(latency(graph, "2 cores 10Gflop/s; wake 40us", sleeping, runtime) == doctest::Approx(70e-6));
  // Four threads on two CPUs do it no faster and no slower.
  sleeping.intra_op = 4;
  CHECK(latency(graph, "2 cores 10Gflop/s; wake 40us", sleeping, runtime) == doctest::Approx(70e-6));
  // Nobody comes in time: the caller alone.
  CHECK(latency(graph, "2 cores 10Gflop/s; wake 1ms", sleeping, runtime) == doctest::Approx(100e-6));
}

TEST_CASE("threads above CPUs draw from memory what those that sit on one draw") {
  const Runtime runtime = test::plain_runtime();
  // 1 GB at 20 GB/s of two cores, by two threads or by four that take turns.
  const char* graph = "a:1flop,1GB,units=64,shape=64x1000";
  const char* machine = "2 cores 10Gflop/s; mem 20GB/s; core 10GB/s";
  Setting sleeping = threads(2);
  sleeping.spin = false;
  CHECK(latency(graph, machine, sleeping, runtime) == doctest::Approx(0.050));
  sleeping.intra_op = 4;
  CHECK(latency(graph, machine, sleeping, runtime) == doctest::Approx(0.050));
}

TEST_CASE(
    "a parallel executor whose caller waits wakes it, and beside spinning threads on all CPUs lets it wait "
    "for one") {
  const Runtime runtime = test::plain_runtime();
  const char* graph = "a:1Mflop,units=1,shape=1x1000";  // 100 us
  const char* machine = "2 cores 10Gflop/s; wake 40us; slice 4ms";
  Setting parallel = threads(1);
  parallel.mode = Mode::parallel;
  parallel.inter_op = 3;  // two threads that run operators
  CHECK(latency(graph, machine, parallel, runtime) == doctest::Approx(140e-6));
  // Three that spin, two CPUs: half a slice, 2000 us, more; each of the three has 2/3 of a CPU: (100 + 2040) x 3/2.
  parallel.inter_op = 4;
  CHECK(latency(graph, machine, parallel, runtime) == doctest::Approx(3210e-6));
  parallel.spin = false;
  CHECK(latency(graph, machine, parallel, runtime) == doctest::Approx(140e-6));
}

TEST_CASE("an executor that uses no buffer twice writes to memory what does not fit in all") {
  Runtime runtime = test::plain_runtime();
  // a and b write 1 MB each: half of 2 MB fits in 1 MB of L2, and the last level holds the rest. Sequential: 10 us each.
  const char* graph = "a:1flop,units=1,shape=1x1000,written=1MB -> b:1flop,units=1,shape=1x1000,written=1MB";
  const char* machine = "2 cores 10Gflop/s; l2 1MB 100GB/s; l3 8MB 20GB/s";
  Setting parallel = threads(1);
  parallel.mode = Mode::parallel;
  CHECK(latency(graph, machine, parallel, runtime) == doctest::Approx(20e-6).epsilon(1e-3));
  // 2 MB to and from for each: 1 MB at 100 GB/s and 1 MB at 20 GB/s.
  runtime.parallel_keeps_outputs = true;
  CHECK(latency(graph, machine, parallel, runtime) == doctest::Approx(120e-6).epsilon(1e-3));
  CHECK(latency(graph, machine, threads(1), runtime) == doctest::Approx(20e-6).epsilon(1e-3));
}

TEST_CASE("dispatch, fork and join are paid for every operator") {
  Runtime runtime = test::plain_runtime();
  runtime.dispatch.value = Seconds(1e-6);
  runtime.fork.value = Seconds(2e-6);
  runtime.fork_per_thread.value = Seconds(0.5e-6);
  // One thread: 1 us each. Four threads: barrier 3 us + 1 us x log2(4/2) + 2 us + 4 x 0.5 us + 1 us = 9 us each
  const char* graph = "a:units=4,shape=4x10 -> b:units=4,shape=4x10";
  const char* machine = "4 cores 10Gflop/s; barrier 3us; doubling 1us";
  CHECK(latency(graph, machine, threads(1), runtime) == doctest::Approx(2e-6));
  CHECK(latency(graph, machine, threads(4), runtime) == doctest::Approx(18e-6));
}

TEST_CASE("the steps of a recurrent operator each fork and join") {
  const Runtime runtime = test::plain_runtime();
  CHECK(latency("a:units=2,shape=2x10,steps=5", "2 cores 10Gflop/s; barrier 1us", threads(2), runtime) ==
        doctest::Approx(5e-6));
}

TEST_CASE("a serial part is not shared") {
  const Runtime runtime = test::plain_runtime();
  // 100 ms of work, a quarter serial: 25 + 75 / 3 = 50 ms
  CHECK(latency("a:1Gflop,units=9,shape=9x1000,serial=0.25", "4 cores 10Gflop/s", threads(3), runtime) ==
        doctest::Approx(0.050));
}

TEST_CASE("the second hardware thread adds its gain and no more") {
  const Runtime runtime = test::plain_runtime();
  const char* graph = "a:1Gflop,units=8,shape=8x1000";
  const char* machine = "2 cores 10Gflop/s; smt 2; gain 1.25 1.25";
  // 4 threads on 2 cores of 12.5 Gflop/s: 40 ms
  CHECK(latency(graph, machine, threads(4), runtime) == doctest::Approx(0.040));
  Setting packed = threads(2);
  packed.smt = true;  // both on one core
  CHECK(latency(graph, machine, packed, runtime) == doctest::Approx(0.080));
}

TEST_CASE("weights lie on the first socket: threads on the second read them over the link") {
  const Runtime runtime = test::plain_runtime();
  // 1 GB of weights, 2 threads: on one socket 20 GB/s: 50 ms. One thread a socket: half of it, 0.5 GB, over 5 GB/s: 100 ms
  const char* graph = "a:1flop,weights=1GB,units=64,shape=64x1000";
  const char* machine = "2 cores 10Gflop/s; mem 20GB/s; core 10GB/s; sockets 2; link 5GB/s";
  CHECK(latency(graph, machine, threads(2), runtime) == doctest::Approx(0.050));
  Setting scattered = threads(2);
  scattered.placement = Placement::scatter;
  CHECK(latency(graph, machine, scattered, runtime) == doctest::Approx(0.100));
}

TEST_CASE("instances share the memory of their socket") {
  const Runtime runtime = test::plain_runtime();
  const char* graph = "a:1flop,1GB,units=64,shape=64x1000";
  const char* machine = "4 cores 10Gflop/s; mem 20GB/s; core 10GB/s";
  // Each of 4 instances has a quarter of 20 GB/s: 200 ms
  Setting four = threads(1);
  four.instances = 4;
  const auto forecast = evaluate(test::dag(graph), target(machine), runtime, four).forecast;
  CHECK(forecast.latency.value() == doctest::Approx(0.200));
  CHECK(forecast.throughput_per_s == doctest::Approx(20.0));
}

TEST_CASE("a small product runs below the peak by its shape factors") {
  Runtime runtime = test::plain_runtime();
  runtime.kernels[KernelClass::gemm].m_half = 4.0;
  // m = 4, m_half = 4: half the peak: 200 ms for 1 Gflop
  CHECK(latency("a:1Gflop,gemm,matrix=4x100x100", "2 cores 10Gflop/s", threads(1), runtime) ==
        doctest::Approx(0.200));
}

TEST_CASE("a runtime where inter-op does nothing runs sequentially whatever is asked") {
  Runtime runtime = test::plain_runtime();
  runtime.inter_op_works = false;
  Setting parallel = threads(1);
  parallel.mode = Mode::parallel;
  parallel.inter_op = 3;
  const char* graph = "a:1Gflop,units=8,shape=8x1000; b:1Gflop,units=8,shape=8x1000";
  CHECK(latency(graph, "4 cores 10Gflop/s", parallel, runtime) == doctest::Approx(0.200));
  const auto warnings = setting_warnings(target("4 cores 10Gflop/s"), runtime, parallel);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].code == "ORT_INTEROP_NOOP");
}

TEST_CASE("inter_op = N of the parallel executor runs N - 1 operators at once") {
  const Runtime runtime = test::plain_runtime();
  const char* graph = "a:1Gflop,units=8,shape=8x1000; b:1Gflop,units=8,shape=8x1000";
  Setting parallel = threads(1);
  parallel.mode = Mode::parallel;
  parallel.inter_op = 2;
  CHECK(latency(graph, "4 cores 10Gflop/s", parallel, runtime) == doctest::Approx(0.200));
  parallel.inter_op = 3;
  CHECK(latency(graph, "4 cores 10Gflop/s", parallel, runtime) == doctest::Approx(0.100));
}

TEST_CASE("a quota below the threads stretches the run") {
  const Runtime runtime = test::plain_runtime();
  Target t = target("4 cores 10Gflop/s; slice 1us");
  t.quota_cpus = 1.0;
  // 2 threads on one CPU's worth of time: as slow as one
  const auto forecast = evaluate(test::dag("a:1Gflop,units=8,shape=8x1000"), t, runtime, threads(2)).forecast;
  CHECK(forecast.latency.value() == doctest::Approx(0.100).epsilon(0.01));
}

TEST_CASE("settings that cannot be had are refused by name") {
  const Runtime runtime = test::plain_runtime();
  Target t = target("4 cores 10Gflop/s");
  const auto problem = [&](const Setting& setting) -> std::string {
    try {
      (void)make_plan(test::dag("a"), t, runtime, setting);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(problem(threads(0)).find("--intra: 0 is not a number of threads") == 0);
  CHECK(problem(threads(-3)).find("--intra: -3") == 0);
  CHECK(problem(threads(2'000'000'000)).find("--intra") == 0);
  t.thread_limit = 3;
  CHECK(problem(threads(3)).empty());
  CHECK(problem(threads(4)).find("4 threads are needed, but only 3 more can be created here") !=
        std::string::npos);
}

TEST_CASE("the interval widens with the errors of what the time is made of") {
  Runtime runtime = test::plain_runtime();
  const char* graph = "a:1Gflop,units=8,shape=8x1000";
  const auto exact = evaluate(test::dag(graph), target("2 cores 10Gflop/s"), runtime, threads(1)).forecast;
  CHECK(exact.low.value() == doctest::Approx(exact.latency.value()));
  for (auto& [kernel, model] : runtime.kernels) model.efficiency.relative_error = 0.2;
  const auto wide = evaluate(test::dag(graph), target("2 cores 10Gflop/s"), runtime, threads(1)).forecast;
  // 1 + 1.645 x 0.2 = 1.329 to either side
  CHECK(wide.high.value() == doctest::Approx(0.1329));
  CHECK(wide.low.value() == doctest::Approx(0.100 / 1.329));
}
