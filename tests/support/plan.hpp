// Plans from one line of text, for graphs made by dag().
//
//   plan_of(graph, "slots 2; workers 3; resource mem 10GB/s; a: dispatch 1us, 10us x4, draw mem 1MB; *: 5us")
//
// Clauses, separated by ";":
//   slots N            N slots that take ready operators; without it one slot and the graph's topological
//   order workers N          shared by all                              default 0 cpus X             default:
//   slots + workers spinning N, slice TIME, hand-over TIME                        default 0 keep
//   first|last|chain|none   which successor a thread goes on with; default first
//   quota X, quota-slice TIME, copies N                                           default none, 0, 1
//   resource NAME RATE NAMES: PHASES      NAMES separated by spaces, * for all that no earlier clause names; PHASES
//   separated by ",":
//     TIME [xN]        the parallel phase, on N threads (default 1); counts as compute
//     dispatch TIME | serial TIME | fork TIME
//     draw NAME BYTES  from a resource, in the parallel phase
//     compute TIME | memory TIME | imbalance TIME   what the parallel phase is made of, instead of all
//     compute bound NAME       default compute
// Operators not named have no work. Throws InputError on anything else.
#pragma once

#include <string_view>

#include "graphs/graph.hpp"
#include "sim/plan.hpp"

namespace corecast::test {

[[nodiscard]] sim::Plan plan_of(const graphs::Graph& graph, std::string_view text);

}  // namespace corecast::test
