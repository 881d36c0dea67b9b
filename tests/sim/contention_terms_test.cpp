// Terms of contention that a plan holds, each against figures worked out by hand.
#include <doctest/doctest.h>

#include <string>

#include "sim/forecast.hpp"
#include "sim/page_faults.hpp"
#include "sim/placement.hpp"
#include "tests/sim/planning_support.hpp"
#include "tests/sim/simulate_support.hpp"
#include "tests/support/machine_text.hpp"

namespace corecast::test {
namespace {

using sim::Setting;
using sim::Target;

Setting threads(int intra_op, int instances = 1) {
  Setting setting;
  setting.intra_op = intra_op;
  setting.instances = instances;
  setting.spin = false;
  return setting;
}

double milliseconds(const std::string& graph, const std::string& on, const Setting& setting,
                    const sim::Runtime& runtime = plain_runtime(),
                    std::optional<double> quota = std::nullopt) {
  return sim::evaluate(dag(graph), {machine(on), quota, std::nullopt}, runtime, setting)
             .forecast.latency.value() *
         1e3;
}

// 1 Gflop in 8 rows on cores of 10 Gflop/s: 100 ms alone.
const std::string kCompute = "a:1Gflop,units=8,shape=8x1000";
// 1 GB of activations, 8 rows.
const std::string kStream = "a:1GB,units=8,shape=8x1000";

TEST_CASE("a quota stops threads that together use more than it, in proportion") {
  SUBCASE("one thread under half a CPU takes twice as long") {
    CHECK(Simulated("a", "quota 0.5; a: 10us").timeline.makespan == us(20));
  }
  SUBCASE("two threads burn the quota twice as fast: a quarter of the speed") {
    CHECK(Simulated("a", "workers 1; quota 0.5; a: 10us x2").timeline.makespan == us(40));
  }
  SUBCASE("threads that only spin burn it too") {
    CHECK(Simulated("a", "workers 1; spinning 1; quota 0.5; a: 10us").timeline.makespan == us(40));
  }
  SUBCASE("a quota that is not used up stops nobody") {
    CHECK(Simulated("a", "workers 1; quota 2; a: 10us x2").timeline.makespan == us(10));
  }
  SUBCASE("the last slices of two CPUs cannot be used in lockstep") {
    // B = 0.5 x 100 ms / 2 = 25 ms a period, of which 5 ms (1 - 1/2) are lost: 10 us x 4 x 27.5 / 25.
    CHECK(Simulated("a", "workers 1; quota 0.5; quota-slice 5ms; a: 10us x2").timeline.makespan == us(44));
  }
  SUBCASE("many threads on a small quota collapse") {
    // 20 threads, 2 CPUs' worth: B = 10 ms, 4.75 lost: speed 0.1 x 10 / 14.75. In 20 threads 1 us: 14.75 us; two
    // threads would take 10.
    CHECK(Simulated("a", "workers 19; quota 2; quota-slice 5ms; a: 1us x20").timeline.makespan == us(14.75));
    CHECK(Simulated("a", "workers 1; quota 2; quota-slice 5ms; a: 10us x2").timeline.makespan == us(10));
  }
  SUBCASE("the threads of all copies use it up") {
    // Two copies, each with two of the four threads, two of the four CPUs and half a CPU of the one: B = 25 ms, of which
    // 5 ms (1 - 1/4) are lost: 10 us x 4 x 28.75 / 25, as for one copy of four threads.
    CHECK(Simulated("a", "workers 1; cpus 2; copies 2; quota 0.5; quota-slice 5ms; a: 10us x2")
              .timeline.makespan == us(46));
    CHECK(Simulated("a", "workers 3; cpus 4; quota 1; quota-slice 5ms; a: 10us x4").timeline.makespan ==
          us(46));
  }
}

TEST_CASE(
    "the interval under a quota reaches from a run between two pauses to one that meets a whole pause") {
  // 100 ms of work on one thread under half a CPU: 200 ms on the average, 100 without a pause, and a pause is 50 ms.
  const sim::Evaluation e = sim::evaluate(dag(kCompute), {machine("1 cores 10Gflop/s"), 0.5, std::nullopt},
                                          plain_runtime(), threads(1));
  CHECK(e.forecast.latency.value() == doctest::Approx(0.200));
  CHECK(e.forecast.low.value() == doctest::Approx(0.100));
  CHECK(e.forecast.high.value() == doctest::Approx(0.250));
}

TEST_CASE("threads that spin without a CPU for each hold an operator in lockstep") {
  SUBCASE("four threads on two CPUs") {
    // c = 1/2: fairly shared 20 us. P = 2, R' = 4: a = 1 + 1 x 3/3 = 2, F = 1.3 x 4 / 2 = 2.6: 52 us in all.
    CHECK(Simulated("a", "workers 3; cpus 2; slice 1s; a: 10us x4").timeline.makespan == us(52));
  }
  SUBCASE("but no longer than it takes until the missing thread has its turn") {
    CHECK(Simulated("a", "workers 3; cpus 2; slice 5us; a: 10us x4").timeline.makespan == us(25));
  }
  SUBCASE("two instances of two threads on two CPUs") {
    // Each has one CPU: c = 1/2, 20 us. Of the three other threads one is its own: a = 1 + 1 x 1/3, F = 1.3 x 2 / (4/3)
    // = 1.95: 39 us.
    CHECK(Simulated("a", "workers 1; cpus 1; copies 2; slice 1s; a: 10us x2").timeline.makespan == us(39));
  }
  SUBCASE("a thread whose part nobody else does is waited for until its turn comes") {
    Simulated claimed("a", "workers 3; cpus 2; slice 1ms; a: 10us x4");
    sim::Plan plan = claimed.plan;
    plan.operators[0].each_its_own = true;
    CHECK(claimed.timeline.makespan == us(52));
    CHECK(sim::simulate(claimed.graph, plan).makespan ==
          us(1020));  // R / cpus - 1 = 1: a whole slice, then 20 us
  }
  SUBCASE("threads that sleep while they wait share fairly") {
    CHECK(Simulated("a", "workers 3; cpus 2; a: 10us x4").timeline.makespan == us(20));
  }
}

TEST_CASE("two threads of one core share it with the gain measured for compute and for memory") {
  // 1 core, gain 1.3 for compute: 100 ms / 1.3. Memory: one core draws 10 GB/s, two threads of it 1.2 times that.
  Setting both = threads(2);
  both.smt = true;
  const std::string on = "1 cores 10Gflop/s; smt 2; gain 1.3 1.2; mem 100GB/s; core 10GB/s";
  CHECK(milliseconds(kCompute, on, both) == doctest::Approx(100.0 / 1.3));
  CHECK(milliseconds(kStream, on, both) == doctest::Approx(100.0 / 1.2));
  CHECK(milliseconds(kStream, on, threads(1)) == doctest::Approx(100.0));
}

TEST_CASE(
    "an operator of fewer threads than cores has cores of its own where every CPU has a waiting thread") {
  // 8 rows for 16 threads on 8 cores with two hardware threads each, no gain: 8 threads compute, 12.5 ms, packed or not.
  Setting all = threads(16);
  const std::string on = "8 cores 10Gflop/s; smt 2; gain 1 1";
  CHECK(milliseconds(kCompute, on, all) == doctest::Approx(12.5));
  all.smt = true;
  CHECK(milliseconds(kCompute, on, all) == doctest::Approx(12.5));
  // Two of them at once, in teams of their own, share the cores: 25 ms together, no less than one after the other.
  sim::Runtime pools = plain_runtime();
  pools.policy = "caffe2";
  pools.own_teams = true;
  pools.idle_inter_op_threads = 0;
  Setting two = threads(8);
  two.smt = true;
  two.mode = sim::Mode::parallel;
  two.inter_op = 2;
  CHECK(milliseconds("a:1Gflop,units=8,shape=8x1000; b:1Gflop,units=8,shape=8x1000", on, two, pools) ==
        doctest::Approx(25.0));
}

TEST_CASE("memory saturates: more cores than it takes bring nothing") {
  // A core draws 12 GB/s, the socket gives 20: 1 GB takes 83.3 ms, then 50.
  const std::string on = "4 cores 10Gflop/s; mem 20GB/s; core 12GB/s";
  CHECK(milliseconds(kStream, on, threads(1)) == doctest::Approx(1000.0 / 12.0));
  CHECK(milliseconds(kStream, on, threads(2)) == doctest::Approx(50.0));
  CHECK(milliseconds(kStream, on, threads(4)) == doctest::Approx(50.0));
}

TEST_CASE("equal parts above the number of CPUs take a turn of their own") {
  // 100 ms alone in three parts: two at once, then one with half of the CPUs idle: 2 x 33.3 ms, not 50.
  const std::string compute = "a:1Gflop,units=9,shape=9x1000";
  const std::string on = "2 cores 10Gflop/s; mem 20GB/s; core 12GB/s";
  CHECK(milliseconds(compute, on, threads(3)) == doctest::Approx(200.0 / 3.0));
  SUBCASE("full turns lose nothing") {
    CHECK(milliseconds(kCompute, on, threads(4)) == doctest::Approx(50.0));
  }
  SUBCASE("in the last turn fewer cores draw on memory") {
    // 1 GB: 2/3 of it at 20 GB/s, 1/3 at the 12 of one core.
    CHECK(milliseconds("a:1GB,units=9,shape=9x1000", on, threads(3)) ==
          doctest::Approx(2000.0 / 3.0 / 20.0 + 1000.0 / 3.0 / 12.0));
  }
  SUBCASE("where threads claim several small parts each, the CPUs stay busy") {
    sim::Runtime runtime = plain_runtime();
    for (auto& [kernel, model] : runtime.kernels) model.cut = sim::Cut::elements;
    CHECK(milliseconds(compute, on, threads(3), runtime) == doctest::Approx(50.0));
    runtime.static_parts = true;
    CHECK(milliseconds(compute, on, threads(3), runtime) == doctest::Approx(200.0 / 3.0));
  }
  SUBCASE("other instances use what is idle") {
    // 2 x 100 ms on two CPUs.
    CHECK(milliseconds(compute, on, threads(3, 2)) == doctest::Approx(100.0));
  }
}

TEST_CASE("instances share the memory of their socket") {
  // Two cores draw 12 GB/s each of 20: 10 each.
  const std::string on = "4 cores 10Gflop/s; mem 20GB/s; core 12GB/s";
  CHECK(milliseconds(kStream, on, threads(1, 2)) == doctest::Approx(100.0));
  CHECK(milliseconds(kStream, on, threads(1, 4)) == doctest::Approx(200.0));
}

TEST_CASE("weights lie on the socket that loaded them unless memory is interleaved") {
  // 1 GB of weights read by 2 + 2 cores. First touch: all from socket 0 at 10 GB/s, half of it over the link: 100 ms.
  // Interleaved: half from each socket: 50 ms, and half crosses the link of 5 GB/s: 100 ms; of 50 GB/s: 50 ms.
  const std::string graph = "a:weights=1GB,units=8,shape=8x1000";
  Setting setting = threads(4);
  CHECK(milliseconds(graph, "2 cores 10Gflop/s; sockets 2; mem 10GB/s; link 50GB/s", setting) ==
        doctest::Approx(100.0));
  setting.memory = sim::MemoryPolicy::interleave;
  CHECK(milliseconds(graph, "2 cores 10Gflop/s; sockets 2; mem 10GB/s; link 50GB/s", setting) ==
        doctest::Approx(50.0));
  CHECK(milliseconds(graph, "2 cores 10Gflop/s; sockets 2; mem 10GB/s; link 5GB/s", setting) ==
        doctest::Approx(100.0));
}

TEST_CASE("instances that pin themselves to the same cores take turns there") {
  // 2 instances of 2 threads on 4 cores: 50 ms each. Both on the first 2 cores: one CPU each for 2 threads: 100 ms.
  Setting setting = threads(2, 2);
  CHECK(milliseconds(kCompute, "4 cores 10Gflop/s", setting) == doctest::Approx(50.0));
  setting.pinning = sim::Pinning::stacked;
  CHECK(milliseconds(kCompute, "4 cores 10Gflop/s", setting) == doctest::Approx(100.0));
}

TEST_CASE("operators that run at once share the last-level cache") {
  // Each reads 8 MB; the cache holds 8 MB. Alone all of it comes from there (100 GB/s: 0.08 ms); of two at once half of
  // each comes from memory at 1 GB/s: 8 MB for both together, 8 ms, besides 0.04 to 0.08 ms from the cache.
  sim::Runtime pools = plain_runtime();
  pools.policy = "caffe2";
  pools.own_teams = true;
  pools.idle_inter_op_threads = 0;
  Setting setting = threads(1);
  const std::string on = "2 cores 10Gflop/s; mem 1GB/s; l3 8MB 100GB/s";
  CHECK(milliseconds("a:8MB; b:8MB", on, setting, pools) == doctest::Approx(0.16));
  setting.mode = sim::Mode::parallel;
  setting.inter_op = 2;
  CHECK(milliseconds("a:8MB; b:8MB", on, setting, pools) == doctest::Approx(8.0).epsilon(0.02));
}

TEST_CASE(
    "large fresh outputs cost a page fault for every 4 KiB, which threads share, and giving them back") {
  // 64 MiB are 16384 pages; 1 us each: 16.384 ms, and 0.3 of it by the caller.
  const auto faults = sim::page_faults(Bytes(64.0 * 1024 * 1024), 1.0, Seconds(1e-6));
  CHECK(faults.touching.value() == doctest::Approx(0.016384));
  CHECK(faults.giving_back.value() == doctest::Approx(0.0049152));
  CHECK(sim::page_faults(Bytes(32.0 * 1024 * 1024), 1.0, Seconds(1e-6)).touching == Seconds(0.0));

  const std::string graph = "a:1Gflop,units=8,shape=8x1000,written=64MiB";
  Setting setting = threads(4);
  const double kept = milliseconds(graph, "4 cores 10Gflop/s; fault 1us", setting);
  setting.allocator = sim::Allocator::system;
  CHECK(milliseconds(graph, "4 cores 10Gflop/s; fault 1us", setting) - kept ==
        doctest::Approx(16.384 / 4.0 + 4.9152));
}

TEST_CASE("threads that sleep between operators have to be woken") {
  // Four threads, woken 10 us late: what they have not claimed is done by others, 3/4 of 10 us are lost; where each does
  // its own part all wait for the last: 10 us.
  sim::Runtime runtime = plain_runtime();
  Setting setting = threads(4);
  const std::string on = "4 cores 10Gflop/s; wake 10us";
  CHECK(milliseconds(kCompute, on, setting, runtime) == doctest::Approx(25.0075));
  runtime.static_parts = true;
  CHECK(milliseconds(kCompute, on, setting, runtime) == doctest::Approx(25.010));
  setting.spin = true;
  CHECK(milliseconds(kCompute, on, setting, runtime) == doctest::Approx(25.0));
  // A tiny operator is done by the caller before anybody is awake: 10 kflop take 1 us alone.
  setting.spin = false;
  CHECK(milliseconds("a:10kflop,units=8,shape=8x1000", on, setting, plain_runtime()) ==
        doctest::Approx(0.001));
}

TEST_CASE("a call of the model has a cost of its own, once") {
  sim::Runtime runtime = plain_runtime();
  runtime.run.value = Seconds(1e-3);
  CHECK(milliseconds(kCompute, "1 cores 10Gflop/s", threads(1), runtime) == doctest::Approx(101.0));
}

}  // namespace
}  // namespace corecast::test
