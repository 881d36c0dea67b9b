#include "hwmodels/host.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include "hwmodels/host_machine.hpp"
#include "hwmodels/host_peaks.hpp"
#include "tests/hwmodels/synthetic_topology.hpp"

namespace corecast::hwmodels {
namespace {

using enum Extension;
using Extensions = std::vector<Extension>;
using Warnings = std::vector<std::string>;

constexpr double kMi = 1024.0 * 1024.0;

bool mention(const Warnings& warnings, const std::string& text) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& warning) { return warning.find(text) != std::string::npos; });
}

HostFacts skylake(const std::string& synthetic_text) {
  HostFacts facts;
  facts.topology = test::synthetic(synthetic_text);
  facts.cpu.vendor = "GenuineIntel";
  facts.cpu.family = 6;
  facts.cpu.model = 0x55;
  facts.cpu.stepping = 4;
  facts.cpu.model_name = "Intel(R) Xeon(R) Platinum 8180 CPU @ 2.50GHz";
  facts.cpu.clock_in_name = Hertz(2.5e9);
  facts.features.extensions = {scalar, sse, avx2, avx512};
  return facts;
}

// Cache sizes in bytes: 38 MiB, 1 MiB, 32 KiB.
const std::string kTwoSockets =
    "pack:2 [numa] l3:1(size=39845888) core:28 l2:1(size=1048576) l1:1(size=32768) pu:2";

bool has_peak(const Machine& machine, Extension extension) {
  const auto& peaks = machine.groups[0].peaks;
  return std::any_of(peaks.begin(), peaks.end(),
                     [&](const Peak& peak) { return peak.extension == extension; });
}

// --- the machine from facts ---

TEST_CASE("a server is its family's prior with the detected topology, caches and memory") {
  const Host host = host_from_facts(skylake(kTwoSockets));
  CHECK(host.machine.name == "host");
  CHECK(host.machine.family == "skylake_sp");
  CHECK(host.machine.sockets == 2);
  CHECK(host.machine.cores() == 56);
  CHECK(host.machine.logical_cpus() == 112);
  CHECK(host.machine.link.has_value());
  REQUIRE(host.machine.caches.size() == 3);
  CHECK(host.machine.caches[2].size.value == Bytes(38 * kMi));
  CHECK(host.machine.caches[2].size.origin == Origin::detected);
  CHECK(host.machine.caches[2].size.from.find("hwloc") == 0);
  CHECK(host.machine.caches[2].shared_by_cores == 0);
  CHECK(host.machine.memory.bandwidth.origin == Origin::prior);
  CHECK(host.cpus.size() == 112);
  CHECK(host.warnings.empty());
}

TEST_CASE("an implausible cache size gives way to the family's, with a warning") {
  HostFacts facts = skylake("pack:1 l3:2(size=2147483648) core:1 l2:1(size=1048576) l1:1(size=32768) pu:1");
  const Host host = host_from_facts(facts);
  CHECK(host.machine.caches[2].size.origin == Origin::prior);
  CHECK(host.machine.caches[2].size.value < Bytes(10 * kMi));  // 2 cores of 1.375 MiB
  CHECK(mention(host.warnings, "implausible cache size: the system reports 2 GiB of L3 for 1 core"));
}

TEST_CASE("a few CPUs of a virtual machine may see the whole L3 of its host") {
  HostFacts facts = skylake("pack:1 l3:1(size=39845888) core:2 l2:1(size=1048576) l1:1(size=32768) pu:1");
  facts.features.virtual_machine = true;
  const Host host = host_from_facts(facts);
  CHECK(host.machine.caches[2].size.value == Bytes(38 * kMi));
  CHECK(host.machine.caches[2].size.relative_error > 0.0);  // neighbours use it too
  CHECK(mention(host.warnings, "virtual machine"));
}

TEST_CASE("a core complex keeps its size when few of its cores are on, but no complex has half a gigabyte") {
  HostFacts facts = skylake("pack:1 l3:1(size=33554432) core:2 l2:1(size=1048576) l1:1(size=49152) pu:1");
  facts.cpu.vendor = "AuthenticAMD";
  facts.cpu.family = 0x1A;
  facts.cpu.model = 2;
  CHECK(host_from_facts(facts).machine.caches[2].size.value == Bytes(32 * kMi));
  facts.topology =
      test::synthetic("pack:1 l3:2(size=532676608) core:1 l2:1(size=1048576) l1:1(size=49152) pu:1");
  const Host host = host_from_facts(facts);
  CHECK(host.machine.family == "zen5");
  CHECK(host.machine.caches[2].size.value == Bytes(32 * kMi));
  CHECK(host.machine.caches[2].size.origin == Origin::prior);
  CHECK(mention(host.warnings, "508 MiB of L3 for 1 core"));
}

TEST_CASE("caches that are not reported are the family's, with a warning") {
  const Host host = host_from_facts(skylake("pack:1 core:4 pu:1"));
  REQUIRE(host.machine.caches.size() == 3);
  CHECK(host.machine.caches[0].size.origin == Origin::prior);
  CHECK(mention(host.warnings, "does not report its L2 cache"));
}

TEST_CASE("an unknown CPU is an average one, with a warning") {
  HostFacts facts = skylake("pack:1 core:4 pu:2");
  facts.cpu = {};
  const Host host = host_from_facts(facts);
  CHECK(host.machine.family == "generic_x86");
  CHECK(mention(host.warnings, "unknown CPU"));
  facts.cpu.implementer = 0x41;
  facts.cpu.part = 0xFFF;
  facts.features.extensions = {scalar, neon};
  CHECK(host_from_facts(facts).machine.family == "generic_arm");
}

TEST_CASE("a CPU with tiles is of a family with tiles, whatever model number the hypervisor gives") {
  HostFacts facts = skylake("pack:1 l3:1(size=503316480) core:2 l2:1(size=2097152) l1:1(size=49152) pu:1");
  facts.cpu.model = 0xA7;  // of a desktop CPU
  facts.features.extensions = {scalar, sse, avx2, avx512, vnni, bf16, amx};
  const Host sapphire = host_from_facts(facts);
  CHECK(sapphire.machine.family == "sapphire_rapids");
  CHECK(mention(sapphire.warnings, "CPU model 167 stands for ice_lake_client, which has no AMX"));
  facts.features.avx10 = true;
  const Host granite = host_from_facts(facts);
  CHECK(granite.machine.family == "granite_rapids");
  CHECK(granite.machine.caches[2].size.value == Bytes(480 * kMi));  // 120 cores' worth: believable there
  facts.cpu.model = 0xCF;                                           // a family with tiles is left as it is
  CHECK(host_from_facts(facts).machine.family == "emerald_rapids");
  facts.features.extensions = {scalar, sse, avx2, avx512};
  facts.cpu.model = 0xA7;
  CHECK(host_from_facts(facts).machine.family == "ice_lake_client");
}

TEST_CASE("efficiency cores are a second group, slower by what the system says or by half") {
  HostFacts facts = skylake("pack:1 core:6 pu:1");
  facts.topology.groups = {{"P", 2, 2, 1.0}, {"E", 4, 1, 1.0}};
  const Machine machine = host_from_facts(facts).machine;
  REQUIRE(machine.groups.size() == 2);
  CHECK(machine.groups[0].name == "P");
  CHECK(machine.groups[1].cores_per_socket == 4);
  CHECK(machine.groups[1].smt == 1);
  CHECK(peak_for(machine.groups[1], DataType::fp32).flop_per_cycle ==
        0.5 * peak_for(machine.groups[0], DataType::fp32).flop_per_cycle);
}

// --- clocks ---

TEST_CASE(
    "on hardware, CPUID and the driver come before the model name; in a virtual machine they do not count") {
  HostFacts facts = skylake("pack:1 core:4 pu:1");
  CHECK(base_clock(facts)->from == "/proc/cpuinfo, model name");
  facts.driver_base_clock = ClockFact{Hertz(2.4e9), "driver"};
  CHECK(base_clock(facts)->from == "driver");
  facts.features.base_clock = Hertz(2.3e9);
  CHECK(base_clock(facts)->clock == Hertz(2.3e9));
  facts.cpu.flags = {"hypervisor"};
  CHECK(base_clock(facts)->from == "/proc/cpuinfo, model name");
  facts.cpu.clock_in_name.reset();
  facts.cpu.clock_now = Hertz(2.1e9);
  CHECK(base_clock(facts) == ClockFact{Hertz(2.1e9), "/proc/cpuinfo, cpu MHz"});
  facts.cpu.flags.clear();
  facts.features.base_clock.reset();
  facts.driver_base_clock.reset();
  CHECK_FALSE(base_clock(facts).has_value());  // on hardware "cpu MHz" is whatever the core does just now
}

TEST_CASE("a turbo clock that was read is the clock of one core; one below the base clock is not believed") {
  HostFacts facts = skylake("pack:1 core:4 pu:1");
  facts.features.base_clock = Hertz(2.5e9);
  facts.features.turbo_clock = Hertz(3.8e9);
  const Machine machine = host_from_facts(facts).machine;
  CHECK(clock_at(machine.groups[0], scalar, 1) == Hertz(3.8e9));
  CHECK(machine.groups[0].clock.front().clock.from == "CPUID leaf 0x16");
  facts.features.turbo_clock = Hertz(2.0e9);
  CHECK_FALSE(turbo_clock(facts).has_value());
}

TEST_CASE("without a turbo clock the family's is taken, but never less than the base clock") {
  HostFacts facts = skylake("pack:1 core:4 pu:1");
  const Hertz typical = clock_at(host_from_facts(facts).machine.groups[0], scalar, 1);
  facts.cpu.clock_in_name = Hertz(1.8e9);
  CHECK(clock_at(host_from_facts(facts).machine.groups[0], scalar, 1) == typical);
  facts.cpu.clock_in_name = Hertz(6.0e9);
  CHECK(clock_at(host_from_facts(facts).machine.groups[0], scalar, 1) == Hertz(6.0e9));
}

// --- extensions ---

TEST_CASE("peaks of extensions the host lacks are dropped, with a warning") {
  HostFacts facts = skylake("pack:1 core:4 pu:1");
  CHECK(has_peak(host_from_facts(facts).machine, avx512));
  facts.features.extensions = {scalar, sse, avx2};
  const Host host = host_from_facts(facts);
  CHECK_FALSE(has_peak(host.machine, avx512));
  CHECK(has_peak(host.machine, avx2));
  CHECK(mention(host.warnings, "does not offer avx512"));
}

TEST_CASE("an extension the family is not known to have gets a guessed peak, with a warning") {
  HostFacts facts = skylake("pack:1 core:4 pu:1");
  facts.cpu = {};  // an unknown x86: AVX2 at 32 flop per cycle
  const Host host = host_from_facts(facts);
  const auto peak = peak_for(host.machine.groups[0], DataType::fp32);
  CHECK(peak.extension == avx512);
  CHECK(peak.flop_per_cycle == 48.0);  // between one unit (32) and two (64)
  CHECK(mention(host.warnings, "offers avx512"));
}

TEST_CASE("a host with nothing its family is known by still has an fp32 peak and a clock") {
  CoreGroup group;
  group.clock = {{avx512, 1, {Hertz(2e9), 0.0, Origin::prior, ""}}};
  group.peaks = {{DataType::fp32, avx512, {64.0, 0.0, Origin::prior, ""}}};
  Warnings warnings;
  fit_extensions(group, {scalar, sse}, warnings);
  CHECK(group.clock.size() == 1);
  CHECK(peak_for(group, DataType::fp32).extension == sse);
  CHECK(peak_for(group, DataType::fp32).flop_per_cycle == 16.0);
}

TEST_CASE("unknown extensions change nothing") {
  CoreGroup group;
  group.peaks = {{DataType::fp32, avx512, {64.0, 0.0, Origin::prior, ""}}};
  const CoreGroup before = group;
  Warnings warnings;
  fit_extensions(group, {}, warnings);
  CHECK(group == before);
  CHECK(warnings.empty());
}

// --- the granted part ---

// CPUs of socket s, core c, way w are numbered as hwloc does in synthetic topologies: (28 s + c) 2 + w.
int cpu_number(int socket, int core, int way) {
  return (28 * socket + core) * 2 + way;
}

Host granted(const std::vector<int>& mask) {
  Host host = host_from_facts(skylake(kTwoSockets));
  host.grant.affinity = mask;
  std::sort(host.grant.affinity.begin(), host.grant.affinity.end());
  return host;
}

TEST_CASE("a grant of everything leaves the machine as it is") {
  std::vector<int> all;
  for (int cpu = 0; cpu < 112; ++cpu) all.push_back(cpu);
  const Host host = granted(all);
  CHECK(granted_machine(host) == host.machine);
}

TEST_CASE("one socket of two: no link, the socket's memory and caches whole") {
  std::vector<int> mask;
  for (int cpu = 0; cpu < 56; ++cpu) mask.push_back(cpu);
  const Host host = granted(mask);
  const Machine machine = granted_machine(host);
  CHECK(machine.sockets == 1);
  CHECK_FALSE(machine.link.has_value());
  CHECK(machine.cores() == 28);
  CHECK(machine.max_smt() == 2);
  CHECK(machine.memory == host.machine.memory);
  CHECK(machine.caches == host.machine.caches);
}

TEST_CASE("one sibling of each core: as many cores, no SMT") {
  std::vector<int> mask;
  for (int core = 0; core < 4; ++core) mask.push_back(cpu_number(1, core, 1));
  const GrantedMachine result = restrict_to_grant(granted(mask));
  CHECK(result.machine.sockets == 1);
  CHECK(result.machine.cores() == 4);
  CHECK(result.machine.max_smt() == 1);
  CHECK(result.machine.groups[0].smt_gain_memory.value == 1.0);
  CHECK(result.warnings.empty());
}

TEST_CASE("an uneven mask takes the larger socket and the smaller number of threads, and says so") {
  // Socket 0: cores 0, 1, 2, core 0 with both threads; socket 1: core 0.
  const GrantedMachine result =
      restrict_to_grant(granted({cpu_number(0, 0, 0), cpu_number(0, 0, 1), cpu_number(0, 1, 0),
                                 cpu_number(0, 2, 0), cpu_number(1, 0, 0)}));
  CHECK(result.machine.sockets == 2);
  CHECK(result.machine.link.has_value());
  CHECK(result.machine.cores_per_socket() == 3);
  CHECK(result.machine.max_smt() == 1);  // 5 CPUs on 4 cores
  CHECK(mention(result.warnings, "4 cores on 2 sockets, 3 each are assumed"));
  CHECK(mention(result.warnings, "fewer hardware threads"));
}

TEST_CASE("CPUs that the topology does not know leave the whole machine, with a warning") {
  const GrantedMachine result = restrict_to_grant(granted({500, 501}));
  CHECK(result.machine.cores() == 56);
  CHECK(mention(result.warnings, "none of the granted CPUs"));
}

TEST_CASE("a quota does not change the topology") {
  Host host = granted({0, 1, 2, 3});
  const Machine before = granted_machine(host);
  host.grant.quota_cpus = 1.5;
  CHECK(granted_machine(host) == before);
}

TEST_CASE("a host without a list of CPUs uses the machine's own numbering") {
  Host host = granted({0, 1, 56});  // two cores, and the second thread of the first
  host.cpus.clear();
  const Machine machine = granted_machine(host);
  CHECK(machine.sockets == 1);
  CHECK(machine.cores() == 2);
}

TEST_CASE("cores scattered over core complexes share no cache, cores of one complex do") {
  HostFacts facts = skylake("pack:1 l3:4(size=33554432) core:8 l2:1(size=1048576) l1:1(size=32768) pu:1");
  facts.cpu.vendor = "AuthenticAMD";
  facts.cpu.family = 0x19;
  facts.cpu.model = 0x11;
  Host host = host_from_facts(facts);
  REQUIRE(host.machine.caches[2].shared_by_cores == 8);
  host.grant.affinity = {0, 8, 16, 24};
  CHECK(granted_machine(host).caches[2].shared_by_cores == 1);
  host.grant.affinity = {0, 1, 2, 8};
  CHECK(granted_machine(host).caches[2].shared_by_cores == 3);
}

TEST_CASE("of a socket's NUMA domains only those with granted CPUs bring memory bandwidth") {
  HostFacts facts = skylake("pack:1 numa:4 core:4 pu:1");
  Host host = host_from_facts(facts);
  REQUIRE(host.machine.domains_per_socket == 4);
  const double whole = host.machine.memory.bandwidth.value.value();
  host.grant.affinity = {0, 1, 2, 3, 4};  // the first domain, and a core of the second
  const GrantedMachine result = restrict_to_grant(host);
  CHECK(result.machine.domains_per_socket == 2);
  CHECK(result.machine.memory.bandwidth.value.value() == doctest::Approx(whole / 2));
  CHECK(mention(result.warnings, "2 of 4 NUMA domains"));
}

TEST_CASE("a kind of core without granted CPUs is gone") {
  Host host = host_from_facts(skylake("pack:1 core:6 pu:1"));
  CoreGroup slow = host.machine.groups[0];
  host.machine.groups[0].name = "P";
  host.machine.groups[0].cores_per_socket = 2;
  slow.name = "E";
  slow.cores_per_socket = 4;
  host.machine.groups.push_back(slow);
  for (HostCpu& cpu : host.cpus) cpu.place.group = cpu.number < 2 ? 0 : 1;
  host.grant.affinity = {2, 3, 4};
  const Machine machine = granted_machine(host);
  REQUIRE(machine.groups.size() == 1);
  CHECK(machine.groups[0].name == "E");
  CHECK(machine.cores() == 3);
}

// --- the machine this runs on ---

TEST_CASE("this host is a valid machine, and so is what is granted of it") {
  const Host host = detect_host();
  CHECK_NOTHROW(check(host.machine, "host"));
  CHECK(host.machine.name == "host");
  CHECK(host.machine.logical_cpus() >= static_cast<int>(host.cpus.size()));
  const Machine machine = granted_machine(host);
  CHECK_NOTHROW(check(machine, "granted"));
  CHECK(machine.cores() <= host.machine.cores());
  CHECK(host.grant.usable_cores <= machine.cores());
  CHECK(host.grant.cpus() >= 1);
}

}  // namespace
}  // namespace corecast::hwmodels
