#include "hwmodels/cpu_features.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "hwmodels/cpuinfo.hpp"

namespace corecast::hwmodels {
namespace {

using enum Extension;
using Extensions = std::vector<Extension>;

// Everything a Sapphire Rapids core has, under a kernel that saves all of it.
CpuidWords everything() {
  CpuidWords words;
  words.leaf1_edx = 1U << 26U;                                // SSE2
  words.leaf1_ecx = (1U << 12U) | (1U << 27U) | (1U << 28U);  // FMA, OSXSAVE, AVX
  words.leaf7_ebx =
      (1U << 5U) | (1U << 16U) | (1U << 17U) | (1U << 30U) | (1U << 31U);  // AVX2, AVX-512 F DQ BW VL
  words.leaf7_ecx = 1U << 11U;                                             // AVX-512 VNNI
  words.leaf7_edx = (1U << 22U) | (1U << 24U) | (1U << 25U);               // AMX BF16, TILE, INT8
  words.leaf7_1_eax = 1U << 5U;                                            // AVX-512 BF16
  words.xcr0 = 0x600E7;
  return words;
}

TEST_CASE("all extensions of a large core under a kernel that knows them") {
  CHECK(extensions_of_x86(everything()) == Extensions{scalar, sse, avx2, avx512, vnni, bf16, amx});
}

TEST_CASE("an extension counts only when the operating system saves its registers") {
  CpuidWords words = everything();
  words.xcr0 = 0xE7;  // no tiles
  CHECK(extensions_of_x86(words) == Extensions{scalar, sse, avx2, avx512, vnni, bf16});
  words.xcr0 = 0x7;  // YMM only: AVX-512 and what builds on it go
  CHECK(extensions_of_x86(words) == Extensions{scalar, sse, avx2});
  words.xcr0 = 0x3;
  CHECK(extensions_of_x86(words) == Extensions{scalar, sse});
  words = everything();
  words.leaf1_ecx &= ~(1U << 27U);  // XGETBV is not there: nothing can be known to be saved
  CHECK(extensions_of_x86(words) == Extensions{scalar, sse});
}

TEST_CASE("VNNI without AVX-512 is AVX-VNNI, and AVX2 needs fused multiply-add") {
  CpuidWords words = everything();
  words.leaf7_ebx = 1U << 5U;
  words.leaf7_edx = 0;
  CHECK(extensions_of_x86(words) ==
        Extensions{scalar, sse, avx2});  // the AVX-512 VNNI bit alone does not count
  words.leaf7_1_eax = 1U << 4U;
  words.xcr0 = 0x7;
  CHECK(extensions_of_x86(words) == Extensions{scalar, sse, avx2, vnni});
  words.leaf1_ecx &= ~(1U << 12U);
  CHECK(extensions_of_x86(words) == Extensions{scalar, sse});
}

TEST_CASE("clocks of CPUID are taken from real hardware only, and only when they make sense") {
  CpuidWords words = everything();
  words.base_mega_hertz = 2500;
  words.turbo_mega_hertz = 3800;
  CHECK(features_of_x86(words).base_clock == Hertz(2.5e9));
  CHECK(features_of_x86(words).turbo_clock == Hertz(3.8e9));
  words.leaf1_ecx |= 1U << 31U;
  CHECK(features_of_x86(words).virtual_machine);
  CHECK_FALSE(features_of_x86(words).base_clock.has_value());
  words = everything();
  words.base_mega_hertz = 65535;
  CHECK_FALSE(features_of_x86(words).base_clock.has_value());
}

TEST_CASE("AVX10 is bit 19 of the second part of leaf 7") {
  CpuidWords words = everything();
  CHECK_FALSE(features_of_x86(words).avx10);
  words.leaf7_1_edx = 1U << 19U;
  CHECK(features_of_x86(words).avx10);
}

TEST_CASE("AArch64 extensions follow the hardware capabilities") {
  CHECK(extensions_of_aarch64(0, 0) == Extensions{scalar});
  const std::uint64_t graviton3 = (1U << 1U) | (1U << 20U) | (1U << 22U);
  CHECK(extensions_of_aarch64(graviton3, 1U << 14U) == Extensions{scalar, neon, vnni, sve, bf16});
}

TEST_CASE("the CPU this runs on has at least scalar arithmetic") {
  const Extensions found = detect_features().extensions;
#if defined(__x86_64__) || defined(__aarch64__)
  REQUIRE_FALSE(found.empty());
  CHECK(found.front() == scalar);
#endif
#if defined(__x86_64__)
  CHECK(std::count(found.begin(), found.end(), sse) == 1);
  // An independent way to the same answer.
  CHECK((std::count(found.begin(), found.end(), avx2) == 1) ==
        (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0));
  CHECK((std::count(found.begin(), found.end(), avx512) == 1) ==
        (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0));
#endif
}

TEST_CASE("/proc/cpuinfo of x86") {
  const CpuInfo info = parse_cpuinfo(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
      "model name\t: Intel(R) Xeon(R) Platinum 8180 CPU @ 2.50GHz\nstepping\t: 4\ncpu MHz\t\t: 3200.012\n"
      "flags\t\t: fpu sse2 avx2 hypervisor\n\nprocessor\t: 1\nmodel\t\t: 99\n\n");
  CHECK(info.vendor == "GenuineIntel");
  CHECK(info.family == 6);
  CHECK(info.model == 85);
  CHECK(info.stepping == 4);
  CHECK(info.processors == 2);
  REQUIRE(info.clock_in_name.has_value());
  CHECK(info.clock_in_name->value() == doctest::Approx(2.5e9));
  REQUIRE(info.clock_now.has_value());
  CHECK(info.clock_now->value() == doctest::Approx(3.200012e9));
  CHECK(info.has_flag("hypervisor"));
  CHECK_FALSE(info.has_flag("avx512f"));
  CHECK(info.implementer == -1);
}

TEST_CASE("/proc/cpuinfo of AArch64") {
  const CpuInfo info = parse_cpuinfo(
      "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\nCPU part\t: "
      "0xd0c\n");
  CHECK(info.implementer == 0x41);
  CHECK(info.part == 0xD0C);
  CHECK(info.has_flag("sve"));
}

TEST_CASE("/proc/cpuinfo that is garbage has nothing in it") {
  const CpuInfo info = parse_cpuinfo(
      "no colon\n:\ncpu family\t: six\nmodel\t: -3\ncpu MHz\t: 1e300\nmodel name\t: X @ fast\nstepping: "
      "99999999999\n");
  CHECK(info.family == -1);
  CHECK(info.model == -1);
  CHECK(info.stepping == -1);
  CHECK_FALSE(info.clock_now.has_value());
  CHECK_FALSE(info.clock_in_name.has_value());
  CHECK(parse_cpuinfo("").processors == 0);
}

}  // namespace
}  // namespace corecast::hwmodels
