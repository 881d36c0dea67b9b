// Who gets how much of threads, CPUs and resources.
#include <doctest/doctest.h>

#include "tests/sim/simulate_support.hpp"

namespace corecast::test {
namespace {

using sim::PhaseKind;
using sim::Span;

TEST_CASE("two equal streams share a saturated resource equally") {
  // Each draws 100 kB in 10 us: 10 GB/s, all there is. Together each gets half: 20 us.
  const Simulated s("a, b", "slots 2; resource mem 10GB/s; *: 10us, draw mem 100kB");
  CHECK(s.end("a") == us(20));
  CHECK(s.end("b") == us(20));
  CHECK(s.run("a").limited_by == "mem");
}

TEST_CASE("a stream that saturates a resource alone is limited by its own bound") {
  const Simulated s("a", "resource mem 10GB/s; a: 10us, bound memory, draw mem 100kB");
  CHECK(s.end("a") == us(10));
  CHECK(s.run("a").limited_by == "memory");
}

TEST_CASE("unequal draws on a full resource slow down alike") {
  // 5 and 10 GB/s wanted of 10: both at 2/3. a ends at 10 / (2/3) = 15; b has done 10 of its 20 us, the rest
  // alone: 25.
  const Simulated s("a, b", "slots 2; resource mem 10GB/s; a: 10us, draw mem 50kB; b: 20us, draw mem 200kB");
  CHECK(s.end("a") == us(15));
  CHECK(s.end("b") == us(25));
  CHECK(s.run("b").limited_by == "mem");  // 15 us of its 25
}

TEST_CASE("who does not draw is not slowed down") {
  const Simulated s("a, b, c", "slots 3; resource mem 10GB/s; a b: 10us, draw mem 100kB; c: 10us");
  CHECK(s.end("c") == us(10));
  CHECK(s.run("c").limited_by == "compute");
  CHECK(s.end("a") == us(20));
}

TEST_CASE("what a stream limited elsewhere leaves goes to the others") {
  // Link 2 GB/s: a wants 10 of it, so u_a = 0.2 and it takes 2 GB/s of memory. b wants 10 of memory's 10: u_b
  // = 0.8.
  const Simulated s("a, b",
                    "slots 2; resource mem 10GB/s; resource link 2GB/s;"
                    "a: 10us, draw mem 100kB, draw link 100kB; b: 4us, draw mem 40kB");
  CHECK(s.end("b") == us(5));
  CHECK(s.end("a") == us(50));
  CHECK(s.run("a").limited_by == "link");
  CHECK(s.run("b").limited_by == "mem");
}

TEST_CASE("draws of phases that do not overlap do not meet") {
  // b's dispatch of 10 us covers a's parallel phase.
  const Simulated s(
      "a, b",
      "slots 2; resource mem 10GB/s; a: 10us, draw mem 100kB; b: dispatch 10us, 10us, draw mem 100kB");
  CHECK(s.end("a") == us(10));
  CHECK(s.end("b") == us(20));
}

TEST_CASE("two operators share the workers of the pool") {
  // Two callers and 3 workers for 2 x 4 threads: 2.5 each, speed 5/8: 10 us take 16.
  const Simulated s("a, b", "slots 2; workers 3; *: 10us x4");
  CHECK(s.end("a") == us(16));
  CHECK(s.end("b") == us(16));
  CHECK(s.run("a").limited_by == "threads of the pool");
}

TEST_CASE("workers that an operator gives back speed up the other") {
  // To 8 both run at 5/8 (5 us done), then a is done; b has 5 us left and all 4 threads.
  const Simulated s("a, b", "slots 2; workers 3; a: 5us x4; b: 10us x4");
  CHECK(s.end("a") == us(8));
  CHECK(s.end("b") == us(13));
}

TEST_CASE("a caller is nobody else's worker: one thread is enough for an operator of one") {
  // b wants 4, has its caller and the one worker: half speed.
  const Simulated s("a, b", "slots 2; workers 1; a: 10us; b: 10us x4");
  CHECK(s.end("a") == us(10));
  CHECK(s.end("b") == us(20));
}

TEST_CASE("dispatch and serial parts leave the workers to others") {
  // To 4 a is in its serial part and b has all 3 workers: 4 of its 9 us. From 4 both want 4: 5/8; b's last 5
  // us take 8. a has done 5 of 10 us at 12, the rest alone.
  const Simulated s("a, b", "slots 2; workers 3; a: serial 4us, 10us x4; b: 9us x4");
  CHECK(s.end("b") == us(12));
  CHECK(s.end("a") == us(17));
}

TEST_CASE("fork and join hold threads but go on with few") {
  // a forks for 2 us while b computes on 4: held 2.5 each. a's fork ends at 2, then both at 5/8.
  const Simulated s("a, b", "slots 2; workers 3; a: fork 2us, 10us x4; b: 10us x4");
  CHECK(s.run("a").spans.front() == Span{PhaseKind::fork_join, 0, us(2)});
  CHECK(s.end("b") == us(16));
  // a: 14 us at 5/8 = 8.75 of 10; 1.25 alone.
  CHECK(s.end("a") == us(17.25));
}

TEST_CASE("more runnable threads than CPUs share them in time") {
  // 4 threads on 2 CPUs: half speed.
  const Simulated s("a", "workers 3; cpus 2; a: 10us x4");
  CHECK(s.end("a") == us(20));
  CHECK(s.run("a").limited_by == "CPUs");
}

TEST_CASE("a quota counts in parts of a CPU") {
  // 1 thread on half a CPU.
  const Simulated s("a", "cpus 0.5; a: 10us");
  CHECK(s.end("a") == us(20));
}

TEST_CASE("idle threads that spin take CPU time from those that work") {
  SUBCASE("spinning: four runnable threads on two CPUs") {
    const Simulated s("a", "workers 3; cpus 2; spinning 3; a: serial 10us");
    CHECK(s.end("a") == us(20));
    CHECK(s.run("a").limited_by == "CPUs");
  }
  SUBCASE("sleeping: one") {
    const Simulated s("a", "workers 3; cpus 2; a: serial 10us");
    CHECK(s.end("a") == us(10));
  }
  SUBCASE("enough CPUs: no harm done") {
    const Simulated s("a", "workers 3; cpus 4; spinning 3; a: serial 10us");
    CHECK(s.end("a") == us(10));
  }
  SUBCASE("one spinner becomes a worker: 2 threads work, 2 spin") {
    const Simulated s("a", "workers 3; cpus 2; spinning 3; a: 10us x2");
    CHECK(s.end("a") == us(20));
  }
}

TEST_CASE("oversubscribed operators of several threads wait for time slices") {
  SUBCASE("in proportion to the excess") {
    // R = 4, 3 CPUs: a third of the slice is lost, then 9 us at 3/4 speed.
    const Simulated s("a", "workers 3; cpus 3; slice 3us; a: 9us x4");
    const std::vector<Span> expected{{PhaseKind::fork_join, 0, us(1)}, {PhaseKind::parallel, us(1), us(13)}};
    CHECK(s.run("a").spans == expected);
  }
  SUBCASE("one slice at the most") {
    // R = 4 on 1 CPU: 3 slices over, 1 counted; then a quarter of the speed.
    const Simulated s("a", "workers 3; cpus 1; slice 3us; a: 9us x4");
    CHECK(s.end("a") == us(3 + 36));
  }
  SUBCASE("after the fork, in one span with it") {
    // Fork 3 us at 3/4 speed, then 1 us lost.
    const Simulated s("a", "workers 3; cpus 3; slice 3us; a: fork 3us, 9us x4");
    CHECK(s.run("a").spans.front() == Span{PhaseKind::fork_join, 0, us(5)});
    CHECK(s.end("a") == us(17));
  }
  SUBCASE("not with one thread, and not with CPUs enough") {
    CHECK(Simulated("a", "workers 3; spinning 3; cpus 2; slice 3us; a: 9us").timeline.makespan == us(18));
    CHECK(Simulated("a", "workers 3; cpus 4; slice 3us; a: 9us x4").timeline.makespan == us(9));
  }
  SUBCASE("counting those that start at the same date") {
    // Both fork at 0: R = 4 on 2 CPUs for each of them, not 2 for the first: a whole slice is lost, then half
    // speed.
    const Simulated s("a, b", "slots 2; workers 2; cpus 2; slice 3us; *: 9us x2");
    CHECK(s.end("a") == us(21));
    CHECK(s.end("b") == us(21));
  }
}

TEST_CASE("threads, CPUs and memory limit together") {
  // 2 x 4 threads, 3 workers: 2.5 each, 5 runnable on 4 CPUs: u <= 5/8 x 4/5 = 1/2. Memory: each draws 200 kB
  // in 10 us, 20 GB/s at full speed, 10 at half: 20 in all, of 8: u = 1/5.
  const Simulated s("a, b", "slots 2; workers 3; cpus 4; resource mem 8GB/s; *: 10us x4, draw mem 200kB");
  CHECK(s.end("a") == us(50));
  CHECK(s.run("a").limited_by == "mem");
}

TEST_CASE("equal branches of a fork-join follow the closed form") {
  // m branches of d = 10 us that draw 30 kB each from 10 GB/s: the larger of d and m x 3 us.
  for (int m = 1; m <= 8; ++m) {
    std::string names = "b0";
    for (int i = 1; i < m; ++i) names += ", b" + std::to_string(i);
    const Simulated s("a -> " + names + " -> z",
                      "slots 8; resource mem 10GB/s; a: 1us; z: 1us; *: 10us, draw mem 30kB");
    CHECK(s.timeline.makespan == us(2.0 + std::max(10.0, 3.0 * m)));
  }
}

}  // namespace
}  // namespace corecast::test
