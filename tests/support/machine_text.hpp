// Machines for tests from one line of text, with exact values and zero overheads.
//
//   machine("2 cores 10Gflop/s; mem 20GB/s; core 12GB/s; smt 2; sockets 2; link 10GB/s")
//
// Clauses, in any order, separated by ";". Only the first is required:
//   N cores RATE          N cores per socket, each RATE of fp32 (at 1 GHz always, scalar; other types as fp32)
//   mem RATE              sustained bandwidth of a socket's memory     1 PB/s: memory never limits
//   core RATE             bandwidth of one core alone                  that of `mem`
//   shape NUMBER          of the curve between them                    1e6: min(n core, mem)
//   smt N                 hardware threads per core                    1
//   gain NUMBER [NUMBER]  SMT gain: compute, memory                    1 1: a second thread adds nothing
//   sockets N, domains N  sockets; NUMA domains per socket             1 each
//   link RATE             one direction between two sockets            with sockets > 1 that of `mem`
//   l1|l2|l3 SIZE RATE [shared N] [peer RATE]   cache, bandwidth per core, cores per instance (1 for l1, l2; 0, the
//                         socket, for l3), of what another core has written into its own   that of the shared level
//   barrier TIME          of two threads                               0
//   doubling TIME         more for each doubling of the threads        0
//   wake TIME             of a sleeping thread                         0
//   fault TIME            page fault                                   0
//   latency TIME [TIME]   of memory, of remote memory                  0 0
//   slice TIME            of the operating system's scheduler          1 ms
// The right column is what holds without the clause.
// RATE, SIZE, TIME are quantity text with or without a space before the unit: 20GB/s, 1 MiB, 5us.
// Throws InputError on anything else.
#pragma once

#include <string_view>

#include "hwmodels/machine.hpp"

namespace corecast::test {

[[nodiscard]] hwmodels::Machine machine(std::string_view text);

}  // namespace corecast::test
