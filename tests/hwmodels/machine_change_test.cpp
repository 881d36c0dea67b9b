#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <initializer_list>
#include <string>

#include "base/error.hpp"
#include "hwmodels/machine_json.hpp"
#include "tests/support/machine_text.hpp"

namespace corecast::hwmodels {
namespace {

Machine base() {
  return test::machine(
      "4 cores 10Gflop/s; mem 20GB/s; core 12GB/s; smt 2; gain 1.25 1.5; l2 1MiB 50GB/s; l3 8MiB 40GB/s; "
      "latency 80ns; wake 5us; barrier 100ns");
}

Machine after(std::initializer_list<const char*> texts, const Machine& machine = base()) {
  std::vector<Change> changes;
  for (const char* text : texts) changes.push_back(parse_change(text));
  return changed(machine, changes);
}

std::string refusal(std::initializer_list<const char*> texts, const Machine& machine = base()) {
  try {
    (void)after(texts, machine);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("a change is split at its first equals sign") {
  const Change c = parse_change(" memory.bandwidth = +50% ");
  CHECK(c.path == "memory.bandwidth");
  CHECK(c.value == "+50%");
  CHECK_THROWS_WITH_AS((void)parse_change("memory.bandwidth"),
                       "memory.bandwidth: wants the form path=value (e.g. memory.bandwidth=+50%)",
                       InputError);
  CHECK_THROWS_AS((void)parse_change("=3"), InputError);
  CHECK_THROWS_AS((void)parse_change("smt="), InputError);
}

TEST_CASE("relative and absolute changes") {
  CHECK(after({"memory.bandwidth=+50%"}).memory.bandwidth.value.value() == doctest::Approx(30e9));
  CHECK(after({"memory.bandwidth=-50%"}).memory.bandwidth.value.value() == doctest::Approx(10e9));
  CHECK(after({"memory.bandwidth=*1.5"}).memory.bandwidth.value.value() == doctest::Approx(30e9));
  CHECK(after({"memory.bandwidth=200 GB/s"}).memory.bandwidth.value.value() == 200e9);
  CHECK(after({"memory.saturation_shape=2.5"}).memory.saturation_shape.value == 2.5);
  CHECK(after({"l2.size=2 MiB"}).caches[0].size.value.value() == 2097152.0);
  CHECK(after({"caches.l3.size=+50%"}).caches[1].size.value.value() == 12582912.0);
  CHECK(after({"threads.all=*2", "threads.wake_up=*2"}).threads.wake_up.value.value() ==
        doctest::Approx(20e-6));
  CHECK(after({"peak.fp32.scalar=20"}).groups[0].peaks[0].flop_per_cycle.value == 20.0);
  CHECK(after({}) == base());
}

TEST_CASE("only what is named changes") {
  Machine m = after({"memory.bandwidth=+50%"});
  m.memory.bandwidth = base().memory.bandwidth;
  CHECK(m == base());
}

TEST_CASE("a changed value says so, and an absolute one counts as exact") {
  Machine m = base();
  m.memory.bandwidth.relative_error = 0.1;
  CHECK(after({"memory.bandwidth=+50%"}, m).memory.bandwidth.from ==
        "what-if: memory.bandwidth=+50%, was 20 GB/s; test");
  CHECK(after({"memory.bandwidth=+50%"}, m).memory.bandwidth.relative_error == 0.1);
  CHECK(after({"memory.bandwidth=30 GB/s"}, m).memory.bandwidth.relative_error == 0.0);
}

TEST_CASE("clock scales every point and takes private caches along") {
  const Machine m = after({"clock=*2"});
  CHECK(m.groups[0].clock[0].clock.value.value() == 2e9);
  CHECK(m.caches[0].bandwidth_per_core.value.value() == doctest::Approx(100e9));  // l2, of one core
  CHECK(m.caches[1].bandwidth_per_core.value.value() == 40e9);                    // l3, shared
  CHECK(m.caches[1].size == base().caches[1].size);
  CHECK(after({"clock.scalar=3 GHz"}).groups[0].clock[0].clock.value.value() == 3e9);
  CHECK(after({"clock.scalar.1=+10%"}).groups[0].clock[0].clock.value.value() == doctest::Approx(1.1e9));
  CHECK(after({"peak=*2"}).groups[0].peaks[0].flop_per_cycle.value == 20.0);
}

TEST_CASE("SMT off takes its gains away, SMT on brings the family's") {
  const Machine off = after({"smt=off"});
  CHECK(off.max_smt() == 1);
  CHECK(off.groups[0].smt_gain_compute.value == 1.0);
  CHECK(off.groups[0].smt_gain_memory.value == 1.0);
  CHECK(after({"smt=on"}).groups[0] == base().groups[0]);
  const Machine on = after({"topology.smt=on"}, off);
  CHECK(on.max_smt() == 2);
  CHECK(on.groups[0].smt_gain_memory.value > 1.0);
  CHECK(on.groups[0].smt_gain_memory.origin == Origin::prior);
  CHECK(after({"smt=4"}).max_smt() == 4);
  CHECK(after({"smt=4"}).groups[0].smt_gain_memory.value == 1.5);
}

TEST_CASE("more cores share the same memory and the same last cache") {
  const Machine m = after({"cores_per_socket=64"});
  CHECK(m.cores() == 64);
  CHECK(m.memory == base().memory);
  CHECK(m.caches == base().caches);
  CHECK(after({"cores_per_socket=+50%"}).cores() == 6);
}

TEST_CASE("a second socket brings the family's link, which a later change can set") {
  const Machine m = after({"link.bandwidth=10 GB/s", "sockets=2"});
  CHECK(m.cores() == 8);
  CHECK(m.link->bandwidth.value.value() == 10e9);
  CHECK(m.link->latency.origin == Origin::prior);
  CHECK(after({"sockets=2"}).link->bandwidth.origin == Origin::prior);
}

TEST_CASE("a value that the machine lacks can be given, not scaled") {
  CHECK(after({"memory.capacity=64 GiB"}).memory.capacity->value.value() == 64.0 * 1024 * 1024 * 1024);
  CHECK(
      after({"caches.l3.bandwidth_per_instance=100 GB/s"}).caches[1].bandwidth_per_instance->value.value() ==
      100e9);
  CHECK(refusal({"memory.capacity=+10%"}) ==
        "memory.capacity=+10%: the machine states no such value to scale (give an absolute one)");
}

TEST_CASE("groups of a hybrid machine change by name") {
  Machine m = base();
  m.groups[0].name = "fast";
  m.groups.push_back(m.groups[0]);
  m.groups[1].name = "slow";
  CHECK(after({"groups.slow.cores_per_socket=8"}, m).cores() == 12);
  CHECK(after({"groups.slow.clock=*0.5"}, m).groups[1].clock[0].clock.value.value() == 0.5e9);
  CHECK(after({"smt=off"}, m).logical_cpus() == 8);
  CHECK(refusal({"groups.slwo.smt=1"}, m) ==
        "groups.slwo.smt=1: unknown path \"groups.slwo.smt\" (did you mean \"groups.slow.smt\"?)");
}

TEST_CASE("a change is refused by path, value and reason") {
  CHECK(refusal({"memory.bandwith=+50%"}) ==
        "memory.bandwith=+50%: unknown path \"memory.bandwith\" (did you mean \"memory.bandwidth\"?)");
  CHECK(refusal({"name=x"}).starts_with("name=x: unknown path \"name\""));
  CHECK(refusal({"memory=+50%"}) == "memory=+50%: stands for several values (name one of them, memory....)");
  CHECK(refusal({"peak=64"}) == "peak=64: stands for several values (name one of them, peak....)");
  CHECK(refusal({"link.bandwidth=+50%"}) ==
        "link.bandwidth=+50%: the machine has no link between sockets (set sockets=2 with it)");
  CHECK(refusal({"memory.bandwidth=+50"}) ==
        "memory.bandwidth=+50: \"+50\" is neither a value nor a relative change (relative changes are "
        "written +50%, -20% or *1.5)");
  CHECK(refusal({"memory.bandwidth=*x"}) ==
        "memory.bandwidth=*x: \"x\" is not a number, wanted a factor such as *1.5");
  CHECK(refusal({"memory.bandwidth=200"}) ==
        "test with memory.bandwidth=200: /memory/bandwidth/value: \"200\" has no unit (wanted a number with "
        "unit, such as \"1.5 GB/s\")");
  CHECK(
      refusal({"memory.bandwidth=200 GHz"})
          .starts_with("test with memory.bandwidth=200 GHz: /memory/bandwidth/value: unknown unit \"GHz\""));
  CHECK(refusal({"memory.bandwidth=-100%"}) ==
        "test with memory.bandwidth=-100%: memory.bandwidth: is 0 B/s, must be greater than zero");
  CHECK(refusal({"clock=-100%"}) ==
        "test with clock=-100%: clock[0].clock: is 0 Hz, must be greater than zero");
  CHECK(refusal({"cores=0"}) ==
        "test with cores=0: /topology/cores_per_socket: wanted a whole number from 1 to 1048576, found 0");
  CHECK(refusal({"cores=+30%"}) == "cores=+30%: makes it 5.2, which is not a whole number");
  CHECK(refusal({"cores=many"}) ==
        "cores=many: \"many\" is not a count (a whole number from 0 to 1048576 is wanted)");
  CHECK(refusal({"smt=maybe"}) ==
        "smt=maybe: \"maybe\" is not a count (a whole number from 0 to 1048576 is wanted)");
  CHECK(refusal({"smt=9"}) == "test with smt=9: /topology/smt: wanted a whole number from 1 to 8, found 9");
  CHECK(refusal({"memory.bandwidth=*1e308", "memory.bandwidth=*1e308"}) ==
        "memory.bandwidth=*1e308: makes a value that is out of range");
}

TEST_CASE("every path of the table without placeholders names something") {
  Machine m = test::machine(
      "4 cores 10Gflop/s; mem 20GB/s; smt 2; sockets 2; l1 32KiB 100GB/s; l2 1MiB 50GB/s; l3 8MiB 40GB/s");
  m.memory.capacity = Value<Bytes>{Bytes(1e9), 0.0, Origin::measured, ""};
  m.memory.cluster_bandwidth = m.memory.bandwidth;
  for (const MachinePath& row : machine_path_table()) {
    if (row.path.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos) continue;
    CAPTURE(row.path);
    CHECK_NOTHROW((void)changed(m, {{row.path, "*1"}}));
    CHECK_FALSE(row.meaning.empty());
    if (row.scales) CHECK_NOTHROW((void)changed(test::machine("1 cores 1Gflop/s"), {{row.path, "*1.01"}}));
  }
  CHECK(machine_paths().size() == machine_path_table().size());
}

TEST_CASE("scaling up and down again leads back") {
  CHECK(rc::check("there and back", [] {
    const std::string path = *rc::gen::element(std::string("memory.bandwidth"), std::string("clock"),
                                               std::string("caches.l2.size"));
    const int power = *rc::gen::inRange(1, 8);
    const Machine up = changed(base(), {{path, fmt::format("*{}", 1 << power)}});
    const Machine back = changed(up, {{path, fmt::format("*{}", 1.0 / (1 << power))}});
    RC_ASSERT(back.memory.bandwidth.value == base().memory.bandwidth.value);
    RC_ASSERT(back.groups[0].clock[0].clock.value == base().groups[0].clock[0].clock.value);
    RC_ASSERT(back.caches[0].size.value == base().caches[0].size.value);
  }));
}

TEST_CASE("no change text does more than be refused") {
  CHECK(rc::check("any change", [] {
    const std::string path =
        *rc::gen::oneOf(rc::gen::elementOf(machine_paths()), rc::gen::string<std::string>());
    const std::string value = *rc::gen::oneOf(
        rc::gen::string<std::string>(),
        rc::gen::element(std::string("*nan"), std::string("-"), std::string("+%"), std::string("*"),
                         std::string("1e999 GB/s"), std::string("*-1"), std::string("nan")));
    try {
      check(changed(base(), {{path, value}}), "");
    } catch (const InputError&) {
    }
  }));
}

}  // namespace
}  // namespace corecast::hwmodels
