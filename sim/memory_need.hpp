// What one instance needs of main memory, and whether a setting's instances fit.
//
//   need  = W + A                     instances do not share: a process each, with weights of its own
//   W     = sum of parameters x bytes of the type the operator computes in; of a graph that counts no parameters the
//           sum of its weights_read
//   A     = largest sum of live results while operators run one after the other in topological order: an operator's
//           result is live from its start to the end of the last that reads it (to the end when nobody does), what it
//           reads from outside the graph while it runs
//   fits  : instances x need <= capacity of a socket x sockets
//
// Holds for a framework that frees or reuses every result as soon as it can. Leaves out: the framework itself, work
// space of kernels, copies of weights in another layout, and more that is live when branches overlap: real programs
// need more. Weights that are kept in a narrower type than they are computed in count too high.
#pragma once

#include <optional>
#include <string>

#include "graphs/graph.hpp"
#include "sim/forecast.hpp"

namespace corecast::sim {

struct MemoryNeed {
  Bytes weights{};
  Bytes activations{};
  [[nodiscard]] Bytes total() const { return weights + activations; }
};
[[nodiscard]] MemoryNeed memory_need(const graphs::Graph& prepared);

// Of all sockets; nothing where the machine does not state its capacity.
[[nodiscard]] std::optional<Bytes> memory_of(const Target& target);

// Instances that fit; nothing where the machine does not state its capacity.
[[nodiscard]] std::optional<double> instances_that_fit(const MemoryNeed& need, const Target& target);

// "one instance needs 3 GB of memory (2 GB of weights, 1 GB of activations), the machine has 2 GB"
[[nodiscard]] std::string memory_words(const MemoryNeed& need, const Target& target, int instances);

// Code MEMORY_CAPACITY, when the setting does not fit.
[[nodiscard]] std::optional<Message> memory_warning(const MemoryNeed& need, const Target& target,
                                                    const Setting& setting);

}  // namespace corecast::sim
