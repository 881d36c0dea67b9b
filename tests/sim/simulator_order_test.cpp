// What runs when, without contention.
#include <doctest/doctest.h>

#include <string>

#include "tests/sim/simulate_support.hpp"

namespace corecast::test {
namespace {

using sim::PhaseKind;
using sim::Span;

TEST_CASE("a chain in one slot is the sum of its operators") {
  const Simulated s("a -> b -> c", "a: 10us; b: dispatch 1us, 20us; c: 5us");
  CHECK(s.end("a") == us(10));
  CHECK(s.start("b") == us(10));
  CHECK(s.end("b") == us(31));  // 10 + 1 + 20
  CHECK(s.end("c") == us(36));
  CHECK(s.timeline.makespan == us(36));
  CHECK(s.timeline.events == 4);  // four phases end
}

TEST_CASE("phases follow each other in the order dispatch, serial, fork and join, parallel") {
  const Simulated s("a", "workers 3; a: 4us x4, fork 3us, serial 2us, dispatch 1us");
  const std::vector<Span> expected{{PhaseKind::dispatch, us(0), us(1)},
                                   {PhaseKind::serial, us(1), us(3)},
                                   {PhaseKind::fork_join, us(3), us(6)},
                                   {PhaseKind::parallel, us(6), us(10)}};
  CHECK(s.run("a").spans == expected);
  CHECK(s.run("a").threads == 4);
}

TEST_CASE("a fork-join in fixed order takes the sum of its operators") {
  const Simulated s("a -> b,c -> d", "a: 10us; b: 20us; c: 30us; d: 5us");
  CHECK(s.timeline.makespan == us(65));
}

TEST_CASE("the fixed order is the plan's, not the graph's") {
  const graphs::Graph graph = dag("a -> b,c -> d");
  sim::Plan plan = plan_of(graph, "*: 10us");
  plan.order = {OpIndex(0), OpIndex(2), OpIndex(1), OpIndex(3)};
  const sim::Timeline timeline = sim::simulate(graph, plan);
  CHECK(timeline.runs[1].op == OpIndex(2));
  CHECK(timeline.runs[2].op == OpIndex(1));
}

TEST_CASE("one slot without fixed order queues what becomes ready") {
  // a makes b and c ready: the slot goes on with b, c waits in the queue; nothing is ready after b, so c.
  const Simulated s("a -> b,c -> d", "slots 1; a: 10us; b: 20us; c: 30us; d: 5us");
  CHECK(s.start("b") == us(10));
  CHECK(s.start("c") == us(30));
  CHECK(s.start("d") == us(60));
  CHECK(s.timeline.makespan == us(65));
}

TEST_CASE("two slots run the branches of a fork-join side by side") {
  // Slot 0 goes on with b, slot 1 takes c from the queue; c ends last, so its slot goes on with d.
  const Simulated s("a -> b,c -> d", "slots 2; a: 10us; b: 20us; c: 30us; d: 5us");
  CHECK(s.slot("b") == 0);
  CHECK(s.slot("c") == 1);
  CHECK(s.start("c") == us(10));
  CHECK(s.slot("d") == 1);
  CHECK(s.start("d") == us(40));
  CHECK(s.run("d").ready == us(40));
  CHECK(s.timeline.makespan == us(45));
}

TEST_CASE("a successor on another slot pays the hand-over, one on the same slot does not") {
  const Simulated s("a -> b,c -> d", "slots 2; hand-over 2us; a: 10us; b: 20us; c: 30us; d: 5us");
  CHECK(s.start("a") == 0);  // nobody handed it over
  CHECK(s.start("b") == us(10));
  CHECK(s.run("c").ready == us(10));
  CHECK(s.start("c") == us(12));
  CHECK(s.start("d") == us(42));
  CHECK(s.timeline.makespan == us(47));
  CHECK(s.timeline.events == 5);  // four phases and one hand-over end
}

TEST_CASE("the hand-over passes while an operator waits in the queue") {
  // At 10: slot 0 goes on with b, slot 1 takes c, starting at 12; d waits. At 11 b ends: slot 0 takes d,
  // which may start at 12. c ends at 42. e was ready at 10 too, but slot 0 gets to it at 32 only: no more
  // hand-over then.
  const Simulated s("a -> b,c,d,e", "slots 2; hand-over 2us; a: 10us; b: 1us; c: 30us; d: 20us; e: 3us");
  CHECK(s.start("d") == us(12));
  CHECK(s.slot("d") == 0);
  CHECK(s.start("e") == us(32));
  CHECK(s.slot("e") == 0);
  CHECK(s.timeline.makespan == us(42));
}

TEST_CASE("operators without predecessors are taken in operator order by the lowest slots") {
  const Simulated s("a, b, c, d", "slots 2; a: 10us; b: 5us; c: 3us; d: 4us");
  CHECK(s.slot("a") == 0);
  CHECK(s.slot("b") == 1);
  CHECK(s.start("c") == us(5));  // slot 1 is free first
  CHECK(s.start("d") == us(8));
  CHECK(s.timeline.makespan == us(12));
}

TEST_CASE("the queue is first in, first out across completions") {
  // x (index 3) is ready at 5, before y (index 2) at 10; both slots are busy until 20.
  const Simulated s("a, b, y, x; r1 -> x, k1; r2 -> y, k2",
                    "slots 2; r1: 5us; r2: 10us; k1: 15us; k2: 10us; a b: 0us; x y: 1us");
  // Queue at 0: a, b, r1, r2: a and b have no length. At 5 slot 0 goes on with x's index 3 before k1.
  CHECK(s.start("x") == us(5));
  CHECK(s.start("k1") == us(6));
  CHECK(s.start("y") == us(10));
  CHECK(s.timeline.makespan == us(21));
}

TEST_CASE("simultaneous completions are taken by slot, successors in operator order") {
  SUBCASE("each slot goes on with its own successor") {
    const Simulated s("a -> d; b -> c", "slots 2; *: 10us");
    CHECK(s.slot("d") == 0);
    CHECK(s.slot("c") == 1);
    CHECK(s.timeline.runs[2].op == *s.graph.find("d"));  // same date: by slot
    CHECK(s.timeline.makespan == us(20));
  }
  SUBCASE("a common successor runs where the last of the simultaneous completions is taken") {
    const Simulated s("a,b -> c", "slots 2; *: 10us");
    CHECK(s.slot("c") == 1);
  }
  SUBCASE("what the first slot leaves is queued before what the second leaves") {
    // At 10 slot 0 keeps c and queues d, slot 1 keeps e and queues f. At 20 slot 0 takes d, slot 1 takes f.
    const Simulated s("a -> c,d; b -> e,f", "slots 2; *: 10us");
    CHECK(s.slot("d") == 0);
    CHECK(s.slot("f") == 1);
    CHECK(s.timeline.makespan == us(30));
  }
}

TEST_CASE("operators without work take no time and no event") {
  const Simulated s("a -> z1 -> z2 -> b", "slots 1; a b: 10us");
  CHECK(s.start("z2") == us(10));
  CHECK(s.end("z2") == us(10));
  CHECK(s.run("z2").spans.empty());
  CHECK(s.start("b") == us(10));
  CHECK(s.timeline.makespan == us(20));
  CHECK(s.timeline.events == 2);
}

TEST_CASE("an operator without work still waits for its hand-over") {
  const Simulated s("a -> b,z", "slots 2; hand-over 2us; a b: 10us");
  CHECK(s.start("z") == us(12));
  CHECK(s.end("z") == us(12));
}

TEST_CASE("thousands of simultaneous operators without work come to an end") {
  std::string text = "a0";
  for (int i = 1; i < 3000; ++i) text += " -> a" + std::to_string(i);
  for (int i = 0; i < 3000; ++i) text += "; b" + std::to_string(i);
  for (const char* executor : {"", "slots 3"}) {
    const Simulated s(text, executor);
    CHECK(s.timeline.runs.size() == 6000);
    CHECK(s.timeline.makespan == 0);
    CHECK(s.timeline.share.idle == 1.0);
  }
}

TEST_CASE("an empty graph has an empty timeline, all idle") {
  for (const char* executor : {"", "slots 2; workers 3"}) {
    const Simulated s("", executor);
    CHECK(s.timeline.runs.empty());
    CHECK(s.timeline.makespan == 0);
    CHECK(s.timeline.events == 0);
    CHECK(s.timeline.share.idle == 1.0);
    CHECK(s.timeline.share.compute == 0.0);
  }
}

TEST_CASE("a phase of positive length takes at least one picosecond") {
  graphs::Graph graph = dag("a -> b");
  sim::Plan plan = plan_of(graph, "");
  plan.operators[0].dispatch = Seconds(1e-30);
  plan.operators[0].parallel = Seconds(1e-300);
  plan.operators[1].parallel = Seconds(2.5e-12);  // not a whole number: up
  const sim::Timeline timeline = sim::simulate(graph, plan);
  CHECK(timeline.runs[0].end == 2);
  CHECK(timeline.runs[1].end == 5);
}

TEST_CASE("a simulation beyond all use is an input error") {
  graphs::Graph graph = dag("a -> b");
  sim::Plan plan = plan_of(graph, "a: 1us; b: 1us");
  plan.operators[1].parallel = Seconds(1e300);
  CHECK_THROWS_AS(std::ignore = sim::simulate(graph, plan), InputError);
  plan.operators[1].parallel = Seconds(1e-6);
  plan.resources.push_back({"wire", 1e-300});
  plan.operators[1].draws.push_back({ResourceIndex(0), 1e6});
  CHECK_THROWS_AS(std::ignore = sim::simulate(graph, plan), InputError);
}

}  // namespace
}  // namespace corecast::test
