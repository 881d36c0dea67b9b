// The order in which nodes can be walked, and which of them are needed at all.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_set>

#include "base/error.hpp"
#include "graphs/onnx_view.hpp"
#include "graphs/onnx_walk.hpp"

namespace corecast::graphs::importing {
namespace {

using NameSet = std::unordered_set<std::string_view>;

void collect_outer_names(const ::onnx::GraphProto& graph, std::vector<std::string_view>& names);

// All that a node reads: its inputs, and what the graphs inside it take from around them.
std::vector<std::string_view> names_read(const ::onnx::NodeProto& node) {
  std::vector<std::string_view> names;
  for (const std::string& input : node.input()) {
    if (!input.empty()) names.push_back(input);
  }
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) collect_outer_names(attribute.g(), names);
    for (const auto& graph : attribute.graphs()) collect_outer_names(graph, names);
  }
  return names;
}

void collect_outer_names(const ::onnx::GraphProto& graph, std::vector<std::string_view>& names) {
  NameSet own;
  for (const auto& input : graph.input()) own.insert(input.name());
  for (const auto& weight : graph.initializer()) own.insert(weight.name());
  for (const auto& weight : graph.sparse_initializer()) own.insert(weight.values().name());
  for (const auto& node : graph.node()) own.insert(node.output().begin(), node.output().end());
  const auto see = [&](std::string_view name) {
    if (!name.empty() && !own.contains(name)) names.push_back(name);
  };
  for (const auto& node : graph.node()) {
    for (const std::string_view name : names_read(node)) see(name);
  }
  for (const auto& output : graph.output()) see(output.name());
}

std::string place(const Nodes& nodes, int i) {
  return fmt::format("node {} ({})", quote(name_of(nodes[i], i)), quote(nodes[i].op_type()));
}

// Which node makes each name.
std::unordered_map<std::string_view, int> producers_of(const Nodes& nodes, const Scope& scope) {
  std::unordered_map<std::string_view, int> producers;
  for (int i = 0; i < nodes.size(); ++i) {
    for (const std::string& output : nodes[i].output()) {
      if (output.empty()) continue;
      const auto [first, is_new] = producers.emplace(output, i);
      if (!is_new) {
        throw InputError(
            place(nodes, i),
            fmt::format("produces {}, as {} does already", quote(output), place(nodes, first->second)),
            "every tensor must have one producer");
      }
      if (scope.names.contains(output)) {
        throw InputError(place(nodes, i),
                         fmt::format("produces {}, which is an input or a constant already", quote(output)),
                         "every tensor must have one producer");
      }
    }
  }
  return producers;
}

[[noreturn]] void nobody_produces(const std::string& where, std::string_view name, const Scope& scope,
                                  const std::unordered_map<std::string_view, int>& producers) {
  std::vector<std::string> known;
  for (const auto& [other, node] : producers) known.emplace_back(other);
  for (const auto& [other, tensor] : scope.names) known.emplace_back(other);
  std::sort(known.begin(), known.end());
  throw InputError(
      where,
      fmt::format("reads {}, which no node produces and which is neither input nor constant", quote(name)),
      did_you_mean(name, known));
}

// A node on a cycle among those that could not be ordered: walk back until one repeats.
[[noreturn]] void report_cycle(const Nodes& nodes, const std::vector<std::vector<int>>& reads,
                               const std::vector<int>& waiting) {
  int at = 0;
  while (waiting[static_cast<std::size_t>(at)] == 0) ++at;
  std::vector<bool> seen(waiting.size(), false);
  while (!seen[static_cast<std::size_t>(at)]) {
    seen[static_cast<std::size_t>(at)] = true;
    const auto& from = reads[static_cast<std::size_t>(at)];
    at = *std::find_if(from.begin(), from.end(),
                       [&](int k) { return waiting[static_cast<std::size_t>(k)] > 0; });
  }
  throw InputError(place(nodes, at), "depends on its own result: the graph has a cycle");
}

}  // namespace

std::string name_of(const ::onnx::NodeProto& node, int index) {
  return node.name().empty() ? fmt::format("{}_{}", clean(node.op_type()), index) : clean(node.name());
}

Order order_of(const Nodes& nodes, const std::vector<std::string_view>& outputs, const Scope& scope) {
  const auto producers = producers_of(nodes, scope);
  const auto n = static_cast<std::size_t>(nodes.size());
  std::vector<std::vector<int>> reads(n), readers(n);
  std::vector<int> waiting(n, 0);
  for (int i = 0; i < nodes.size(); ++i) {
    auto& mine = reads[static_cast<std::size_t>(i)];
    for (const std::string_view name : names_read(nodes[i])) {
      if (const auto producer = producers.find(name); producer != producers.end()) {
        mine.push_back(producer->second);
      } else if (!scope.find(name)) {
        nobody_produces(place(nodes, i), name, scope, producers);
      }
    }
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    for (const int from : mine) readers[static_cast<std::size_t>(from)].push_back(i);
    waiting[static_cast<std::size_t>(i)] = static_cast<int>(mine.size());
  }
  // The file's order where it is one, which it should be.
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < nodes.size(); ++i) {
    if (waiting[static_cast<std::size_t>(i)] == 0) ready.push(i);
  }
  std::vector<int> sorted;
  while (!ready.empty()) {
    const int i = ready.top();
    ready.pop();
    sorted.push_back(i);
    for (const int reader : readers[static_cast<std::size_t>(i)]) {
      if (--waiting[static_cast<std::size_t>(reader)] == 0) ready.push(reader);
    }
  }
  if (sorted.size() != n) report_cycle(nodes, reads, waiting);

  std::vector<bool> used(n, false);
  for (const std::string_view output : outputs) {
    if (const auto producer = producers.find(output); producer != producers.end()) {
      used[static_cast<std::size_t>(producer->second)] = true;
    } else if (!scope.find(output)) {
      nobody_produces("outputs", output, scope, producers);
    }
  }
  for (std::size_t k = sorted.size(); k-- > 0;) {
    const auto i = static_cast<std::size_t>(sorted[k]);
    if (!used[i]) continue;
    for (const int from : reads[i]) used[static_cast<std::size_t>(from)] = true;
  }
  Order order;
  for (const int i : sorted) {
    if (used[static_cast<std::size_t>(i)]) {
      order.nodes.push_back(i);
    } else if (nodes[i].op_type() != "Constant") {
      ++order.unused;
    }
  }
  return order;
}

}  // namespace corecast::graphs::importing
