// The fluid discrete-event simulation of a plan.
//
// A running operator is in one phase: dispatch, serial, fork_join, parallel, in this order; phases of no
// length are skipped. A phase that would take d alone goes on at a speed u <= 1 and ends when the integral of
// u reaches d:
//
//   dispatch, serial, fork_join   u = c                                    their caller alone decides
//   parallel                      u <= (held / n) c                        n threads wanted, held <= n of
//   them had
//                                 sum_i draw_ij u_i / d_i <= C_j           bytes of every shared resource j
//
// held and c, the share of a CPU that each runnable thread gets, are in thread_shares.hpp: a thread that
// waits for memory keeps its worker and its CPU, so both are settled before the resources. The u_i are then
// the max-min fair point (hwmodels/sharing.hpp) with equal weights: operators that share a full resource slow
// down alike. Between events speeds are constant.
//
// With more runnable threads R than CPUs, an operator of more than one thread loses, once, between fork_join
// and parallel,
//   min( time_slice x min(1, R / cpus - 1), (F - 1) x (fork_join + parallel) n / (held c) )
// of wall time, with R as at that date and F of thread_shares.hpp: its threads wait for one that is not on a CPU,
// in lockstep, but never longer than that one's turn takes to come round; where every thread has parts of its own
// (each_its_own) always until then. It belongs to the fork_join span.
//
// Executor. fixed_order: the next operator of `order` starts when the last one has ended. Otherwise, as
// frameworks' pools do: operators without predecessors are queued in operator order at date 0. An operator that
// ends makes its successors ready in operator order; its slot goes on with one of them, which Executor::keep
// says (first, last, a chain's next, none), without hand-over; the others join the queue. A free slot, the lowest first, takes the
// oldest in the queue and starts it hand_over after it became ready (or at once when that is past; operators
// without predecessors: at once); until then it is taken.
//
// Dates are whole picoseconds. A phase ends at the first date at which its work is done, at least 1 ps after
// its start, so it is late by less than 1 ps, never early. Simultaneous events are taken by slot; a slot's
// chain of operators without length is followed to its end before the next slot's event; free slots take from
// the queue when all are done. Leaves out: which thread runs where inside one operator (the plan has it in
// `parallel`), cache state between operators.
#pragma once

#include "graphs/graph.hpp"
#include "sim/plan.hpp"
#include "sim/timeline.hpp"

namespace corecast::sim {

// The timeline is checked (timeline.hpp). InputError when a date would pass 50 days: no plan for real work
// does.
[[nodiscard]] Timeline simulate(const graphs::Graph& graph, const Plan& plan);

// Lower bound of any schedule of the plan: the largest of
//   critical path of `alone`;  sum of `alone` / slots;  thread-seconds / min(cpus, slots + workers);  draw /
//   capacity.
// No simulation.
[[nodiscard]] Seconds lower_bound(const graphs::Graph& graph, const Plan& plan);

}  // namespace corecast::sim
