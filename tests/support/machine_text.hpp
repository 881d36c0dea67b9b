// Machines for tests from one line of text, with exact values and zero overheads.
//
//   machine("2 cores 10Gflop/s; mem 20GB/s; core 12GB/s; smt 2; sockets 2; link 10GB/s")
//
// Clauses, in any order, separated by ";". Only the first is required:
//   N cores RATE          N cores per socket, each RATE of fp32 (1 GHz clock at all times, scalar; other types as fp32)
//   mem RATE              sustained bandwidth of a socket's memory       default 1 PB/s: memory never limits
//   core RATE             bandwidth of one core alone                    default: that of `mem`
//   shape NUMBER          of the curve between them                      default 1e6: min(n core, mem)
//   smt N                 hardware threads per core                      default 1
//   gain NUMBER [NUMBER]  SMT gain: compute, memory                      default 1 1: a second thread adds nothing
//   sockets N, domains N  sockets; NUMA domains per socket               default 1 each
//   link RATE             one direction between two sockets              default with sockets > 1: that of `mem`
//   l1|l2|l3 SIZE RATE [shared N]   cache, bandwidth per core, cores per instance: default 1 for l1, l2, 0 (socket) for l3
//   barrier TIME, doubling TIME, wake TIME, fault TIME    default 0: two-thread barrier, each doubling, wake-up, page fault
//   latency TIME [TIME]   of memory, of remote memory                    default 0 0
//   slice TIME            of the operating system's scheduler            default 1 ms
// RATE, SIZE, TIME are quantity text with or without a space before the unit: 20GB/s, 1 MiB, 5us.
// Throws InputError on anything else.
#pragma once

#include <string_view>

#include "hwmodels/machine.hpp"

namespace corecast::test {

[[nodiscard]] hwmodels::Machine machine(std::string_view text);

}  // namespace corecast::test
