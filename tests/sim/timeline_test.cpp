#include "sim/timeline.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "tests/sim/simulate_support.hpp"
#include "tests/support/aborts.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/timeline_text.hpp"

namespace corecast::test {
namespace {

using sim::PhaseKind;
using sim::Timeline;

TEST_CASE("picoseconds are rounded to nearest and refuse what is no date") {
  CHECK(sim::to_picoseconds(Seconds(1.4e-12)) == 1);
  CHECK(sim::to_picoseconds(Seconds(1.6e-12)) == 2);
  CHECK(sim::to_picoseconds(Seconds(10e-6)) == 10'000'000);
  CHECK(sim::to_seconds(2'500'000'000'000).value() == 2.5);
  CHECK(aborts([] { std::ignore = sim::to_picoseconds(Seconds(-1.0)); }));
  CHECK(aborts([] { std::ignore = sim::to_picoseconds(Seconds(1e7)); }));
  CHECK(aborts([] { std::ignore = sim::to_picoseconds(Seconds(std::nan(""))); }));
}

TEST_CASE("shares of thread time: every phase has its account") {
  // 4 threads, 8 us: 32 thread-us.
  //   dispatch 1 us: caller overhead 1, three idle 3
  //   serial 2 us: caller compute 2, three workers wait 6
  //   fork and join 1 us: overhead 4
  //   parallel 4 us x 4 = 16: half compute 8, a quarter memory 4, a quarter imbalance = wait 4
  const Simulated s(
      "a",
      "workers 3; a: dispatch 1us, serial 2us, fork 1us, 4us x4, compute 2us, memory 1us, imbalance 1us");
  const sim::TimeShare& share = s.timeline.share;
  CHECK(share.compute == doctest::Approx(10.0 / 32.0));
  CHECK(share.memory == doctest::Approx(4.0 / 32.0));
  CHECK(share.overhead == doctest::Approx(5.0 / 32.0));
  CHECK(share.wait == doctest::Approx(10.0 / 32.0));
  CHECK(share.idle == doctest::Approx(3.0 / 32.0));
}

TEST_CASE("shares of thread time: contention is waiting") {
  // Two threads for 20 us, 10 us of work each.
  const Simulated s("a, b", "slots 2; resource mem 10GB/s; *: 10us, memory 10us, draw mem 100kB");
  CHECK(s.timeline.share.memory == doctest::Approx(0.5));
  CHECK(s.timeline.share.wait == doctest::Approx(0.5));
}

TEST_CASE("shares of thread time: sharing the pool's workers is no waiting") {
  // 5 threads for 16 us = 80 thread-us = 2 operators x 4 threads x 10 us.
  const Simulated s("a, b", "slots 2; workers 3; *: 10us x4");
  CHECK(s.timeline.share.compute == doctest::Approx(1.0));
}

TEST_CASE("shares of thread time: workers that a second operator uses do not wait for a serial part") {
  // a serial for 10 us would use 3 workers; b uses 2 of the 3: one waits. 5 threads x 10 us: a 10, b 30,
  // wait 10.
  const Simulated s("a, b", "slots 2; workers 3; a: serial 10us, 0us x4; b: 10us x3");
  CHECK(s.timeline.share.compute == doctest::Approx(40.0 / 50.0));
  CHECK(s.timeline.share.wait == doctest::Approx(10.0 / 50.0));
  CHECK(s.timeline.share.idle == doctest::Approx(0.0));
}

TEST_CASE("a timeline that contradicts its plan is found out") {
  const Simulated s("a -> b,c -> d",
                    "slots 2; workers 1; hand-over 2us; resource mem 10GB/s;"
                    "*: dispatch 1us, 10us x2, draw mem 60kB");
  const auto found_out = [&](const std::function<void(Timeline&)>& spoil) {
    Timeline timeline = s.timeline;
    spoil(timeline);
    return aborts([&] { sim::check(timeline, s.graph, s.plan); });
  };
  const auto shift = [](sim::Run& run, sim::Picoseconds by) {
    run.start += by;
    run.end += by;
    for (sim::Span& span : run.spans) {
      span.start += by;
      span.end += by;
    }
  };
  CHECK_FALSE(found_out([](Timeline&) {}));
  CHECK(found_out([](Timeline& t) { t.runs.pop_back(); }));                // one missing
  CHECK(found_out([](Timeline& t) { t.runs[3] = t.runs[2]; }));            // one twice
  CHECK(found_out([](Timeline& t) { std::swap(t.runs[0], t.runs[1]); }));  // not by start
  CHECK(found_out([](Timeline& t) { t.runs[1].threads = 3; }));            // other threads
  CHECK(found_out([](Timeline& t) { t.runs[1].slot = 2; }));               // no such slot
  CHECK(found_out([](Timeline& t) { t.runs[2].slot = t.runs[1].slot; }));  // two at once in a slot
  CHECK(found_out([](Timeline& t) { t.runs[1].spans.pop_back(); }));       // a phase missing
  CHECK(found_out([](Timeline& t) { --t.runs[1].spans[0].end; }));         // a gap
  CHECK(found_out([](Timeline& t) { ++t.makespan; }));                     // not the last end
  CHECK(found_out([](Timeline& t) { t.share.idle += 1e-6; }));             // shares above 1
  CHECK(found_out([](Timeline& t) { t.runs[3].ready -= 1; }));             // ready too early
  CHECK(found_out([&](Timeline& t) {
    shift(t.runs[3], -us(1));
    t.makespan -= us(1);
  }));                                                               // before a predecessor
  CHECK(found_out([&](Timeline& t) { shift(t.runs[2], -us(1)); }));  // without hand-over
}

TEST_CASE("a timeline faster than its threads or resources allow is found out") {
  const auto all_at_once = [](const Simulated& s) {
    Timeline timeline = s.timeline;  // each operator as if alone
    for (sim::Run& run : timeline.runs) {
      run.end = run.spans.back().end = us(10);
    }
    timeline.makespan = us(10);
    return aborts([&] { sim::check(timeline, s.graph, s.plan); });
  };
  CHECK(all_at_once(Simulated("a, b", "slots 2; workers 3; *: 10us x4")));
  CHECK(all_at_once(Simulated("a, b", "slots 2; cpus 1; *: 10us")));
  CHECK(all_at_once(Simulated("a, b", "slots 2; resource mem 10GB/s; *: 10us, draw mem 100kB")));
}

TEST_CASE("excess in one part of a timeline is found out even when the whole has room") {
  // After a and b comes a long c of one thread: 8 x 10 thread-us would fit 5 threads x 110 us, but not while
  // a and b run.
  for (const char* plan : {"slots 2; workers 3; c: 100us; *: 10us x4",
                           "slots 2; resource mem 10GB/s; c: 100us; *: 10us, draw mem 100kB"}) {
    const Simulated s("a,b -> c", plan);
    Timeline timeline = s.timeline;
    const sim::Picoseconds gained = timeline.runs[0].end - us(10);
    REQUIRE(gained > 0);
    for (std::size_t i : {0U, 1U}) timeline.runs[i].end = timeline.runs[i].spans.back().end = us(10);
    sim::Run& c = timeline.runs[2];
    c.ready -= gained;
    c.start -= gained;
    c.end -= gained;
    c.spans[0].start -= gained;
    c.spans[0].end -= gained;
    timeline.makespan -= gained;
    CHECK(aborts([&] { sim::check(timeline, s.graph, s.plan); }));
  }
}

TEST_CASE("a plan that makes no sense is found out before it runs") {
  const graphs::Graph graph = dag("a -> b");
  const sim::Plan good = plan_of(graph, "resource mem 1GB/s; *: 1us x2, draw mem 1kB");
  const auto found_out = [&](const std::function<void(sim::Plan&)>& spoil) {
    sim::Plan plan = good;
    spoil(plan);
    return aborts([&] { std::ignore = sim::simulate(graph, plan); });
  };
  CHECK_FALSE(found_out([](sim::Plan&) {}));
  CHECK(found_out([](sim::Plan& p) { p.operators.pop_back(); }));
  CHECK(found_out([](sim::Plan& p) { p.operators[0].threads = 0; }));
  CHECK(found_out([](sim::Plan& p) { p.operators[0].serial = Seconds(std::nan("")); }));
  CHECK(found_out([](sim::Plan& p) { p.operators[0].draws[0].amount = -1.0; }));
  CHECK(found_out([](sim::Plan& p) { p.operators[0].draws[0].resource = ResourceIndex(1); }));
  CHECK(found_out([](sim::Plan& p) { p.resources[0].capacity = 0.0; }));
  CHECK(found_out([](sim::Plan& p) { p.cpus = 0.0; }));
  CHECK(found_out([](sim::Plan& p) { p.executor.slots = 0; }));
  CHECK(found_out([](sim::Plan& p) { std::swap(p.order[0], p.order[1]); }));
  CHECK(found_out([](sim::Plan& p) { p.order[1] = p.order[0]; }));
}

TEST_CASE("golden: an inception-like block in two slots") {
  const Simulated s(
      "in -> a1,b1,c1; b1 -> b2; a1,b2,c1 -> cat",
      "slots 2; workers 2; cpus 3.5; spinning 2; slice 1us; hand-over 2us; resource mem 20GB/s;"
      "in: dispatch 1us, 4us x2, draw mem 100kB; a1 b2: dispatch 1us, fork 1us, 12us x3, draw mem 60kB;"
      "b1: dispatch 1us, 3us; c1: dispatch 1us, serial 2us, 9us x2, memory 9us, bound memory, draw mem 150kB;"
      "cat: dispatch 1us, 5us, memory 5us, bound memory, draw mem 80kB");
  CHECK(golden_difference("sim_inception_block/timeline.txt", text_of(s.timeline, s.graph)) == "");
}

TEST_CASE("golden: a sequential chain on an oversubscribed pool") {
  const Simulated s("conv -> norm -> relu -> pool",
                    "workers 3; cpus 3; spinning 3; slice 3us; conv: dispatch 1us, fork 3us, 30us x4, "
                    "compute 24us, imbalance 6us;"
                    "norm: dispatch 1us, 6us; pool: dispatch 1us, 3us x2, memory 3us, bound memory");
  CHECK(golden_difference("sim_oversubscribed_chain/timeline.txt", text_of(s.timeline, s.graph)) == "");
}

}  // namespace
}  // namespace corecast::test
