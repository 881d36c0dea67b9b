#include "hwmodels/topology.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/hwmodels/synthetic_topology.hpp"

namespace corecast::hwmodels {
namespace {

using test::load_synthetic;
using test::synthetic;

constexpr double kKi = 1024.0;
constexpr double kMi = 1024.0 * 1024.0;

const TopologyCache* cache_of(const Topology& topology, int level) {
  for (const TopologyCache& cache : topology.caches) {
    if (cache.level == level) return &cache;
  }
  return nullptr;
}

TEST_CASE("two sockets of four cores with two threads and one last-level cache each") {
  // Sizes in bytes: 16 MiB, 1 MiB, 32 KiB.
  const Topology topology =
      synthetic("pack:2 [numa] l3:1(size=16777216) core:4 l2:1(size=1048576) l1:1(size=32768) pu:2");
  CHECK(topology.sockets == 2);
  CHECK(topology.domains_per_socket == 1);
  REQUIRE(topology.groups.size() == 1);
  CHECK(topology.groups[0].name == "core");
  CHECK(topology.groups[0].cores_per_socket == 4);
  CHECK(topology.groups[0].smt == 2);
  REQUIRE(cache_of(topology, 3) != nullptr);
  CHECK(cache_of(topology, 3)->size == Bytes(16 * kMi));
  CHECK(cache_of(topology, 3)->shared_by_cores == 4);
  REQUIRE(cache_of(topology, 1) != nullptr);
  CHECK(cache_of(topology, 1)->size == Bytes(32 * kKi));
  CHECK(cache_of(topology, 1)->shared_by_cores == 1);
  CHECK(topology.warnings.empty());
  CHECK(topology.source.find("hwloc 2.") == 0);
}

TEST_CASE("CPUs are placed on way, core and socket") {
  // hwloc numbers synthetic CPUs in order: 0 and 1 are the threads of core 0, 8 is the first of the second socket.
  const Topology topology = synthetic("pack:2 core:4 pu:2");
  REQUIRE(topology.cpus.size() == 16);
  CHECK(topology.cpus[1] == HostCpu{1, {.socket = 0, .domain = 0, .group = 0, .core = 0, .way = 1}});
  CHECK(topology.cpus[8] == HostCpu{8, {.socket = 1, .domain = 1, .group = 0, .core = 4, .way = 0}});
}

TEST_CASE("clusters of NUMA domains in a socket are counted per socket") {
  const Topology topology = synthetic("pack:2 numa:2 core:3 pu:1");
  CHECK(topology.sockets == 2);
  CHECK(topology.domains_per_socket == 2);
  CHECK(topology.groups[0].cores_per_socket == 6);
  CHECK(topology.groups[0].smt == 1);
  REQUIRE(topology.cpus.size() == 12);
  CHECK(topology.cpus[3].place.domain == 1);  // fourth core: second domain of the first socket
  CHECK(topology.cpus[9].place.domain == 3);
  CHECK(topology.cpus[9].place.socket == 1);
}

TEST_CASE("core complexes show as caches that a few cores share") {
  const Topology topology = synthetic("pack:1 l3:4(size=33554432) core:8 pu:2");
  CHECK(topology.groups[0].cores_per_socket == 32);
  REQUIRE(cache_of(topology, 3) != nullptr);
  CHECK(cache_of(topology, 3)->shared_by_cores == 8);
}

TEST_CASE("a topology without packages is one socket, without cores each CPU is one") {
  const Topology bare = synthetic("pu:3");
  CHECK(bare.sockets == 1);
  CHECK(bare.groups[0].cores_per_socket == 3);
  CHECK(bare.groups[0].smt == 1);
  CHECK(bare.cpus.size() == 3);
}

TEST_CASE("one NUMA node over two sockets counts as one domain each") {
  const Topology topology = synthetic("[numa] pack:2 core:2 pu:1");
  CHECK(topology.sockets == 2);
  CHECK(topology.domains_per_socket == 1);
  CHECK(topology.cpus[2].place.domain == 1);
}

TEST_CASE("two memories over the same cores are one domain") {
  const Topology topology = synthetic("pack:1 [numa] [numa] core:4 pu:1");
  CHECK(topology.domains_per_socket == 1);
}

// The kinds as Linux and hwloc report them on a hybrid part: efficiency 1 is the faster one.
void register_kind(hwloc_topology* topology, unsigned first, unsigned last, int efficiency, const char* name,
                   const char* value) {
  hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
  hwloc_bitmap_set_range(cpus, first, static_cast<int>(last));
  std::string key = name;
  std::string text = value;
  hwloc_info_s info{key.data(), text.data()};
  REQUIRE(hwloc_cpukinds_register(topology, cpus, efficiency, 1, &info, 0) == 0);
  hwloc_bitmap_free(cpus);
}

TEST_CASE("performance and efficiency cores are two groups, the fast one first") {
  const auto raw = load_synthetic("pack:1 core:6 pu:1");
  register_kind(raw.get(), 0, 1, 1, "CoreType", "IntelCore");
  register_kind(raw.get(), 2, 5, 0, "CoreType", "IntelAtom");
  const Topology topology = read_topology(raw.get());
  REQUIRE(topology.groups.size() == 2);
  CHECK(topology.groups[0] == TopologyGroup{"P", 2, 1, 1.0});
  CHECK(topology.groups[1] == TopologyGroup{"E", 4, 1, 1.0});
  CHECK(topology.cpus[0].place.group == 0);
  CHECK(topology.cpus[5].place.group == 1);
}

TEST_CASE("cores of different capacity are two groups, with their ratio") {
  const auto raw = load_synthetic("pack:1 core:8 pu:1");
  register_kind(raw.get(), 0, 3, 0, "LinuxCapacity", "512");
  register_kind(raw.get(), 4, 7, 1, "LinuxCapacity", "1024");
  const Topology topology = read_topology(raw.get());
  REQUIRE(topology.groups.size() == 2);
  CHECK(topology.groups[0].relative_capacity == 1.0);
  CHECK(topology.groups[1].relative_capacity == 0.5);
  CHECK(topology.cpus[0].place.group == 1);  // the slow ones are numbered first by the system,
  CHECK(topology.cpus[0].place.core == 4);   // and last here
}

TEST_CASE("cores that only turbo higher are not a group of their own") {
  const auto raw = load_synthetic("pack:1 core:4 pu:2");
  register_kind(raw.get(), 0, 3, 1, "FrequencyMaxMHz", "4000");
  register_kind(raw.get(), 4, 7, 0, "FrequencyMaxMHz", "3500");
  const Topology topology = read_topology(raw.get());
  REQUIRE(topology.groups.size() == 1);
  CHECK(topology.groups[0] == TopologyGroup{"core", 4, 2, 1.0});
}

TEST_CASE("places agree with the machine's own numbering when all is even") {
  const Topology topology = synthetic("pack:2 numa:2 core:4 pu:2");
  Machine machine;
  machine.sockets = 2;
  machine.domains_per_socket = 2;
  machine.groups[0].cores_per_socket = 8;
  machine.groups[0].smt = 2;
  std::vector<Cpu> places;
  for (const HostCpu& cpu : topology.cpus) places.push_back(cpu.place);
  std::stable_sort(places.begin(), places.end(), [](const Cpu& a, const Cpu& b) { return a.way < b.way; });
  CHECK(places == cpus_of(machine));
}

TEST_CASE("uneven sockets take the larger count and say so") {
  // hwloc's synthetic text is even, so the second socket loses two of its four cores afterwards.
  const auto raw = load_synthetic("pack:2 core:4 pu:1");
  hwloc_bitmap_t kept = hwloc_bitmap_alloc();
  hwloc_bitmap_set_range(kept, 0, 5);
  REQUIRE(hwloc_topology_restrict(raw.get(), kept, 0) == 0);
  hwloc_bitmap_free(kept);
  const Topology topology = read_topology(raw.get());
  CHECK(topology.sockets == 2);
  CHECK(topology.groups[0].cores_per_socket == 4);
  CHECK(topology.cpus.size() == 6);
  CHECK(topology.warnings == std::vector<std::string>{"sockets differ in cores: 4 each are assumed"});
}

TEST_CASE("the running system's topology has a place for every CPU") {
  const Topology topology = detect_topology();
  CHECK(topology.sockets >= 1);
  CHECK(topology.cpus.size() >= 1);
  for (const HostCpu& cpu : topology.cpus) {
    CHECK(cpu.place.socket < topology.sockets);
    CHECK(cpu.place.way < topology.groups[static_cast<std::size_t>(cpu.place.group)].smt);
  }
}

}  // namespace
}  // namespace corecast::hwmodels
