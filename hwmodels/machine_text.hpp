// A machine for people: its topology drawn, its capacities as a table, and what the operating system grants of it.
//
//   xeon-8180: 2 x Intel Xeon Platinum 8180
//   family skylake_sp, 2 sockets, 56 cores, 112 logical CPUs
//
//   +- 2 sockets, each -------------------------------------------+
//   | memory 220 GB/s, link to the other socket 51.2 GB/s         |
//   | +- L3 38.5 MiB, shared by 28 cores -----------------------+ |
//   | | 28 cores x 2 threads, each: L1 32 KiB, L2 1 MiB         | |
//   | +---------------------------------------------------------+ |
//   +-------------------------------------------------------------+
//
//   what                 value          error    origin     from
//   memory bandwidth     220 GB/s       +-5 %    prior      skylake_sp
#pragma once

#include <string>

#include "hwmodels/host.hpp"

namespace corecast::hwmodels {

// Plain text, ASCII but for what names and origins hold; every line ends in '\n' and has at most `width` columns (one per
// code point; what does not fit is cut and ends in "..."). A width below 40 counts as 40.
[[nodiscard]] std::string describe(const Machine& machine, const Grant* grant = nullptr, int width = 80);

}  // namespace corecast::hwmodels
