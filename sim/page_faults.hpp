// Page faults: what fresh memory costs. malloc of the C library asks the kernel for large blocks and gives them back when
// they are freed, so every large output of every run is made of pages that nobody has touched:
//
//   Q > X:  touching = b ceil(Q / 4 KiB) f          spread over the threads that write the output
//           giving_back = 0.3 ceil(Q / 4 KiB) f     by the caller alone (munmap)
//   else    0
//
// Q bytes of the output, X = 32 MiB (glibc's DEFAULT_MMAP_THRESHOLD_MAX: the threshold rises to it as blocks are freed),
// b blocks of that size that a call takes (oneDNN under PyTorch: the output, and copies in its own layout), f the
// machine's page_fault. Caching allocators (arenas, tcmalloc, jemalloc) keep blocks: no faults.
// Holds for glibc with its defaults. Leaves out: transparent huge pages; that blocks above X may be cut from free ones
// beside them (BERT at batch 256 and 512 does not fault, though its outputs are large enough).
// Source: the published ResNet-50 measurements with the default allocator and tcmalloc on a Xeon Gold 6142 (Packrat,
// arXiv 2311.18174), 112 points: b f = 1.7 to 2.1 us, giving back 0.18 us; threads fault side by side. glibc manual,
// "Malloc Tunable Parameters".
#pragma once

#include "base/quantity.hpp"

namespace corecast::sim {

struct PageFaults {
  Seconds touching{};  // by one thread
  Seconds giving_back{};
};

[[nodiscard]] PageFaults page_faults(Bytes written, double fresh_blocks, Seconds page_fault);

}  // namespace corecast::sim
