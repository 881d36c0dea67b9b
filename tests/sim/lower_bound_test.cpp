#include <doctest/doctest.h>

#include "tests/sim/simulate_support.hpp"

namespace corecast::test {
namespace {

double bound_us(std::string_view dag_text, std::string_view plan_text) {
  const graphs::Graph graph = dag(dag_text);
  return sim::lower_bound(graph, plan_of(graph, plan_text)).value() * 1e6;
}

TEST_CASE("lower bound: the critical path with slots enough") {
  // a, c, d: 10 + 30 + 5; all phases count.
  CHECK(bound_us("a -> b,c -> d",
                 "slots 9; a: 10us; b: 20us; c: dispatch 10us, serial 5us, fork 5us, 10us; d: 5us") ==
        doctest::Approx(45));
}

TEST_CASE("lower bound: the sum over the slots") {
  CHECK(bound_us("a, b, c", "slots 2; *: 10us") == doctest::Approx(15));
}

TEST_CASE("lower bound: thread time over threads, or CPUs when fewer") {
  // 3 operators x 4 threads x 10 us = 120 thread-us on 3 + 3 threads.
  CHECK(bound_us("a, b, c", "slots 3; workers 3; *: 10us x4") == doctest::Approx(20));
  CHECK(bound_us("a, b, c", "slots 3; workers 3; cpus 4; *: 10us x4") == doctest::Approx(30));
}

TEST_CASE("lower bound: what is drawn over the capacity") {
  // 3 x 100 kB at 10 GB/s.
  CHECK(bound_us("a, b, c", "slots 3; resource mem 10GB/s; *: 10us, draw mem 100kB") == doctest::Approx(30));
}

TEST_CASE("lower bound of nothing is zero") {
  CHECK(bound_us("", "") == 0.0);
  CHECK(bound_us("a -> b", "slots 2") == 0.0);
}

}  // namespace
}  // namespace corecast::test
