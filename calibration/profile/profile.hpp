// Profile: what a trace says of one run of one model, node by node.
//
//   node      median of its times over the runs used; its relative error is that of the median,
//             e = hypot( 1.25 x 1.48 MAD, 0.3 us ) / ( sqrt(runs) t )   MAD median absolute deviation; 0.3 us: whole microseconds
//             (one run: 5 %, as nothing tells)
//   runs      onnxruntime: what each "model_run" encloses; without one, from a name to its return. PyTorch: steps of
//             torch.profiler.schedule, else the period of the operators' names and shapes. The first run of each
//             process is left out when there are more than two (it allocates, and starts threads)
//   event     an event costs time itself, part of it inside of the node's own: t is without it.
//             onnxruntime: the lower quartile of nodes that do nothing (Reshape, Squeeze, ...), at most 8 us; without such
//             a node the shortest of all, at most 3 us (2.5 to 4 us were measured). PyTorch: 1 us for each event,
//             those nested inside included (0.5 to 1.5 us were measured); never more than half of a node
//   call      what one run takes before its first and after its last node
// Of several models in one file the one that took most time is meant; `notes` tells of the others. Nodes inside of others
// (loops' and branches' bodies, operators that call operators) count with the outer one.
// Leaves out: work on other threads than the caller's beside the pool (backward passes, inter-op pools).
//
// InputError: no operator in the trace ("no node event: was enable_profiling on?").
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "calibration/profile/trace.hpp"

namespace corecast::calibration::profile {

enum class Source { onnxruntime, pytorch };
[[nodiscard]] std::string_view name_of(Source source);

struct Node {
  std::string name;
  std::string type;
  std::string family;
  std::optional<Shape> output;
  std::vector<Shape> inputs;
  std::optional<int> index;
  Seconds time{};  // without what the event costs
  double relative_error = 0.0;
};

struct Profile {
  Source source = Source::onnxruntime;
  std::string file;
  std::vector<Node> nodes;  // in the order they ran
  int runs = 0;             // in the trace, of this model
  int used = 0;
  Seconds run{};         // median of a whole run, as profiled
  Seconds event_cost{};  // of one event, inside of its node
  std::optional<Seconds> call;
  std::optional<int> intra_op;  // threads on one operator, where the trace tells
  std::vector<std::string> notes;

  [[nodiscard]] Seconds in_nodes() const;
};

// `heavy`: products and convolutions in the model: tells one run of PyTorch from several of a model that repeats itself.
[[nodiscard]] Profile profile_of(const Trace& trace, std::size_t heavy);

}  // namespace corecast::calibration::profile
