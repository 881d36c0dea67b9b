#include "hwmodels/priors.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.hpp"

namespace corecast::hwmodels {
namespace {

Datasheet sheet_8180() {
  Datasheet sheet;
  sheet.family = "skylake_sp";
  sheet.sockets = 2;
  sheet.cores_per_socket = 28;
  sheet.smt = 2;
  sheet.base_clock = Hertz(2.5e9);
  sheet.turbo_clock = Hertz(3.8e9);
  sheet.l3 = Bytes(38.5 * 1024 * 1024);
  sheet.memory_channels = 6;
  sheet.memory_mega_transfers = 2666;
  sheet.link_bandwidth = BytesPerSecond(62.4e9);
  sheet.from = "sheet";
  return sheet;
}

TEST_CASE("every family makes a sound machine from counts alone, on one socket and on two") {
  for (const std::string& family : families()) {
    CAPTURE(family);
    for (const int sockets : {1, 2}) {
      for (const int cores : {1, 2, 7, 96}) {
        Datasheet sheet;
        sheet.family = family;
        sheet.sockets = sockets;
        sheet.cores_per_socket = cores;
        const Machine m = machine_from_datasheet(sheet, "x");
        CHECK(m.family == family);
        CHECK(m.cores() == sockets * cores);
        CHECK(m.caches.size() == 3);
        CHECK(m.memory.bandwidth.origin == Origin::prior);
        CHECK(m.memory.bandwidth.relative_error >= 0.15);  // not even the channels are known
        CHECK(m.memory.core_bandwidth.value <= m.memory.bandwidth.value);
        // More busy cores never run faster, and wider vectors never faster than narrow ones.
        const CoreGroup& group = m.groups[0];
        CHECK(clock_at(group, Extension::scalar, 1) >= clock_at(group, Extension::scalar, cores));
        CHECK(clock_at(group, Extension::scalar, cores) >= clock_at(group, Extension::amx, cores));
      }
    }
  }
}

TEST_CASE("facts of the sheet stand, the rest is the family's and says so") {
  const Machine m = machine_from_datasheet(sheet_8180(), "xeon-8180");
  CHECK(m.logical_cpus() == 112);
  CHECK(m.caches[2].size.value == Bytes(38.5 * 1024 * 1024));
  CHECK(m.caches[2].size.origin == Origin::datasheet);
  CHECK(m.caches[2].shared_by_cores == 0);
  CHECK(m.caches[1].size.value == Bytes(1024.0 * 1024));
  CHECK(m.caches[1].size.origin == Origin::prior);
  // 0.88 of 6 x 2666 MT/s x 8 B = 127.97 GB/s.
  CHECK(m.memory.bandwidth.value.value() == doctest::Approx(112.6e9).epsilon(0.001));
  CHECK(m.memory.bandwidth.from == "prior of skylake_sp: 0.88 of 6 x 2666 MT/s");
  // 0.82 of 62.4 GB/s.
  CHECK(m.link->bandwidth.value.value() == doctest::Approx(51.2e9).epsilon(0.001));
}

TEST_CASE("the clock falls from turbo to the all-core clock of each extension") {
  Datasheet sheet = sheet_8180();
  sheet.all_core_clock = {{Extension::avx512, {Hertz(2.3e9), 0.02, Origin::datasheet, "table"}}};
  const CoreGroup group = machine_from_datasheet(sheet, "x").groups[0];
  CHECK(clock_at(group, Extension::scalar, 1).value() == 3.8e9);
  CHECK(clock_at(group, Extension::scalar, 2).value() == 3.8e9);
  CHECK(clock_at(group, Extension::scalar, 28).value() == doctest::Approx(0.86 * 3.8e9));
  CHECK(clock_at(group, Extension::avx512, 1).value() == doctest::Approx(0.94 * 3.8e9));
  CHECK(clock_at(group, Extension::avx512, 28).value() == 2.3e9);
  CHECK(clock_at(group, Extension::avx512, 15).value() ==
        doctest::Approx((0.94 * 3.8e9 + 2.3e9) / 2));  // half way from 2
}

TEST_CASE("a known scalar all-core clock corrects the wider extensions by the same factor") {
  Datasheet sheet = sheet_8180();
  sheet.all_core_clock = {{Extension::scalar, {Hertz(3.4e9), 0.0, Origin::datasheet, "table"}}};
  const CoreGroup group = machine_from_datasheet(sheet, "x").groups[0];
  // 0.60 / 0.86 of the scalar clock.
  CHECK(clock_at(group, Extension::avx512, 28).value() == doctest::Approx(3.4e9 * 0.60 / 0.86));
}

TEST_CASE("the clock of a part without a known turbo follows its base clock") {
  Datasheet sheet = sheet_8180();
  sheet.turbo_clock = Hertz{};
  sheet.base_clock = Hertz(2.0e9);
  const Machine m = machine_from_datasheet(sheet, "x");
  CHECK(clock_at(m.groups[0], Extension::scalar, 1).value() == doctest::Approx(2.0e9 * 3.7 / 2.4));
  CHECK(m.groups[0].clock[0].clock.origin == Origin::prior);
}

TEST_CASE("extensions that are not offered leave, one unit halves AVX-512") {
  Datasheet sheet = sheet_8180();
  sheet.fma_units_512 = 1;
  CHECK(peak_for(machine_from_datasheet(sheet, "x").groups[0], DataType::fp32).extension == Extension::avx2);
  sheet.fma_units_512 = 2;
  CHECK(peak_for(machine_from_datasheet(sheet, "x").groups[0], DataType::fp32).flop_per_cycle == 64.0);
  sheet.extensions = {Extension::sse, Extension::avx2};
  const PeakChoice narrow = peak_for(machine_from_datasheet(sheet, "x").groups[0], DataType::fp32);
  CHECK(narrow.extension == Extension::avx2);
  CHECK(narrow.flop_per_cycle == 32.0);
  sheet.extensions = {Extension::scalar};
  CHECK(peak_for(machine_from_datasheet(sheet, "x").groups[0], DataType::fp32).extension ==
        Extension::scalar);
}

TEST_CASE("a last cache of a core complex has the complex's bandwidth") {
  Datasheet sheet;
  sheet.family = "zen3";
  sheet.cores_per_socket = 64;
  const CacheLevel l3 = machine_from_datasheet(sheet, "x").caches[2];
  CHECK(l3.shared_by_cores == 8);
  CHECK(l3.bandwidth_per_instance->value.value() ==
        doctest::Approx(8 * 0.79 * l3.bandwidth_per_core.value.value()));
}

TEST_CASE("unknown families and absurd counts are refused") {
  Datasheet sheet = sheet_8180();
  sheet.family = "skylake";
  CHECK_THROWS_WITH_AS((void)machine_from_datasheet(sheet, "x"),
                       "x: unknown family \"skylake\" (did you mean \"skylake_sp\"?)", InputError);
  sheet.family = "z80";
  CHECK_THROWS_AS((void)machine_from_datasheet(sheet, "x"), InputError);
  sheet.family = "skylake_sp";
  sheet.cores_per_socket = 0;
  CHECK_THROWS_AS((void)machine_from_datasheet(sheet, "x"), InputError);
}

TEST_CASE("processors are known by their numbers") {
  CHECK(family_of_cpuid("GenuineIntel", 6, 0x3F, 2) == "haswell");
  CHECK(family_of_cpuid("GenuineIntel", 6, 0x4F, 1) == "broadwell");
  CHECK(family_of_cpuid("GenuineIntel", 6, 0x55, 4) == "skylake_sp");
  CHECK(family_of_cpuid("GenuineIntel", 6, 0x55, 7) == "cascade_lake");
  CHECK(family_of_cpuid("GenuineIntel", 6, 0x6A, 6) == "ice_lake_sp");
  CHECK(family_of_cpuid("GenuineIntel", 6, 0x8F, 8) == "sapphire_rapids");
  CHECK(family_of_cpuid("GenuineIntel", 6, 0xCF, 2) == "emerald_rapids");
  CHECK(family_of_cpuid("GenuineIntel", 6, 0xAD, 1) == "granite_rapids");
  CHECK(family_of_cpuid("GenuineIntel", 6, 0x9E, 10) == "skylake_client");
  CHECK(family_of_cpuid("AuthenticAMD", 0x17, 0x01, 2) == "zen1");
  CHECK(family_of_cpuid("AuthenticAMD", 0x17, 0x31, 0) == "zen2");
  CHECK(family_of_cpuid("AuthenticAMD", 0x19, 0x01, 1) == "zen3");
  CHECK(family_of_cpuid("AuthenticAMD", 0x19, 0x11, 1) == "zen4");
  CHECK(family_of_cpuid("AuthenticAMD", 0x19, 0xA0, 2) == "zen4");
  CHECK(family_of_cpuid("AuthenticAMD", 0x1A, 0x02, 1) == "zen5");
  CHECK(family_of_cpuid("GenuineIntel", 6, 0x1A, 5) == "generic_x86");
  CHECK(family_of_cpuid("CyrixInstead", 5, 2, 0) == "generic_x86");
  CHECK(family_of_midr(0x41, 0xD0C) == "neoverse_n1");
  CHECK(family_of_midr(0x41, 0xD40) == "neoverse_v1");
  CHECK(family_of_midr(0x61, 0x22) == "generic_arm");
}

TEST_CASE("whatever a processor reports, its family is one there is") {
  const std::vector<std::string> known = families();
  const auto is_known = [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  for (const char* vendor : {"GenuineIntel", "AuthenticAMD", "HygonGenuine", ""}) {
    for (int family = 0; family < 0x20; ++family) {
      for (int model = 0; model < 0x100; ++model) {
        if (!is_known(family_of_cpuid(vendor, family, model, 3)))
          FAIL(vendor << " " << family << " " << model);
      }
    }
  }
}

TEST_CASE("a peer's caches are slower than one's own and no faster than what both share") {
  for (const std::string& family : families()) {
    Datasheet sheet;
    sheet.family = family;
    sheet.cores_per_socket = 8;
    const Machine machine = machine_from_datasheet(sheet, family);
    INFO(family);
    const BytesPerSecond shared = machine.caches.back().bandwidth_per_core.value;
    for (const CacheLevel& cache : machine.caches) {
      CHECK(cache.peer_bandwidth.has_value() == (cache.shared_by_cores == 1));
      if (!cache.peer_bandwidth) continue;
      CHECK(cache.peer_bandwidth->value <= shared);
      CHECK(cache.peer_bandwidth->value < cache.bandwidth_per_core.value);
    }
    sheet.cores_per_socket = 1;
    CHECK_FALSE(machine_from_datasheet(sheet, family).caches.front().peer_bandwidth.has_value());
  }
}

TEST_CASE("priors for what a what-if adds") {
  CHECK(prior_link("skylake_sp").bandwidth.value.value() == doctest::Approx(0.82 * 62.4e9));
  CHECK(prior_link("no such family").bandwidth.value > BytesPerSecond(0.0));
  CHECK(prior_smt("zen3").ways == 2);
  CHECK(prior_smt("neoverse_n1").ways == 2);
}

}  // namespace
}  // namespace corecast::hwmodels
