#include "sim/memory_need.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/quantity_text.hpp"

namespace corecast::sim {
namespace {

Bytes weights_of(const graphs::Graph& graph) {
  Bytes counted{}, read{};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const graphs::Operator& op = graph.op(OpIndex(i));
    counted += Bytes(static_cast<double>(op.parameters) * bytes_per_element(op.work.compute_type));
    read += op.work.weights_read;
  }
  return graph.total_parameters() > 0 ? counted : read;
}

Bytes most_live(const graphs::Graph& graph) {
  std::vector<std::size_t> readers(graph.size());
  std::vector<Bytes> inside(graph.size());  // what an operator reads of others' results
  for (const graphs::Connection& connection : graph.connections()) {
    ++readers[connection.from.value()];
    inside[connection.to.value()] += connection.bytes;
  }
  Bytes live{}, most{};
  for (const OpIndex i : graph.topological_order()) {
    const graphs::Work& work = graph.op(i).work;
    live += work.written;
    most = std::max(most, live + std::max(Bytes(0.0), work.activations_read - inside[i.value()]));
    for (const OpIndex source : graph.predecessors(i)) {
      if (--readers[source.value()] == 0) live -= graph.op(source).work.written;
    }
  }
  return most;
}

}  // namespace

MemoryNeed memory_need(const graphs::Graph& prepared) {
  return {weights_of(prepared), most_live(prepared)};
}

std::optional<Bytes> memory_of(const Target& target) {
  const auto& capacity = target.machine.memory.capacity;
  if (!capacity) return std::nullopt;
  return capacity->value * static_cast<double>(target.machine.sockets);
}

std::optional<double> instances_that_fit(const MemoryNeed& need, const Target& target) {
  const auto there = memory_of(target);
  if (!there) return std::nullopt;
  if (!(need.total() > Bytes(0.0))) return HUGE_VAL;
  return std::floor(*there / need.total());
}

std::string memory_words(const MemoryNeed& need, const Target& target, int instances) {
  const std::string parts = fmt::format("{} of weights and {} of activations", to_short_text(need.weights),
                                        to_short_text(need.activations));
  const std::string wants =
      instances == 1 ? fmt::format("one instance needs {} of memory ({})", to_short_text(need.total()), parts)
                     : fmt::format("{} instances need {} of memory ({} each: {})", instances,
                                   to_short_text(need.total() * static_cast<double>(instances)),
                                   to_short_text(need.total()), parts);
  return fmt::format("{}, the machine has {}", wants, to_short_text(memory_of(target).value_or(Bytes(0.0))));
}

std::optional<Message> memory_warning(const MemoryNeed& need, const Target& target, const Setting& setting) {
  const auto most = instances_that_fit(need, target);
  if (!most || setting.instances <= *most) return std::nullopt;
  return Message{"MEMORY_CAPACITY", memory_words(need, target, setting.instances) +
                                        ": the forecast is for a machine that has enough"};
}

}  // namespace corecast::sim
