#include "sim/traffic.hpp"

#include <doctest/doctest.h>

#include "tests/support/machine_text.hpp"

using namespace corecast;
using namespace corecast::sim;

namespace {

CacheView caches(double private_bytes, double shared_bytes) {
  CacheView view;
  view.private_size = Bytes(private_bytes);
  view.private_bandwidth = BytesPerSecond(100.0);
  view.shared_size = Bytes(shared_bytes);
  view.shared_bandwidth = BytesPerSecond(50.0);
  return view;
}

graphs::Work weights(double bytes) {
  graphs::Work work;
  work.weights_read = Bytes(bytes);
  return work;
}

double sum(const Traffic& t) {
  return (t.from_private + t.from_peers + t.from_shared + t.from_memory).value();
}

}  // namespace

TEST_CASE("weights of a model that fits the private caches come from there") {
  CHECK(weight_traffic(weights(10.0), Bytes(100.0), caches(100.0, 1000.0), 1) ==
        Traffic{.from_private = Bytes(10.0)});
  // Two cores keep half of the weights each.
  CHECK(weight_traffic(weights(10.0), Bytes(200.0), caches(100.0, 1000.0), 2).from_private.value() == 10.0);
}

TEST_CASE("what a cache cannot hold comes from the next level in proportion") {
  // 400 bytes of weights: 100 private (1/4), 200 more in the shared cache (3/4 together), 1/4 from memory.
  const Traffic traffic = weight_traffic(weights(40.0), Bytes(400.0), caches(100.0, 200.0), 1);
  CHECK(traffic.from_private.value() == doctest::Approx(10.0));
  CHECK(traffic.from_shared.value() == doctest::Approx(20.0));
  CHECK(traffic.from_memory.value() == doctest::Approx(10.0));
  CHECK(sum(traffic) == doctest::Approx(40.0));
}

TEST_CASE("steps read their weights again from the cache that holds those weights alone") {
  // 400 bytes of weights in the model, 60 in the layer, 50 of them again in each of 10 further steps. Private cache of
  // 100: a first read finds a quarter of the layer there, half in the shared cache; the 500 bytes read again all fit.
  graphs::Work work = weights(60.0);
  work.weights_per_step = Bytes(50.0);
  work.steps = 11;
  const Traffic small = weight_traffic(work, Bytes(400.0), caches(100.0, 200.0), 1);
  CHECK(small.from_private.value() == doctest::Approx(15.0 + 500.0));
  CHECK(small.from_shared.value() == doctest::Approx(30.0));
  CHECK(small.from_memory.value() == doctest::Approx(15.0));
  // A private cache of 10 holds a fifth of the 50, the shared one of 15 three tenths, and the rest comes from memory at
  // every step: 500 x 0.2, 500 x 0.3, 500 x 0.5, besides the first 60 x (10, 15, 375) / 400.
  const Traffic large = weight_traffic(work, Bytes(400.0), caches(10.0, 15.0), 1);
  CHECK(large.from_private.value() == doctest::Approx(100.0 + 1.5));
  CHECK(large.from_shared.value() == doctest::Approx(150.0 + 2.25));
  CHECK(large.from_memory.value() == doctest::Approx(250.0 + 56.25));
}

// 30 bytes read, 20 written.
graphs::Work activations() {
  graphs::Work work;
  work.activations_read = Bytes(30.0);
  work.written = Bytes(20.0);
  work.working_set = Bytes(50.0);
  return work;
}

TEST_CASE("activations of one thread stay with it, of several half or more is with the others") {
  const CacheView view = caches(100.0, 1000.0);
  CHECK(activation_traffic(activations(), view, {.cores = 1, .reading = 1, .written_apart = 1.0}) ==
        Traffic{.from_private = Bytes(50.0)});
  // A core finds 1/T of them in its own caches.
  CHECK(activation_traffic(activations(), view, {.cores = 2, .reading = 2, .written_apart = 0.0}) ==
        Traffic{.from_private = Bytes(25.0), .from_peers = Bytes(25.0)});
  CHECK(activation_traffic(activations(), view, {.cores = 5, .reading = 3, .written_apart = 1.0}) ==
        Traffic{.from_private = Bytes(10.0), .from_peers = Bytes(40.0)});
}

TEST_CASE("one thread reads from its peers what they have written, and no more") {
  const CacheView view = caches(100.0, 1000.0);
  CHECK(activation_traffic(activations(), view, {.cores = 2, .reading = 1, .written_apart = 0.0}) ==
        Traffic{.from_private = Bytes(50.0)});
  // Half of the bytes by both cores, and of these half by the other one: 50 x 1/2 x 1/2.
  CHECK(activation_traffic(activations(), view, {.cores = 2, .reading = 1, .written_apart = 0.5}) ==
        Traffic{.from_private = Bytes(37.5), .from_peers = Bytes(12.5)});
}

TEST_CASE("outputs with buffers of their own come round once a call, and are fetched and written back") {
  // 30 bytes read stay private. 20 written count twice; of 400 bytes of outputs the private cache of 100 holds a quarter,
  // the shared one of 200 half.
  const Traffic traffic = activation_traffic(activations(), caches(100.0, 200.0), {}, Bytes(400.0));
  CHECK(traffic.from_private.value() == doctest::Approx(30.0 + 10.0));
  CHECK(traffic.from_shared.value() == doctest::Approx(20.0));
  CHECK(traffic.from_memory.value() == doctest::Approx(10.0));
}

TEST_CASE("every byte comes from one place") {
  for (const double private_size : {0.0, 5.0, 20.0, 100.0}) {
    for (const double shared_size : {0.0, 20.0, 1000.0}) {
      for (const int cores : {1, 2, 7}) {
        for (const double apart : {0.0, 0.3, 1.0}) {
          for (const int reading : {1, cores}) {
            const Traffic traffic =
                activation_traffic(activations(), caches(private_size, shared_size), {cores, reading, apart});
            CHECK(sum(traffic) == doctest::Approx(50.0));
            CHECK(traffic.from_peers >= Bytes{});
            CHECK(traffic.from_memory >= Bytes{});
          }
        }
      }
    }
  }
}

TEST_CASE("reading from peers takes what L1 holds at its rate and the rest at that of L2") {
  CacheView view = caches(100.0, 1000.0);
  view.first_size = Bytes(10.0);
  view.peer_first = BytesPerSecond(2.0);
  view.peer_rest = BytesPerSecond(5.0);
  const Team team{.cores = 2, .reading = 2, .written_apart = 1.0};
  const Traffic traffic = activation_traffic(activations(), view, team);
  // 25 bytes of peers, 12.5 a core. Each core has written 25, of which its L1 holds 10: 12.5 (0.4 / 2 + 0.6 / 5) = 4 s.
  CHECK(peer_time(traffic, activations(), view, team).value() == doctest::Approx(4.0));
  // Nobody said how fast: as the shared level, 12.5 / 25.
  view.peer_first = view.peer_rest = BytesPerSecond{};
  view.shared_bandwidth_per_core = BytesPerSecond(25.0);
  CHECK(peer_time(traffic, activations(), view, team).value() == doctest::Approx(0.5));
  CHECK(peer_time(Traffic{.from_private = Bytes(50.0)}, activations(), view, team) == Seconds{});
}

TEST_CASE("an instance has its share of a shared cache") {
  // 4 cores, one 8 MiB last-level cache: alone on 2 cores an instance has all of it; with a second instance half.
  const auto machine = test::machine("4 cores 10Gflop/s; l2 1MiB 50GB/s; l3 8MiB 20GB/s");
  Setting setting;
  const auto alone = cache_view(machine, place_threads(machine, setting, 2));
  CHECK(alone.shared_size.value() == 8.0 * 1024 * 1024);
  CHECK(alone.private_size.value() == 1024.0 * 1024);
  CHECK(alone.shared_bandwidth.value() == 40e9);
  setting.instances = 2;
  CHECK(cache_view(machine, place_threads(machine, setting, 2)).shared_size.value() == 4.0 * 1024 * 1024);
}
