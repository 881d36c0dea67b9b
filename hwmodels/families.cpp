// Figures are of 2 x N servers with one NUMA domain per socket unless said otherwise. Sources, by tag:
//   kc     kerncraft machine files (likwid-bench, fixed base clock): E5-2695 v3, E5-2697 v4, Gold 6148,
//          Gold 6248, Platinum 8360Y, Platinum 8470, EPYC 7452; the shape s is fitted to the read curves of
//          the first three and the last (0.8 to 2.4 % rms)
//   mlc    Intel Memory Latency Checker outputs in public repositories: E5-2699 v3, 8163, 8269CY, 6980P
//   mess   Mess bandwidth-latency curves: Gold 5218, Platinum 8480+
//   az     Microsoft's STREAM figures for HBv2, HBv3, HBv4 (Rome, Milan-X, Genoa-X)
//   own    our microbenchmarks on a 2-CPU virtual machine of an EPYC of family 1Ah
//   sheet  vendors' datasheets and optimisation manuals
//   spec   Intel specification updates (turbo tables)
//   est    engineering estimate, nothing measured behind it
// Barrier and wake-up times are estimates from cache-to-cache latencies (mlc) and idle-state exit times (Linux
// intel_idle tables); memory figures without a tag repeat the nearest family's.
#include "hwmodels/family.hpp"

namespace corecast::hwmodels {
namespace {

using enum Extension;
constexpr DataType fp64 = DataType::fp64, fp32 = DataType::fp32, fp16 = DataType::fp16, int8 = DataType::int8;

std::vector<FamilyPeak> avx2_peaks(double int8_ops) {
  return {{fp64, avx2, 16}, {fp32, avx2, 32}, {int8, avx2, int8_ops}};
}

std::vector<FamilyPeak> with(std::vector<FamilyPeak> peaks, const std::vector<FamilyPeak>& more) {
  peaks.insert(peaks.end(), more.begin(), more.end());
  return peaks;
}

// Two 512-bit units; int8 without VNNI is a chain of three instructions on two ports (sheet).
std::vector<FamilyPeak> avx512_peaks() {
  return with(avx2_peaks(43), {{fp64, avx512, 32}, {fp32, avx512, 64}});
}
std::vector<FamilyPeak> vnni_peaks() {
  return with(avx512_peaks(), {{int8, vnni, 256}});
}
// AMX: one tile unit, 16 x 16 x 64 int8 multiply-adds in 16 cycles (sheet). bf16 on AVX-512: 64 to 128 (est).
std::vector<FamilyPeak> amx_peaks() {
  return with(vnni_peaks(), {{fp16, avx512, 128},
                             {DataType::bf16, Extension::bf16, 128},
                             {DataType::bf16, amx, 1024},
                             {int8, amx, 2048}});
}

Family haswell() {
  return {.name = "haswell",
          .base_ghz = 2.3,
          .turbo_ghz = 3.3,
          .peaks = avx2_peaks(32),
          .clocks = {{scalar, 1.0, 0.85, 0.05}, {avx2, 1.0, 0.79, 0.06}},  // spec E5 v3
          // kc E5-2695 v3; L2 size and cycles sheet; L3 latency est
          .caches = {32, 256, 2.5, 0, 58, 25, 0, 23.1, 0.88, 4, 12, 20, 0.15},
          .memory = {4, 2133, 0.90, 0.05, 9, 0.25, 4.0, 0, 90, 130, 0.15},  // kc (s 5.0, halved 3.4), mlc
          .link_gb_per_s = 38.4,                                            // 2 QPI at 9.6 GT/s
          .threads = {2, 1.0, 1.26, 110, 110, 8}};                          // kc smt2 over smt1; est
}

Family broadwell() {
  return {.name = "broadwell",
          .base_ghz = 2.3,
          .turbo_ghz = 3.6,
          .peaks = avx2_peaks(32),
          .clocks = {{scalar, 1.0, 0.85, 0.05}, {avx2, 1.0, 0.79, 0.06}},       // spec E5 v4
          .caches = {32, 256, 2.5, 0, 57, 25, 0, 28.8, 0.93, 4, 12, 20, 0.15},  // kc E5-2697 v4
          .memory = {4, 2400, 0.91, 0.05, 11, 0.15, 4.8, 0, 90, 130, 0.15},     // kc
          .link_gb_per_s = 38.4,
          .threads = {2, 1.0, 1.04, 110, 110, 8}};
}

Family skylake_sp() {
  return {.name = "skylake_sp",
          .base_ghz = 2.4,
          .turbo_ghz = 3.7,
          .peaks = with(avx512_peaks(), {{int8, avx512, 85}}),
          // spec: 8180 3.8 -> 3.2 / 2.8 / 2.3, 6142 3.7 -> 3.3 / 2.9 / 2.2, 6148 3.7 -> 3.1 / 2.6 / 2.2
          .clocks = {{scalar, 1.0, 0.86, 0.03}, {avx2, 1.0, 0.74, 0.05}, {avx512, 0.94, 0.60, 0.05}},
          // kc Gold 6148: 107, 46, 10.2 B/cycle at 2.4 GHz = 24.4 GB/s, all cores assumed at 8.7
          .caches = {32, 1024, 1.375, 0, 107, 46, 0, 24.4, 0.86, 4, 14, 22, 0.15},
          .memory = {6, 2666, 0.88, 0.05, 13.5, 0.10, 3.6, 0, 80, 140, 0.10},  // kc, mlc 8163
          .link_gb_per_s = 62.4,                    // 3 UPI at 10.4 GT/s; some boards 2
          .threads = {2, 1.0, 1.03, 120, 120, 6}};  // kc; mlc; intel_idle
}

Family cascade_lake() {
  Family family = skylake_sp();
  family.name = "cascade_lake";
  family.base_ghz = 2.6;
  family.turbo_ghz = 3.9;
  family.peaks = vnni_peaks();
  // spec: 8280 4.0 -> 3.3 / 2.9 / 2.4
  family.clocks = {{scalar, 1.0, 0.85, 0.05}, {avx2, 1.0, 0.74, 0.05}, {avx512, 0.94, 0.61, 0.06}};
  family.memory.mega_transfers = 2933;
  family.memory.core_gb_per_s = 13.8;  // kc Gold 6248: 13.0 load, 14.6 copy; 0.87 of theory; mlc 8269CY 0.88
  family.memory.local_ns = 78;
  return family;
}

Family ice_lake_sp() {
  return {.name = "ice_lake_sp",
          .base_ghz = 2.4,
          .turbo_ghz = 3.5,
          .peaks = vnni_peaks(),
          .clocks = {{scalar, 1.0, 0.885, 0.03},
                     {avx2, 1.0, 0.82, 0.06},
                     {avx512, 0.97, 0.74, 0.08}},  // sheet; est
          // kc 8360Y: L2 46, L3 10.3 falling to 8.0 B/cycle at 2.4 GHz; L1 est
          .caches = {48, 1280, 1.5, 0, 110, 46, 0, 24.7, 0.78, 5, 14, 25, 0.20},
          .memory = {8, 3200, 0.85, 0.06, 17, 0.15, 3.6, 0, 85, 145, 0.15},  // kc, SPEChpc 8360Y
          .link_gb_per_s = 67.2,                                             // 3 UPI at 11.2 GT/s
          .threads = {2, 1.0, 1.03, 130, 130, 6}};
}

Family sapphire_rapids() {
  return {.name = "sapphire_rapids",
          .base_ghz = 2.0,
          .turbo_ghz = 3.8,
          .peaks = amx_peaks(),
          .clocks = {{scalar, 1.0, 0.79, 0.03},
                     {avx2, 1.0, 0.74, 0.08},
                     {avx512, 0.97, 0.66, 0.10},
                     {amx, 0.90, 0.58, 0.13}},  // scalar sheet; est
          // kc 8470: 121, 50 B/cycle, L3 17.6 GB/s as a lower bound at 2.0 GHz; L3 est
          .caches = {48, 2048, 1.875, 0, 121, 50, 0, 22, 0.70, 5, 15, 33, 0.25},
          .memory = {8, 4800, 0.82, 0.07, 16, 0.15, 3.6, 0, 116, 200, 0.15},  // mess: 0.76 one rank, 0.86 two
          .link_gb_per_s = 128,                                               // 4 UPI at 16 GT/s
          .threads = {2, 1.0, 1.03, 160, 160, 6}};
}

Family emerald_rapids() {
  Family family = sapphire_rapids();
  family.name = "emerald_rapids";
  family.base_ghz = 1.9;
  family.turbo_ghz = 3.9;
  family.clocks = {{scalar, 1.0, 0.74, 0.03},
                   {avx2, 1.0, 0.70, 0.08},
                   {avx512, 0.97, 0.64, 0.10},
                   {amx, 0.90, 0.57, 0.13}};  // scalar sheet; est
  family.caches.l3_mib = 5.0;
  family.memory.mega_transfers = 5600;
  family.memory.sustained = 0.85;  // est
  family.memory.local_ns = 112;
  family.link_gb_per_s = 160;  // 4 UPI at 20 GT/s
  return family;
}

Family granite_rapids() {
  Family family = sapphire_rapids();
  family.name = "granite_rapids";
  family.turbo_ghz = 3.9;
  family.peaks = with(amx_peaks(), {{fp16, amx, 1024}});
  family.clocks = {{scalar, 1.0, 0.82, 0.05},
                   {avx2, 1.0, 0.78, 0.08},
                   {avx512, 0.97, 0.72, 0.10},
                   {amx, 0.90, 0.64, 0.13}};  // scalar sheet; est
  family.caches.l3_mib = 3.94;
  family.caches.l3_gb_per_s = 20;  // est
  family.caches.l3_ns = 45;
  // mlc 6980P, DDR5-6400: 0.90 of theory, 130 ns local, 410 to 450 remote (one box; est 250 to 450)
  family.memory = {12, 6400, 0.90, 0.05, 16, 0.20, 3.6, 0, 130, 380, 0.25};
  family.link_gb_per_s = 288;  // 6 UPI at 24 GT/s
  family.threads.barrier_ns = 240;
  family.threads.doubling_ns = 240;
  return family;
}

Family zen2() {
  return {.name = "zen2",
          .base_ghz = 2.35,
          .turbo_ghz = 3.35,
          .peaks = avx2_peaks(48),
          .clocks = {{scalar, 1.0, 0.83, 0.06}, {avx2, 0.97, 0.77, 0.08}},  // est; 7742 3.4 -> 2.6
          // kc EPYC 7452: 60, 31.8, 23.0 falling to 18.6 B/cycle
          .caches = {32, 512, 16, 4, 60, 31.8, 23.0, 0, 0.81, 4, 12, 12, 0.10},
          // kc: 21.8 one core, 35 GB/s for a die of two core complexes; az 0.63, 7452 0.66, NPS4 tuned 0.80.
          // s is steep within a die (5.8); over dies the cores spread, so the socket's curve is taken softer
          .memory = {8, 3200, 0.70, 0.10, 22, 0.15, 4.0, 35, 100, 200, 0.15},
          .link_gb_per_s = 128,  // 4 xGMI2 x16 at 16 GT/s
          .threads = {2, 1.0, 1.16, 60, 230, 8}};
}

Family zen1() {
  Family family = zen2();
  family.name = "zen1";
  family.base_ghz = 2.2;
  family.turbo_ghz = 3.2;
  family.peaks = {{fp64, avx2, 8}, {fp32, avx2, 16}, {int8, avx2, 24}};   // 128-bit units
  family.caches = {32, 512, 8, 4, 32, 28, 20, 0, 0.80, 4, 14, 14, 0.25};  // est
  family.memory = {8, 2666, 0.75, 0.10, 18, 0.25, 4.0, 30, 110, 220, 0.20};
  family.link_gb_per_s = 85;
  return family;
}

Family zen3() {
  Family family = zen2();
  family.name = "zen3";
  family.base_ghz = 2.45;
  family.turbo_ghz = 3.5;
  family.clocks = {{scalar, 1.0, 0.87, 0.06}, {avx2, 0.97, 0.81, 0.08}};     // est
  family.caches = {32, 512, 32, 8, 60, 30, 24, 0, 0.79, 4, 12, 13, 0.20};    // est
  family.memory = {8, 3200, 0.77, 0.08, 28, 0.20, 4.0, 45, 100, 200, 0.15};  // az 0.81 to 0.85 tuned; est
  family.link_gb_per_s = 144;                                                // 4 xGMI2 x16 at 18 GT/s
  family.threads = {2, 1.0, 1.10, 55, 220, 8};
  return family;
}

Family zen4() {
  Family family = zen3();
  family.name = "zen4";
  family.base_ghz = 2.4;
  family.turbo_ghz = 3.7;
  // 512-bit instructions in two passes: no more flop per cycle than AVX2, and no licence clock (sheet)
  family.peaks = with(
      avx2_peaks(48),
      {{fp64, avx512, 16}, {fp32, avx512, 32}, {DataType::bf16, Extension::bf16, 64}, {int8, vnni, 128}});
  family.clocks = {
      {scalar, 1.0, 0.96, 0.03}, {avx2, 1.0, 0.91, 0.06}, {avx512, 1.0, 0.89, 0.06}};  // sheet; est
  family.caches = {32, 1024, 32, 8, 60, 30, 25, 0, 0.80, 4, 14, 14, 0.20};             // est
  family.memory = {12, 4800, 0.78, 0.08, 34, 0.20, 4.0, 57, 112, 215, 0.15};           // az 0.71 to 0.85; est
  family.link_gb_per_s = 256;  // 4 xGMI3 x16 at 32 GT/s
  return family;
}

Family zen5() {
  Family family = zen4();
  family.name = "zen5";
  family.base_ghz = 2.7;
  family.turbo_ghz = 4.1;
  family.peaks = with(avx512_peaks(), {{DataType::bf16, Extension::bf16, 128}, {int8, vnni, 256}});
  family.clocks = {{scalar, 1.0, 0.87, 0.06}, {avx2, 1.0, 0.81, 0.06}, {avx512, 0.95, 0.77, 0.08}};  // est
  // own: 309, 150 and 81 GB/s of one core at 3.23 GHz; shared L3 est
  family.caches = {48, 1024, 32, 8, 96, 46, 25, 0, 0.75, 4, 14, 13, 0.20};
  family.memory = {12,  6000, 0.85, 0.06, 35,  0.25,
                   4.0, 62,   118,  230,  0.15};  // est; own 23 in a shared machine
  family.threads = {2, 1.0, 1.10, 60, 260, 8};
  return family;
}

Family neoverse_n1() {
  return {.name = "neoverse_n1",
          .base_ghz = 2.5,
          .turbo_ghz = 2.5,
          .peaks = {{fp64, neon, 8}, {fp32, neon, 16}, {fp16, neon, 32}, {int8, neon, 64}},  // sheet
          .clocks = {{scalar, 1.0, 1.0, 0.02}, {neon, 1.0, 1.0, 0.02}},        // fixed clock in servers
          .caches = {64, 1024, 0.5, 0, 30, 22, 0, 32, 0.60, 4, 11, 30, 0.30},  // est
          .memory = {8, 3200, 0.85, 0.06, 24, 0.25, 4.0, 0, 88, 200, 0.15},    // est
          .link_gb_per_s = 64,
          .threads = {1, 1.0, 1.0, 120, 120, 8}};
}

Family neoverse_v1() {
  Family family = neoverse_n1();
  family.name = "neoverse_v1";
  family.base_ghz = 2.6;
  family.turbo_ghz = 2.6;
  family.peaks = {{fp64, sve, 16},
                  {fp32, neon, 32},
                  {fp32, sve, 32},
                  {fp16, sve, 64},
                  {DataType::bf16, Extension::bf16, 128},
                  {int8, sve, 256}};  // matrix instructions nominal: maybe half (est)
  family.caches = {64, 1024, 0.5, 0, 60, 30, 0, 42, 0.50, 4, 13, 33, 0.30};  // est
  family.memory = {8, 4800, 0.82, 0.06, 32, 0.25, 4.0, 0, 115, 220, 0.15};   // est
  return family;
}

Family neoverse_v2() {
  Family family = neoverse_v1();
  family.name = "neoverse_v2";
  family.base_ghz = 2.8;
  family.turbo_ghz = 2.8;
  family.caches.l2_kib = 2048;
  family.caches.l3_mib = 0.375;
  family.memory = {12, 5600, 0.82, 0.08, 34, 0.25, 4.0, 0, 115, 220, 0.20};  // est
  return family;
}

// Desktop and laptop parts: one socket, two channels, so one core takes half of the memory's bandwidth. All est.
Family skylake_client() {
  return {.name = "skylake_client",
          .base_ghz = 3.2,
          .turbo_ghz = 4.6,
          .peaks = avx2_peaks(43),
          .clocks = {{scalar, 1.0, 0.93, 0.06}, {avx2, 1.0, 0.90, 0.08}},
          .caches = {32, 256, 2.0, 0, 60, 30, 20, 0, 0.80, 4, 12, 11, 0.25},
          .memory = {2, 2666, 0.85, 0.10, 20, 0.25, 3.0, 0, 65, 130, 0.20},
          .link_gb_per_s = 20,
          .threads = {2, 1.0, 1.05, 70, 70, 8}};
}

Family ice_lake_client() {
  Family family = skylake_client();
  family.name = "ice_lake_client";
  family.peaks = with(avx2_peaks(43), {{fp64, avx512, 16}, {fp32, avx512, 32}, {int8, vnni, 128}});
  family.clocks.push_back({avx512, 0.98, 0.86, 0.08});
  family.caches.l1_kib = 48;
  family.caches.l2_kib = 512;
  family.memory.mega_transfers = 3200;
  return family;
}

Family alder_lake() {  // the performance cores
  Family family = skylake_client();
  family.name = "alder_lake";
  family.turbo_ghz = 5.2;
  family.peaks = with(avx2_peaks(43), {{int8, vnni, 128}});
  family.caches = {48, 1280, 2.5, 0, 90, 45, 18, 0, 0.75, 5, 15, 17, 0.30};
  family.memory = {2, 4800, 0.85, 0.10, 30, 0.25, 3.0, 0, 80, 130, 0.20};
  return family;
}

// Nothing known: the middle of what is sold, with errors to match.
Family generic_x86() {
  Family family = skylake_sp();
  family.name = "generic_x86";
  family.base_ghz = 2.5;
  family.turbo_ghz = 3.5;
  family.peaks = avx2_peaks(43);
  family.clocks = {{scalar, 1.0, 0.85, 0.10}, {avx2, 1.0, 0.80, 0.12}};
  family.caches = {32, 1024, 1.5, 0, 60, 32, 0, 30, 0.80, 4, 14, 22, 0.35};
  family.memory = {6, 3200, 0.80, 0.12, 16, 0.35, 3.6, 0, 95, 170, 0.25};
  return family;
}

Family generic_arm() {
  Family family = neoverse_n1();
  family.name = "generic_arm";
  family.clocks = {{scalar, 1.0, 0.97, 0.10}, {neon, 1.0, 0.97, 0.10}};
  family.caches.error = 0.40;
  family.memory = {8, 3200, 0.82, 0.10, 26, 0.35, 4.0, 0, 100, 200, 0.25};
  return family;
}

}  // namespace

const std::vector<Family>& family_table() {
  static const std::vector<Family> table{
      haswell(),        broadwell(),      skylake_sp(),  cascade_lake(), ice_lake_sp(),    sapphire_rapids(),
      emerald_rapids(), granite_rapids(), zen1(),        zen2(),         zen3(),           zen4(),
      zen5(),           neoverse_n1(),    neoverse_v1(), neoverse_v2(),  skylake_client(), ice_lake_client(),
      alder_lake(),     generic_x86(),    generic_arm()};
  return table;
}

}  // namespace corecast::hwmodels
