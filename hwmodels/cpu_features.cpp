#include "hwmodels/cpu_features.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace corecast::hwmodels {
namespace {

constexpr bool bit(std::uint64_t word, unsigned position) {
  return ((word >> position) & 1U) != 0;
}

#if defined(__x86_64__) || defined(__i386__)
std::uint64_t read_xcr0() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  // The intrinsic needs -mxsave for the whole file.
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32U) | low;
}

CpuidWords read_cpuid() {
  CpuidWords words;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) {
    words.leaf1_ecx = c;
    words.leaf1_edx = d;
  }
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) {
    words.leaf7_ebx = b;
    words.leaf7_ecx = c;
    words.leaf7_edx = d;
    const unsigned last_subleaf = a;
    if (last_subleaf >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0) {
      words.leaf7_1_eax = a;
      words.leaf7_1_edx = d;
    }
  }
  if (__get_cpuid(0x16, &a, &b, &c, &d) != 0) {
    words.base_mega_hertz = a & 0xFFFFU;
    words.turbo_mega_hertz = b & 0xFFFFU;
  }
  if (bit(words.leaf1_ecx, 27)) words.xcr0 = read_xcr0();  // OSXSAVE: the instruction is there
  return words;
}
#endif

}  // namespace

std::vector<Extension> extensions_of_x86(const CpuidWords& words) {
  const auto saved = [&](std::uint64_t states) {
    return bit(words.leaf1_ecx, 27) && (words.xcr0 & states) == states;
  };
  const bool avx_state = saved(0x6);            // XMM, YMM
  const bool avx512_state = saved(0x6 | 0xE0);  // and opmask, ZMM
  const bool tile_state = saved(0x60000);       // TILECFG, TILEDATA
  const bool avx = avx_state && bit(words.leaf1_ecx, 28);
  const bool avx2 = avx && bit(words.leaf7_ebx, 5) && bit(words.leaf1_ecx, 12);  // with fused multiply-add
  // F, DQ, BW, VL: the set that libraries ask for.
  const bool avx512 = avx2 && avx512_state && bit(words.leaf7_ebx, 16) && bit(words.leaf7_ebx, 17) &&
                      bit(words.leaf7_ebx, 30) && bit(words.leaf7_ebx, 31);
  const bool avx512_vnni = avx512 && bit(words.leaf7_ecx, 11);
  const bool avx_vnni = avx2 && bit(words.leaf7_1_eax, 4);

  std::vector<Extension> found{Extension::scalar};
  if (bit(words.leaf1_edx, 26)) found.push_back(Extension::sse);
  if (avx2) found.push_back(Extension::avx2);
  if (avx512) found.push_back(Extension::avx512);
  if (avx512_vnni || avx_vnni) found.push_back(Extension::vnni);
  if (avx512 && bit(words.leaf7_1_eax, 5)) found.push_back(Extension::bf16);
  if (tile_state && bit(words.leaf7_edx, 24) && bit(words.leaf7_edx, 22) && bit(words.leaf7_edx, 25)) {
    found.push_back(Extension::amx);
  }
  return found;
}

std::vector<Extension> extensions_of_aarch64(std::uint64_t hwcap, std::uint64_t hwcap2) {
  std::vector<Extension> found{Extension::scalar};
  if (bit(hwcap, 1)) found.push_back(Extension::neon);    // HWCAP_ASIMD
  if (bit(hwcap, 20)) found.push_back(Extension::vnni);   // HWCAP_ASIMDDP
  if (bit(hwcap, 22)) found.push_back(Extension::sve);    // HWCAP_SVE
  if (bit(hwcap2, 14)) found.push_back(Extension::bf16);  // HWCAP2_BF16
  return found;
}

CpuFeatures features_of_x86(const CpuidWords& words) {
  CpuFeatures features;
  features.extensions = extensions_of_x86(words);
  features.avx10 = bit(words.leaf7_1_edx, 19);
  features.virtual_machine = bit(words.leaf1_ecx, 31);
  // A hypervisor fills the leaf with what it likes, often with the clock of another machine of the fleet.
  if (features.virtual_machine) return features;
  const auto clock = [](std::uint32_t mega_hertz) -> std::optional<Hertz> {
    if (mega_hertz < 200 || mega_hertz > 10'000) return std::nullopt;
    return Hertz(mega_hertz * 1e6);
  };
  features.base_clock = clock(words.base_mega_hertz);
  features.turbo_clock = clock(words.turbo_mega_hertz);
  return features;
}

CpuFeatures detect_features() {
#if defined(__x86_64__) || defined(__i386__)
  return features_of_x86(read_cpuid());
#elif defined(__aarch64__)
  CpuFeatures features;
  features.extensions = extensions_of_aarch64(::getauxval(AT_HWCAP), ::getauxval(AT_HWCAP2));
  return features;
#else
  return {};
#endif
}

}  // namespace corecast::hwmodels
