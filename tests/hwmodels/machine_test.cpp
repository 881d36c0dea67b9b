#include "hwmodels/machine.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "base/error.hpp"
#include "tests/support/machine_text.hpp"

namespace corecast::hwmodels {
namespace {

std::string refusal(const Machine& machine) {
  try {
    check(machine, "m.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("machine text gives the machine it says") {
  const Machine m = test::machine(
      "2 cores 10Gflop/s; mem 20GB/s; core 12 GB/s; smt 2; sockets 3; link 10GB/s; l3 1MiB 50GB/s shared 2");
  CHECK(m.cores_per_socket() == 2);
  CHECK(m.cores() == 6);
  CHECK(m.logical_cpus() == 12);
  CHECK(m.memory.bandwidth.value == BytesPerSecond(20e9));
  CHECK(m.memory.core_bandwidth.value == BytesPerSecond(12e9));
  CHECK(m.link->bandwidth.value == BytesPerSecond(10e9));
  CHECK(m.caches.at(0).size.value == Bytes(1048576.0));
  const CoreGroup& group = m.groups[0];
  CHECK(clock_at(group, Extension::avx512, 2) * peak_for(group, DataType::fp32).flop_per_cycle ==
        Hertz(10e9));
}

TEST_CASE("machine text refuses what it does not understand") {
  CHECK_THROWS_WITH_AS((void)test::machine("mem 20GB/s"),
                       "machine text: wants a clause such as \"2 cores 10Gflop/s\"", InputError);
  CHECK_THROWS_AS((void)test::machine("2 cores 10Gflop/s; speed 3"), InputError);
  CHECK_THROWS_AS((void)test::machine("2 cores 10Gflop/s; smt 2 3"), InputError);
  CHECK_THROWS_AS((void)test::machine("2 cores 10Gflop/s; mem 20GHz"), InputError);
}

TEST_CASE("names of origins and extensions read back") {
  for (const auto name : kExtensionNames) CHECK(name_of(*extension_named(name)) == name);
  for (const auto name : {"measured", "fitted", "datasheet", "detected", "prior"})
    CHECK(name_of(*origin_named(name)) == name);
  CHECK_FALSE(extension_named("avx1024"));
  CHECK_FALSE(origin_named("guess"));
}

// One core 3 GHz, four cores 2 GHz, eight cores 1.6 GHz.
CoreGroup stepped() {
  CoreGroup group;
  group.cores_per_socket = 8;
  const auto point = [](Extension e, int n, double ghz) {
    return ClockPoint{e, n, {Hertz(ghz * 1e9), 0.0, Origin::measured, ""}};
  };
  group.clock = {point(Extension::avx2, 8, 1.6), point(Extension::avx2, 1, 3.0),
                 point(Extension::avx2, 4, 2.0)};
  return group;
}

TEST_CASE("the clock is linear between its points and constant beyond them") {
  const CoreGroup group = stepped();
  CHECK(clock_at(group, Extension::avx2, 0.0).value() == 3e9);
  CHECK(clock_at(group, Extension::avx2, 1.0).value() == 3e9);
  CHECK(clock_at(group, Extension::avx2, 2.5).value() ==
        doctest::Approx(2.5e9));  // half way from 1 to 4 cores
  CHECK(clock_at(group, Extension::avx2, 4.0).value() == 2e9);
  CHECK(clock_at(group, Extension::avx2, 5.0).value() ==
        doctest::Approx(1.9e9));  // a quarter of the way down to 1.6
  CHECK(clock_at(group, Extension::avx2, 64.0).value() == 1.6e9);
}

TEST_CASE("an extension without clock points takes those of the next narrower one") {
  CoreGroup group = stepped();
  group.clock.push_back({Extension::avx512, 1, {Hertz(1e9), 0.0, Origin::measured, ""}});
  CHECK(clock_at(group, Extension::vnni, 1.0).value() == 1e9);
  CHECK(clock_at(group, Extension::amx, 1.0).value() == 1e9);
  CHECK(clock_at(group, Extension::avx2, 1.0).value() == 3e9);
  CHECK(clock_at(group, Extension::scalar, 1.0).value() == 3e9);  // nothing narrower: the narrowest there is
}

TEST_CASE("the best peak counts the clock that its extension leaves") {
  CoreGroup group;
  group.cores_per_socket = 2;
  const auto clock = [](Extension e, double ghz) {
    return ClockPoint{e, 1, {Hertz(ghz * 1e9), 0.0, Origin::measured, ""}};
  };
  group.clock = {clock(Extension::avx2, 3.0), clock(Extension::avx512, 2.0)};
  group.peaks = {{DataType::fp32, Extension::avx2, {32.0, 0.0, Origin::datasheet, ""}},
                 {DataType::fp32, Extension::avx512, {32.0, 0.0, Origin::datasheet, ""}}};
  // One 512-bit unit: 32 flop per cycle either way, so the extension with the higher clock.
  CHECK(peak_for(group, DataType::fp32).extension == Extension::avx2);
  group.peaks[1].flop_per_cycle.value = 64.0;  // two units: 64 x 2.0 > 32 x 3.0
  CHECK(peak_for(group, DataType::fp32).extension == Extension::avx512);
  group.peaks[1].flop_per_cycle.value = 48.0;  // 48 x 2.0 = 32 x 3.0: of equals the wider
  CHECK(peak_for(group, DataType::fp32).extension == Extension::avx512);
}

TEST_CASE("a type without a peak runs as fp32, double-width types at half of it") {
  CoreGroup group = stepped();
  group.peaks = {{DataType::fp32, Extension::avx2, {32.0, 0.0, Origin::datasheet, ""}},
                 {DataType::int8, Extension::avx2, {43.0, 0.0, Origin::datasheet, ""}}};
  CHECK(peak_for(group, DataType::int8).flop_per_cycle == 43.0);
  CHECK(peak_for(group, DataType::bf16).flop_per_cycle == 32.0);
  CHECK(peak_for(group, DataType::int32).flop_per_cycle == 32.0);
  CHECK(peak_for(group, DataType::fp64).flop_per_cycle == 16.0);
}

TEST_CASE("CPUs are numbered core by core, second hardware threads last") {
  const Machine m = test::machine("3 cores 1Gflop/s; smt 2; sockets 2; domains 2");
  const std::vector<Cpu> cpus = cpus_of(m);
  REQUIRE(cpus.size() == 12);
  for (int i = 0; i < 6; ++i) {
    CHECK(cpus[static_cast<std::size_t>(i)].core == i);
    CHECK(cpus[static_cast<std::size_t>(i)].way == 0);
    CHECK(cpus[static_cast<std::size_t>(i + 6)].core == i);
    CHECK(cpus[static_cast<std::size_t>(i + 6)].way == 1);
  }
  // Three cores over two domains: two and one. Domains of socket 1 are 2 and 3.
  CHECK(cpus[1].domain == 0);
  CHECK(cpus[2].domain == 1);
  CHECK(cpus[3].domain == 2);
  CHECK(cpus[3].socket == 1);
  CHECK(cpus[5].domain == 3);
}

TEST_CASE("CPUs of a hybrid machine stand group by group, and only fast cores have second threads") {
  Machine m = test::machine("2 cores 10Gflop/s; smt 2");
  m.groups[0].name = "performance";
  m.groups.push_back(m.groups[0]);
  m.groups[1].name = "efficient";
  m.groups[1].smt = 1;
  m.groups[1].cores_per_socket = 3;
  check(m, "");
  CHECK(m.cores_per_socket() == 5);
  CHECK(m.logical_cpus() == 7);
  CHECK(m.max_smt() == 2);
  const std::vector<Cpu> cpus = cpus_of(m);
  REQUIRE(cpus.size() == 7);
  CHECK(cpus[1].group == 0);
  CHECK(cpus[2].group == 1);
  CHECK(cpus[4].core == 4);
  CHECK(cpus[5] == Cpu{.socket = 0, .domain = 0, .group = 0, .core = 0, .way = 1});
  CHECK(cpus[6] == Cpu{.socket = 0, .domain = 0, .group = 0, .core = 1, .way = 1});
}

TEST_CASE("a refused machine is told by field, value and relation") {
  const Machine good =
      test::machine("4 cores 10Gflop/s; mem 20GB/s; smt 2; l1 32KiB 100GB/s; l2 1MiB 50GB/s");
  CHECK(refusal(good) == "accepted");
  const auto after = [&](auto change) {
    Machine m = good;
    change(m);
    return refusal(m);
  };
  CHECK(after([](Machine& m) { m.name.clear(); }) == "m.json: name: is empty, must be a name");
  CHECK(after([](Machine& m) { m.sockets = 0; }) ==
        "m.json: topology.sockets: is 0, must be a whole number from 1 to 1048576");
  CHECK(after([](Machine& m) { m.sockets = 2; }) == "m.json: link: is missing, must be given for 2 sockets");
  CHECK(after([](Machine& m) { m.groups[0].cores_per_socket = -3; }) ==
        "m.json: topology.cores_per_socket: is -3, must be a whole number from 1 to 1048576");
  CHECK(after([](Machine& m) { m.groups[0].smt = 9; }) ==
        "m.json: topology.smt: is 9, must be a whole number from 1 to 8");
  CHECK(after([](Machine& m) { m.groups[0].cores_per_socket = 1048576; }) ==
        "m.json: topology: is of 2097152 logical CPUs, must be of 1048576 at most");
  CHECK(after([](Machine& m) { m.domains_per_socket = 5; }) ==
        "m.json: topology.domains_per_socket: is 5, must be at most the 4 cores of a socket (a domain "
        "without cores cannot be used)");
  CHECK(after([](Machine& m) { m.groups.clear(); }) ==
        "m.json: groups: is empty, must be one group of cores or more");
  CHECK(after([](Machine& m) { m.groups[0].clock.clear(); }) ==
        "m.json: clock: is empty, must be one clock point or more");
  CHECK(after([](Machine& m) { m.groups[0].clock.push_back(m.groups[0].clock[0]); }) ==
        "m.json: clock[1]: is a second point for scalar at 1 active cores, must be the only one");
  CHECK(after([](Machine& m) { m.groups[0].peaks[0].type = DataType::int8; }) ==
        "m.json: peak: is without an fp32 entry, must be given for fp32 at least");
  CHECK(after([](Machine& m) { m.groups[0].smt_gain_compute.value = 2.5; }) ==
        "m.json: smt_gain.compute: is 2.5, must be from 0.5 to 2, the hardware threads of a core");
  CHECK(after([](Machine& m) {
          m.groups[0].smt = 1;
          m.groups[0].smt_gain_memory.value = 1.1;
        }) == "m.json: smt_gain.memory: is 1.1, must be from 1 to 1, the hardware threads of a core");
  CHECK(after([](Machine& m) { m.memory.bandwidth.value = BytesPerSecond(0.0); }) ==
        "m.json: memory.bandwidth: is 0 B/s, must be greater than zero");
  CHECK(after([](Machine& m) { m.memory.latency.value = Seconds(-1e-9); }) ==
        "m.json: memory.latency: is -1 ns, must be zero or more");
  CHECK(after([](Machine& m) {
          m.memory.core_bandwidth.value = BytesPerSecond(std::numeric_limits<double>::quiet_NaN());
        }) == "m.json: memory.core_bandwidth: is nan, must be a finite number");
  CHECK(after([](Machine& m) { m.caches[1].size.value = Bytes(std::numeric_limits<double>::infinity()); }) ==
        "m.json: caches.l2.size: is inf, must be a finite number");
  CHECK(after([](Machine& m) { m.caches[1].level = 1; }) ==
        "m.json: caches.l1: is listed after l1, must be listed before it: levels ascend");
  CHECK(after([](Machine& m) { m.memory.bandwidth.relative_error = -0.1; }) ==
        "m.json: memory.bandwidth: is given with a relative error of -0.1, must be given with one from 0 to "
        "10");
  CHECK(after([](Machine& m) { m.threads.time_slice.value = Seconds(0.0); }) ==
        "m.json: threads.time_slice: is 0 s, must be greater than zero");
}

TEST_CASE("a first-level cache may be larger than the second, as on some parts") {
  CHECK(refusal(test::machine("1 cores 1Gflop/s; l1 1MiB 100GB/s; l2 64KiB 50GB/s")) == "accepted");
}

}  // namespace
}  // namespace corecast::hwmodels
