// Which vector extensions a program can use here: the CPU has the instructions and the operating system saves the registers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hwmodels/machine.hpp"

namespace corecast::hwmodels {

// What CPUID and XGETBV give on x86. Bits as in Intel SDM vol. 2A, CPUID, and vol. 1, 13.3 (XCR0).
struct CpuidWords {
  std::uint32_t leaf1_ecx = 0, leaf1_edx = 0;
  std::uint32_t leaf7_ebx = 0, leaf7_ecx = 0, leaf7_edx = 0;
  std::uint32_t leaf7_1_eax = 0, leaf7_1_edx = 0;
  std::uint32_t base_mega_hertz = 0, turbo_mega_hertz = 0;  // leaf 0x16, EAX and EBX; zero on AMD
  std::uint64_t xcr0 = 0;                                   // register state that the operating system saves
};

// Ascending, `scalar` first. vnni stands for AVX-512 VNNI or AVX-VNNI, bf16 for AVX-512 BF16; AMX counts when the kernel
// saves its tiles (a process still asks for them, which libraries do).
[[nodiscard]] std::vector<Extension> extensions_of_x86(const CpuidWords& words);
// From AT_HWCAP and AT_HWCAP2 of AArch64 Linux (arch/arm64/include/uapi/asm/hwcap.h). vnni stands for the dot product of
// bytes (SDOT), bf16 for BFMMLA: what they are on x86.
[[nodiscard]] std::vector<Extension> extensions_of_aarch64(std::uint64_t hwcap, std::uint64_t hwcap2);

struct CpuFeatures {
  std::vector<Extension> extensions;  // empty: unknown
  bool avx10 = false;                 // x86: the converged vector set; with AMX, Granite Rapids or later
  bool virtual_machine = false;       // the hypervisor bit
  std::optional<Hertz> base_clock, turbo_clock;  // CPUID leaf 0x16, not in a virtual machine
  friend bool operator==(const CpuFeatures&, const CpuFeatures&) = default;
};
[[nodiscard]] CpuFeatures features_of_x86(const CpuidWords& words);
[[nodiscard]] CpuFeatures detect_features();  // of the CPU this runs on

}  // namespace corecast::hwmodels
