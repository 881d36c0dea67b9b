#include "sim/placement.hpp"

#include <doctest/doctest.h>

#include "tests/support/machine_text.hpp"

using namespace corecast;
using namespace corecast::sim;

namespace {

Setting with(int instances, bool smt, Placement placement) {
  Setting setting;
  setting.instances = instances;
  setting.smt = smt;
  setting.placement = placement;
  return setting;
}

const hwmodels::Machine& two_sockets() {
  static const auto machine = test::machine("4 cores 10Gflop/s; sockets 2; smt 2; gain 1.2 1.5; link 10GB/s");
  return machine;
}

}  // namespace

TEST_CASE("compact threads fill one socket, scattered ones take turns") {
  const auto compact = place_threads(two_sockets(), with(1, false, Placement::compact), 4);
  REQUIRE(compact.sockets.size() == 1);
  CHECK(compact.sockets[0].cores == 4);
  const auto scatter = place_threads(two_sockets(), with(1, false, Placement::scatter), 4);
  REQUIRE(scatter.sockets.size() == 2);
  CHECK(scatter.sockets[0].cores == 2);
  CHECK(scatter.sockets[1].threads == 2);
}

TEST_CASE("siblings are packed when asked, else used only when cores run out") {
  const auto packed = place_threads(two_sockets(), with(1, true, Placement::compact), 4);
  CHECK(packed.sockets[0].cores == 2);
  CHECK(packed.slowest_speed == doctest::Approx(0.6));               // gain 1.2 over two threads
  CHECK(packed.sockets[0].streaming_cores == doctest::Approx(3.0));  // 2 cores x 1.5

  // 9 threads on 8 cores: one core holds two, and that thread decides.
  const auto nine = place_threads(two_sockets(), with(1, false, Placement::compact), 9);
  CHECK(nine.on_cpus == 9);
  CHECK(nine.sockets.size() == 2);
  CHECK(nine.slowest_speed == doctest::Approx(0.6));
  const auto eight = place_threads(two_sockets(), with(1, false, Placement::compact), 8);
  CHECK(eight.slowest_speed == doctest::Approx(1.0));
}

TEST_CASE("instances share a socket's memory and keep its clock down") {
  const auto one_of_two = place_threads(two_sockets(), with(2, false, Placement::compact), 2);
  REQUIRE(one_of_two.sockets.size() == 1);
  CHECK(one_of_two.sockets[0].instances == 2);
  CHECK(one_of_two.sockets[0].cores == 2);
  CHECK(one_of_two.sockets[0].active_cores == 4);
  CHECK(one_of_two.sockets[0].all_streaming_cores == doctest::Approx(4.0));
}

TEST_CASE("threads beyond the CPUs are counted but find no CPU of their own") {
  const auto machine = test::machine("2 cores 10Gflop/s");
  const auto placement = place_threads(machine, with(1, false, Placement::compact), 5);
  CHECK(placement.threads == 5);
  CHECK(placement.on_cpus == 2);
  CHECK(placement.sockets[0].threads == 5);
}
